/* Registers are read and written directly: <fenv.h> does not cover flushing of subnormal numbers to zero. */
#define _GNU_SOURCE
#include "tests/support/modes.h"

#include <fenv.h>

#if defined(__SSE2__)
struct modes modes_now(void) {
    uint32_t sse;
    uint16_t control, status;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
                     : "=m"(sse), "=m"(control), "=m"(status)::"memory");
    return (struct modes){{sse, control, status & FE_ALL_EXCEPT}};
}
void modes_restore(struct modes modes) {
    uint32_t sse = (uint32_t)modes.words[0];
    uint16_t control = (uint16_t)modes.words[1];
    __asm__ volatile("fnclex\n\tldmxcsr %0\n\tfldcw %1" ::"m"(sse), "m"(control) : "memory");
}
static bool flush(void) {
    struct modes modes = modes_now();
    modes.words[0] |= 0x8040; /* FTZ, DAZ */
    modes_restore(modes);
    return true;
}
#elif defined(__aarch64__)
struct modes modes_now(void) {
    struct modes modes = {{0}};
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(modes.words[0]), "=r"(modes.words[1])::"memory");
    return modes;
}
void modes_restore(struct modes modes) {
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(modes.words[0]), "r"(modes.words[1]) : "memory");
}
static bool flush(void) {
    struct modes modes = modes_now();
    modes.words[0] |= 1 << 24; /* FZ */
    modes_restore(modes);
    return true;
}
#else
struct modes modes_now(void) {
    return (struct modes){{(uint64_t)fegetround(), (uint64_t)fetestexcept(FE_ALL_EXCEPT)}};
}
void modes_restore(struct modes modes) {
    feclearexcept(FE_ALL_EXCEPT);
    fesetround((int)modes.words[0]);
}
static bool flush(void) { return false; }
#endif

static bool usual(void) { return true; }
#if defined(FE_UNDERFLOW) && defined(FE_DIVBYZERO)
static bool flagged(void) { return !feraiseexcept(FE_UNDERFLOW | FE_DIVBYZERO); }
#else /* WebAssembly has no flags */
static bool flagged(void) { return false; }
#endif
#ifdef __GLIBC__
static bool trapping(void) {
    return feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW) >= 0;
}
static bool all_trapping(void) { return feenableexcept(FE_ALL_EXCEPT) >= 0; }
#else
static bool trapping(void) { return false; }
static bool all_trapping(void) { return false; }
#endif
/* fesetround of WebAssembly, which rounds to nearest alone, accepts every mode and changes nothing. */
static bool rounds(int mode) { return !fesetround(mode) && fegetround() == mode; }
static bool upward(void) { return rounds(FE_UPWARD); }
static bool downward(void) { return rounds(FE_DOWNWARD); }
static bool towards_zero(void) { return rounds(FE_TOWARDZERO); }

const struct mode mode_table[] = {
    {"no flag up", usual},
    {"flags up", flagged},
    {"traps", trapping},
    {"traps of inexact results too", all_trapping},
    {"rounding upward", upward},
    {"rounding downward", downward},
    {"rounding towards zero", towards_zero},
    {"subnormal numbers flushed", flush},
};
const int mode_count = (int)(sizeof mode_table / sizeof *mode_table);
