/* Measured peaks of this machine, to which kernels are compared. */
#ifndef TOOLS_ROOF_H
#define TOOLS_ROOF_H
#include <tyto/core.h>

/* Measure fused multiply-adds in registers with `threads` threads, in floating operations per second; 0 for
   dtypes other than f32, f64 and complex ones of them. */
double roof_flops(ty_dtype dtype, int threads);
/* Return one sample of that rate, some tenths of a millisecond, to be taken between the rounds of a measurement: the
   clock of the processor changes. */
double roof_flops_sample(ty_dtype dtype, int threads);
/* Measure a = b + c in memory far larger than the caches, by `threads` threads with non-temporal stores, in
   bytes per second; 0 without memory. */
double roof_stream(int threads);
/* Return one sample of the rate, in bytes per second, at which `threads` threads read and write so many bytes, which lie
   in the caches if they fit: a written line is the sum of several lines, or a line that is read is written several times.
   0 without memory. */
double roof_memory_sample(double read, double written, int threads);
#endif
