/* Control registers of the floating-point units.  Writing them takes longer than reading, so they are written
   only if they differ. */
#include "base/machine/floating.h"

#if defined(__SSE2__)
enum { SSE_FLAGS = 0x3f, SSE_USUAL = 0x1f80, X87_FLAGS = 0x3f, X87_USUAL = 0x37f };

static uint32_t sse_now(void) {
    uint32_t word;
    __asm__ volatile("stmxcsr %0" : "=m"(word)::"memory");
    return word;
}
static void sse_set(uint32_t word) { __asm__ volatile("ldmxcsr %0" ::"m"(word) : "memory"); }

static uint16_t control_now(void) {
    uint16_t word;
    __asm__ volatile("fnstcw %0" : "=m"(word)::"memory");
    return word;
}
static uint16_t status_now(void) {
    uint16_t word;
    __asm__ volatile("fnstsw %0" : "=a"(word)::"memory");
    return word;
}

/* Save the x87 environment in *before and set the usual control word.  fnstenv masks all exceptions, so that one
   that the caller left pending is not raised here. */
static __attribute__((noinline)) void control_set(struct floating *before) {
    uint16_t usual = X87_USUAL;
    __asm__ volatile("fnstenv %0\n\tfnclex\n\tfldcw %1" : "=m"(before->x87) : "m"(usual) : "memory");
}
static __attribute__((noinline)) void x87_restore(const struct floating *before) {
    struct floating now;
    if (before->control != X87_USUAL) {
        __asm__ volatile("fldenv %0" ::"m"(before->x87) : "memory");
        return;
    }
    __asm__ volatile("fnstenv %0" : "=m"(now.x87)::"memory");
    now.x87.words[1] = (now.x87.words[1] & ~(uint32_t)X87_FLAGS) | (before->status & X87_FLAGS);
    __asm__ volatile("fldenv %0" ::"m"(now.x87) : "memory");
}

void floating_enter(struct floating *before) {
    before->sse = sse_now();
    before->control = control_now();
    before->status = status_now();
    if ((before->sse & ~(uint32_t)SSE_FLAGS) != SSE_USUAL) sse_set(SSE_USUAL);
    if (before->control != X87_USUAL) control_set(before);
}
void floating_leave(const struct floating *before) {
    if (sse_now() != before->sse) sse_set(before->sse);
    if (before->control != X87_USUAL || ((status_now() ^ before->status) & X87_FLAGS)) x87_restore(before);
}

#elif defined(__aarch64__)
void floating_enter(struct floating *before) {
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(before->control), "=r"(before->status)::"memory");
    if (before->control) __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(0)) : "memory");
}
void floating_leave(const struct floating *before) {
    uint64_t status;
    __asm__ volatile("mrs %0, fpsr" : "=r"(status)::"memory");
    if (status != before->status) __asm__ volatile("msr fpsr, %0" ::"r"(before->status) : "memory");
    if (before->control) __asm__ volatile("msr fpcr, %0" ::"r"(before->control) : "memory");
}

#else
void floating_enter(struct floating *before) {
    feholdexcept(&before->environment);
    fesetround(FE_TONEAREST);
}
void floating_leave(const struct floating *before) { fesetenv(&before->environment); }
#endif
