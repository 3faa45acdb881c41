/* What all units take for granted about arithmetic; a compiler that is told otherwise is refused. */
#ifndef BASE_ARITHMETIC_H
#define BASE_ARITHMETIC_H

/* float rounds to float, double to double, after each operation. */
#if (__FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16) || (defined(__i386__) && !defined(__SSE2_MATH__))
#error                                                                                                       \
    "floating-point arithmetic that rounds more than once, as x87's does: on 32-bit x86 give -msse2 -mfpmath=sse"
#endif
#endif
