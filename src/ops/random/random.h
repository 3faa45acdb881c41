/*
 * Results of RANDOM.  They are a function of (key, stream, element index) alone, so that ranges may start anywhere
 * and the bits are equal on all engines and for any number of threads.
 *
 * The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 * The kernel's input is a u64[2] tensor {k0, k1}; attr.stream is s.  With lo(v), hi(v) the halves of a 64-bit integer,
 * block b of four 32-bit words is:
 *
 *   (w0, w1, w2, w3) = philox4x32_10(counter = {lo(b), hi(b), lo(c), hi(c)}, key = {lo(k0), hi(k0)}),
 *   c = k1 + s * RANDOM_STREAM_STEP  (mod 2^64).
 *
 * A *narrow* dtype (at most 4 bytes) makes 4 elements of a block: element i uses word w[i % 4] of block i / 4.  A
 * *wide* one (8 bytes) makes 2: element i uses the 64-bit integer x[i % 2] of block i / 2, where x[0] = w0 + 2^32 w1
 * and x[1] = w2 + 2^32 w3.  i is the row-major index in the output.
 *
 *   BITS     narrow: the low bits of the word, as many as the dtype has (bool: one); wide: x.
 *   UNIFORM  the top p bits of the word or of x, as an integer in [0, 2^p), times 2^-p, exactly:
 *            p = 24 f32, 53 f64, 11 f16, 8 bf16; each result is exact in its dtype and never 1.
 *   NORMAL   Box and Muller (Annals of Mathematical Statistics 29, 1958): elements 2j and 2j+1 are
 *            r cos(a) and r sin(a), r = sqrt(-2 log u), of the two words (p, q) of these elements:
 *              narrow: u = max(f32(p), 1/2) * 2^-32, f32() rounding to nearest even; a = 2 pi q * 2^-32;
 *              wide:   u = (p / 2^11 + 1) * 2^-53,  a = 2 pi (q / 2^11) * 2^-53, divisions rounding down.
 *            The functions of u and a are the engine's, accurate to a few units in the last place of r.
 *            f16 and bf16 compute as f32 and round once.
 */
#ifndef OPS_RANDOM_RANDOM_H
#define OPS_RANDOM_RANDOM_H
#include "ops/random/random_bits.h"

/* Random bits of a uniform number. */
enum { RANDOM_BITS_F16 = 11, RANDOM_BITS_BF16 = 8, RANDOM_BITS_F32 = 24, RANDOM_BITS_F64 = 53 };
#endif
