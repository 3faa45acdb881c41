/* Compile-time check of the arithmetic that all units assume. */
#ifndef BASE_ARITHMETIC_H
#define BASE_ARITHMETIC_H

/* float operations must round to float and double operations to double, each time. */
#if (__FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16) || (defined(__i386__) && !defined(__SSE2_MATH__))
#error "floating-point arithmetic rounds twice, as x87's does: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif
#endif
