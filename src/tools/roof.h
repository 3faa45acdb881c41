/* What this machine can do at most, measured: what a contraction's time is held against. */
#ifndef TOOLS_ROOF_H
#define TOOLS_ROOF_H
#include <tyto/core.h>

/* Floating operations a second of fused multiply-adds in registers, with `threads`; 0 for a dtype that is
   neither f32, f64 nor complex of them. */
double roof_flops(ty_dtype dtype, int threads);
/* Bytes a second of a = b + c over memory far larger than the caches, stores past them; 0: no memory. */
double roof_stream(int threads);
#endif
