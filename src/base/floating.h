/*
 * The floating-point environment that everything here is computed in: round to nearest, exceptions masked, subnormal
 * numbers kept.  A caller may have another one (fesetround, feenableexcept, -ffast-math in its main program), which a
 * thread's processor keeps for all code; so each door into the library begins with FLOATING_DEFAULT, and the caller
 * gets back what it had: modes, and the flags of exceptions too, as lanes that pad a vector raise any of them.
 */
#ifndef BASE_FLOATING_H
#define BASE_FLOATING_H
#include <stdint.h>
#if !defined(__SSE2__) && !defined(__aarch64__)
#include <fenv.h> /* knows nothing of flushing to zero, but of all processors */
#endif

struct floating {
#if defined(__SSE2__)
    uint32_t sse;
    uint16_t control, status; /* of the x87, where long double is computed */
    struct {
        uint32_t words[7];
    } x87; /* where its control word was another one */
#elif defined(__aarch64__)
    uint64_t control, status;
#else
    fenv_t environment;
#endif
};

/* Takes some nanoseconds, and so may stand inside another one.  Functions of another unit, so that no computation is
   moved past them. */
void floating_enter(struct floating *before);
void floating_leave(const struct floating *before);

#define FLOATING_DEFAULT                                                                                     \
    struct floating floating_before __attribute__((cleanup(floating_leave_)));                               \
    floating_enter(&floating_before)
static inline void floating_leave_(struct floating *before) { floating_leave(before); }
#endif
