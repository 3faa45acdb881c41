/*
 * The floating-point environment of all computation: round to nearest, exceptions masked, subnormals kept.  The
 * caller may have set another one (fesetround, feenableexcept, -ffast-math in its main program).  So each public
 * function begins with FLOATING_DEFAULT, which restores the caller's modes and exception flags on return.  Flags
 * too, because padding lanes of vectors raise arbitrary ones.
 */
#ifndef BASE_FLOATING_H
#define BASE_FLOATING_H
#include <stdint.h>
#if !defined(__SSE2__) && !defined(__aarch64__)
#include <fenv.h> /* cannot control flushing to zero, but is portable */
#endif

struct floating {
#if defined(__SSE2__)
    uint32_t sse;
    uint16_t control, status; /* of the x87, which computes long double */
    struct {
        uint32_t words[7];
    } x87; /* saved environment, if its control word was not the usual one */
#elif defined(__aarch64__)
    uint64_t control, status;
#else
    fenv_t environment;
#endif
};

/* Save the floating-point environment in *before and set the default one.  Costs some nanoseconds, so calls
   may nest. A function of another unit, so that the compiler moves no computation past it. */
void floating_enter(struct floating *before);
/* Restore the environment that floating_enter saved. */
void floating_leave(const struct floating *before);

#define FLOATING_DEFAULT                                                                                     \
    struct floating floating_before __attribute__((cleanup(floating_leave_)));                               \
    floating_enter(&floating_before)
static inline void floating_leave_(struct floating *before) { floating_leave(before); }
#endif
