/* Creation and random tensors.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_CREATE_H
#define TYTO_CREATE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- creation ---- */

/* Shapes are `rank` sizes; TY_SHAPE(2, 3) writes both arguments: ty_ones(TY_F32, TY_SHAPE(2, 3)). */
#define TY_SHAPE(...) TY_LIST(int64_t, __VA_ARGS__)
#define TY_SCALAR 0, NULL

/* Copies row-major elements from `data`. */
TY_API ty_tensor *ty_from(ty_dtype dtype, int rank, const int64_t *shape, const void *data);
/* Borrows row-major elements; `done(context, data)` (may be NULL) is called after the last use, also on
   failure of this call. */
TY_API ty_tensor *ty_borrow(ty_dtype dtype, int rank, const int64_t *shape, void *data,
                            void (*done)(void *context, void *data), void *context);
TY_API ty_tensor *ty_zeros(ty_dtype dtype, int rank, const int64_t *shape);
TY_API ty_tensor *ty_ones(ty_dtype dtype, int rank, const int64_t *shape);
TY_API ty_tensor *ty_full(ty_dtype dtype, int rank, const int64_t *shape, double value);
/* 0, 1, 2, ... along `axis`. */
TY_API ty_tensor *ty_iota(ty_dtype dtype, int rank, const int64_t *shape, int axis);
/* start, start + step, ... : n elements. */
TY_API ty_tensor *ty_arange(ty_dtype dtype, double start, double step, int64_t n);
/* n elements from first to last, both included. */
TY_API ty_tensor *ty_linspace(ty_dtype dtype, double first, double last, int64_t n);
TY_API ty_tensor *ty_eye(ty_dtype dtype, int64_t n);
/* Zeros: uninitialised memory is never handed out. */
TY_API ty_tensor *ty_empty(ty_dtype dtype, int rank, const int64_t *shape);
/* With x's shape and dtype; x may be a promise. */
TY_API ty_tensor *ty_zeros_like(ty_tensor *x);
TY_API ty_tensor *ty_ones_like(ty_tensor *x);
TY_API ty_tensor *ty_empty_like(ty_tensor *x);
TY_API ty_tensor *ty_full_like(ty_tensor *x, double value);
/* `value` broadcast to the shape, as a copy: for values that a double does not hold. */
TY_API ty_tensor *ty_full_of(ty_tensor *value, int rank, const int64_t *shape);
/* The same with x's shape and dtype; a plain number (ty_int, ty_num) that the dtype does not hold is an error. */
TY_API ty_tensor *ty_full_like_of(ty_tensor *x, ty_tensor *value);
/* f writes one element of the dtype for each index, row-major. */
TY_API ty_tensor *ty_from_function(ty_dtype dtype, int rank, const int64_t *shape,
                                   void (*f)(const int64_t *index, void *element, void *context),
                                   void *context);
/* Copies elements byte_strides[i] bytes apart along axis i; `data` points to the element of index 0. */
TY_API ty_tensor *ty_from_strided(ty_dtype dtype, int rank, const int64_t *shape, const int64_t *byte_strides,
                                  const void *data);
/* start, start + step, ... before stop, as Python's range with real numbers. */
TY_API ty_tensor *ty_range(ty_dtype dtype, double start, double stop, double step);
/* The same with numbers as tensors of one element (ty_int, ty_num; promises are evaluated), of which integers of 64
   bits stay exact where `dtype` is an integer one. */
TY_API ty_tensor *ty_range_of(ty_dtype dtype, ty_tensor *start, ty_tensor *stop, ty_tensor *step);
/* n elements from first in even steps, where the next one would be last (NumPy's endpoint=False). */
TY_API ty_tensor *ty_linspace_open(ty_dtype dtype, double first, double last, int64_t n);
/* base to the powers first .. last. */
TY_API ty_tensor *ty_logspace(ty_dtype dtype, double first, double last, int64_t n, double base);
/* n elements of constant ratio from first to last, both included, finite and of one sign. */
TY_API ty_tensor *ty_geomspace(ty_dtype dtype, double first, double last, int64_t n);
/* n vectors as n views of one shape, vector i along axis i; xy swaps the first two axes, as NumPy's default does.
   False, and poisoned results, when an operand is not a vector. */
TY_API bool ty_meshgrid(int n, ty_tensor *const *x, bool xy, ty_tensor **out);
/* 1 at place i of n, else 0. */
TY_API ty_tensor *ty_unit(ty_dtype dtype, int64_t n, int64_t i);
/* real + i * imaginary, bit by bit; c64 of parts up to f32, else c128. */
TY_API ty_tensor *ty_from_parts(ty_tensor *real, ty_tensor *imaginary);
TY_API ty_tensor *ty_polar(ty_tensor *modulus, ty_tensor *angle);

/* ---- matrices: in a stack of them the last two axes; diagonal k is column - row = k ---- */

TY_API ty_tensor *ty_eye_of(ty_dtype dtype, int64_t n, int64_t m, int64_t k); /* n rows, m columns */
TY_API ty_tensor *ty_tri(ty_dtype dtype, int64_t n, int64_t m, int64_t k);    /* 1 on diagonals up to k */
/* 0 above diagonal k; a vector is a matrix of equal rows */
TY_API ty_tensor *ty_tril(ty_tensor *x, int64_t k);
TY_API ty_tensor *ty_triu(ty_tensor *x, int64_t k); /* 0 below diagonal k */
/* A vector becomes a matrix with the vector on diagonal k; of a matrix the diagonal k, as a view. */
TY_API ty_tensor *ty_diag(ty_tensor *x, int64_t k);
TY_API ty_tensor *ty_diagflat(ty_tensor *x, int64_t k); /* ty_diag of all elements as a vector */
/* Row and column numbers (i64) of the elements on diagonals up to k, or from k on: into out[2]. */
TY_API bool ty_tril_indices(int64_t n, int64_t m, int64_t k, ty_tensor **out);
TY_API bool ty_triu_indices(int64_t n, int64_t m, int64_t k, ty_tensor **out);
/* Constant along diagonals: the first column and row (whose first element is not read). */
TY_API ty_tensor *ty_toeplitz(ty_tensor *column, ty_tensor *row);
/* Constant along antidiagonals: the first column and the last row (whose first element is not read). */
TY_API ty_tensor *ty_hankel(ty_tensor *column, ty_tensor *row);
TY_API ty_tensor *ty_circulant(ty_tensor *column); /* each column is the one before, turned down by one */
TY_API ty_tensor *ty_companion(ty_tensor *a);      /* of the polynomial a[0] x^n + ... + a[n] */
TY_API ty_tensor *ty_vander(ty_tensor *x, int64_t n,
                            bool increasing);             /* powers of x: n columns; of integers i64, u64 */
TY_API ty_tensor *ty_hilbert(ty_dtype dtype, int64_t n);  /* 1 / (i + j + 1) */
TY_API ty_tensor *ty_hadamard(ty_dtype dtype, int64_t n); /* n a power of two: Sylvester's construction */
/* 1 .. n*n, equal sums; MATLAB's for odd n and n % 4 = 0 */
TY_API ty_tensor *ty_magic(ty_dtype dtype, int64_t n);
TY_API ty_tensor *ty_pascal(ty_dtype dtype, int64_t n); /* symmetric: binomials of i + j over i */
TY_API ty_tensor *ty_rosser(ty_dtype dtype);            /* 8 by 8, the eigenvalue test */

/* A 0-d tensor of the dtype. */
TY_API ty_tensor *ty_scalar(ty_dtype dtype, double value);
/* Weak 0-d numbers: they take the dtype of what they meet, as Python's literals do.  An integer that this dtype does
   not hold is compared exactly, and is an error in arithmetic and where it is stored. */
TY_API ty_tensor *ty_num(double value);
TY_API ty_tensor *ty_int(int64_t value);
TY_API ty_tensor *ty_natural(uint64_t value); /* an integer up to 2^64 - 1 */
TY_API ty_tensor *ty_complex(double real, double imaginary);

/* ---- random: counter-based (Philox 4x32-10), the same bits for any number of threads ---- */

/* A key is a u64[2] tensor: the seed and where in its sequence. */
TY_API ty_tensor *ty_key(uint64_t seed);
/* An independent key derived from `key`; different n give independent keys. */
TY_API ty_tensor *ty_fold(ty_tensor *key, uint64_t n);
/* The same for a number that is a tensor, integer[] of 0..2^63-1: equal n give the key that ty_fold gives. */
TY_API ty_tensor *ty_fold_by(ty_tensor *key, ty_tensor *n);
TY_API ty_tensor *ty_uniform(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key); /* [0, 1) */
/* mean 0, sd 1 */
TY_API ty_tensor *ty_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key);
TY_API ty_tensor *ty_bernoulli(int rank, const int64_t *shape, double p, ty_tensor *key); /* bool */
/* n independent keys as the rows of u64[n,2]; a row squeezed to u64[2] is a key. */
TY_API ty_tensor *ty_split_key(ty_tensor *key, int64_t n);

/* Parameters below are real tensors that broadcast to the shape (ty_num(2) for one number).  A value outside of the
   distribution's domain is an error that names it; where a parameter is a promise, distributions with loc and scale
   give NaN there.  No gradient flows to the parameters of the
   first eight, but ty_draw (tyto/distributions.h) has them. */

/* low <= x < high, all equally likely; any integer dtype. */
TY_API ty_tensor *ty_randint(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *low, ty_tensor *high,
                             ty_tensor *key);
/* Density x^(a-1) exp(-x) / gamma(a), a >= 0; floating dtypes. */
TY_API ty_tensor *ty_random_gamma(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *a,
                                  ty_tensor *key);
/* Density x^(a-1) (1-x)^(b-1) / beta(a, b), a and b > 0; floating dtypes. */
TY_API ty_tensor *ty_random_beta(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *a, ty_tensor *b,
                                 ty_tensor *key);
/* Events of mean `rate` in 0..1e18; integer or floating dtypes. */
TY_API ty_tensor *ty_poisson(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *rate, ty_tensor *key);
/* Successes in n trials (whole, 0..2^53) of probability p; integer or floating dtypes. */
TY_API ty_tensor *ty_binomial(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *n, ty_tensor *p,
                              ty_tensor *key);
/* Good ones among `drawn` of good + bad, without putting back; all whole, up to 2^52; integer or floating dtypes. */
TY_API ty_tensor *ty_hypergeometric(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *good,
                                    ty_tensor *bad, ty_tensor *drawn, ty_tensor *key);
/* Angles of -pi..pi of density exp(concentration cos x) up to a factor, concentration >= 0; floating dtypes. */
TY_API ty_tensor *ty_von_mises(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *concentration,
                               ty_tensor *key);
/* How n trials fall into the categories of p's last axis (they add up to 1, else are scaled): i64 of p's
   shape; n broadcasts to the axes before it. */
TY_API ty_tensor *ty_multinomial(ty_tensor *n, ty_tensor *p, ty_tensor *key);

/* Floating dtypes; scale times the standard distribution, plus loc (NULL: once, and nothing). */
TY_API ty_tensor *ty_exponential(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *scale,
                                 ty_tensor *key);
TY_API ty_tensor *ty_laplace(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                             ty_tensor *key);
TY_API ty_tensor *ty_logistic(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc,
                              ty_tensor *scale, ty_tensor *key);
TY_API ty_tensor *ty_gumbel(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                            ty_tensor *key);
TY_API ty_tensor *ty_cauchy(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                            ty_tensor *key);
/* Standard normal numbers between low and high, which must be greater than low. */
TY_API ty_tensor *ty_truncated_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *low,
                                      ty_tensor *high, ty_tensor *key);
/* One index along `axis` for each line of logits, with probabilities softmax(logits): i64, without the axis. */
TY_API ty_tensor *ty_categorical(ty_tensor *logits, int axis, ty_tensor *key);
/* A mask to multiply by: 0 with probability `rate`, else 1 / (1 - rate). */
TY_API ty_tensor *ty_dropout_mask(ty_dtype dtype, int rank, const int64_t *shape, double rate,
                                  ty_tensor *key);

#ifdef __cplusplus
}
#endif
#endif
