/* Floating-point modes of a caller: traps, rounding directions, flushing of subnormal numbers. */
#ifndef TESTS_SUPPORT_MODES_H
#define TESTS_SUPPORT_MODES_H
#include <stdbool.h>
#include <stdint.h>

/* Saved floating-point control and status registers. */
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
    /* sets the mode in addition to the usual ones, without flags; false: this machine lacks it */
    bool (*set)(void);
};
extern const struct mode mode_table[];
extern const int mode_count;
#endif
