/* Creation and random tensors.  Part of <tyto/tyto.h>, which says what holds everywhere. */
#ifndef TYTO_CREATE_H
#define TYTO_CREATE_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- creation ---- */

/* Shapes are `rank` sizes; TY_SHAPE(2, 3) writes both arguments: ty_ones(TY_F32, TY_SHAPE(2, 3)). */
#define TY_SHAPE(...)                                                                                  \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__}
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
/* A 0-d tensor of the dtype. */
TY_API ty_tensor *ty_scalar(ty_dtype dtype, double value);
/* Weak 0-d numbers: they take the dtype of what they meet, as Python's literals do. */
TY_API ty_tensor *ty_num(double value);
TY_API ty_tensor *ty_int(int64_t value);
TY_API ty_tensor *ty_complex(double real, double imaginary);

/* ---- random: counter-based (Philox 4x32-10), the same bits for any number of threads ---- */

/* A key is a u64[2] tensor: the seed and where in its sequence. */
TY_API ty_tensor *ty_key(uint64_t seed);
/* An independent key; `n` tells siblings apart. */
TY_API ty_tensor *ty_fold(ty_tensor *key, uint64_t n);
TY_API ty_tensor *ty_uniform(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key); /* [0, 1) */
TY_API ty_tensor *ty_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key);  /* mean 0, sd 1 */
TY_API ty_tensor *ty_bernoulli(int rank, const int64_t *shape, double p, ty_tensor *key);     /* bool */
/* n independent keys, the rows of u64[n,2]; each is a key after ty_reshape or ty_slice and ty_squeeze to u64[2]. */
TY_API ty_tensor *ty_split_key(ty_tensor *key, int64_t n);

/* Parameters below are real tensors that broadcast to the shape (ty_num(2) for one number); one outside the
   distribution's domain is an error that names it.  No gradient flows to parameters of the first five. */

/* low <= x < high, all equally likely; any integer dtype. */
TY_API ty_tensor *ty_randint(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *low, ty_tensor *high,
                             ty_tensor *key);
/* Density x^(a-1) exp(-x) / gamma(a), a >= 0; floating dtypes. */
TY_API ty_tensor *ty_random_gamma(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *a, ty_tensor *key);
/* Density x^(a-1) (1-x)^(b-1) / beta(a, b), a and b > 0; floating dtypes. */
TY_API ty_tensor *ty_random_beta(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *a, ty_tensor *b,
                                 ty_tensor *key);
/* Events of mean `rate` in 0..1e18; integer or floating dtypes. */
TY_API ty_tensor *ty_poisson(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *rate, ty_tensor *key);
/* Successes in n trials (whole, 0..2^53) of probability p; integer or floating dtypes. */
TY_API ty_tensor *ty_binomial(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *n, ty_tensor *p,
                              ty_tensor *key);
/* How n trials fall into the categories of p's last axis (they add up to 1, else are scaled): i64 of p's shape; n
   broadcasts to the axes before it. */
TY_API ty_tensor *ty_multinomial(ty_tensor *n, ty_tensor *p, ty_tensor *key);

/* Floating dtypes; scale times the standard distribution, plus loc. */
TY_API ty_tensor *ty_exponential(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *scale, ty_tensor *key);
TY_API ty_tensor *ty_laplace(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                             ty_tensor *key);
TY_API ty_tensor *ty_logistic(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                              ty_tensor *key);
TY_API ty_tensor *ty_gumbel(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                            ty_tensor *key);
TY_API ty_tensor *ty_cauchy(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                            ty_tensor *key);
/* Standard normal numbers between low and high; NaN where low is not below high. */
TY_API ty_tensor *ty_truncated_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *low,
                                      ty_tensor *high, ty_tensor *key);
/* Along `axis` one index for each row of logits, with probabilities softmax(logits): i64 without the axis. */
TY_API ty_tensor *ty_categorical(ty_tensor *logits, int axis, ty_tensor *key);
/* 0 with probability `rate`, else 1 / (1 - rate): what a tensor is multiplied by to drop elements. */
TY_API ty_tensor *ty_dropout_mask(ty_dtype dtype, int rank, const int64_t *shape, double rate, ty_tensor *key);

#ifdef __cplusplus
}
#endif
#endif
