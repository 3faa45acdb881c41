/* The floating-point modes that a caller may have: traps, directions of rounding, subnormal numbers taken for zeros. */
#ifndef TESTS_SUPPORT_MODES_H
#define TESTS_SUPPORT_MODES_H
#include <stdbool.h>
#include <stdint.h>

/* The registers of modes and flags. */
struct modes {
    uint64_t words[4];
};
struct modes modes_now(void);
void modes_restore(struct modes modes);

struct mode {
    const char *name;
    bool (*set)(void); /* on top of the usual modes, without flags; false: this machine has no such mode */
};
extern const struct mode mode_table[];
extern const int mode_count;
#endif
