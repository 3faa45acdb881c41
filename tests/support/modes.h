/* Floating-point modes of a caller: traps, rounding directions, flushing of subnormal numbers. */
#ifndef TESTS_SUPPORT_MODES_H
#define TESTS_SUPPORT_MODES_H
#include <stdbool.h>
#include <stdint.h>

/* The registers of modes and flags. */
struct modes {
    uint64_t words[4];
};
/* Return the registers. */
struct modes modes_now(void);
/* Restore the registers. */
void modes_restore(struct modes modes);

/* A mode of a caller. */
struct mode {
    const char *name;
    bool (*set)(void); /* set it on top of the usual modes, without flags; false: this machine lacks it */
};
extern const struct mode mode_table[];
extern const int mode_count;
#endif
