/* Creation of tensors, special matrices and random tensors.  Part of <tyto/tyto.h>, which states the rules that
   hold for all functions.  An invalid dtype, rank, shape or size gives poison.  The result has the dtype and
   the shape that are given; a function of x without them keeps the dtype of x. */
#ifndef TYTO_CREATE_H
#define TYTO_CREATE_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- creation ---- */

/* Writes the two arguments rank and shape: ty_ones(TY_F32, TY_SHAPE(2, 3)).  TY_SCALAR stands for rank 0. */
#define TY_SHAPE(...) TY_LIST(int64_t, __VA_ARGS__)
#define TY_SCALAR 0, NULL

/* Return a new tensor of the given dtype and shape (`rank` sizes) with a copy of the row-major elements at
   `data`.  Bytes of a bool that are not 0 count as true.  Poison for an invalid shape, and for NULL data unless
   there are no elements. */
TY_API ty_tensor *ty_from(ty_dtype dtype, int rank, const int64_t *shape, const void *data);
/* Return a tensor over the caller's row-major elements at `data`, without a copy: they must live until the last
   use.  Poison for an invalid shape and for NULL data unless there are no elements.  `done(context, data)`, which
   may be NULL, is called once after the last use, also if this call fails (then the result is poison). */
TY_API ty_tensor *ty_borrow(ty_dtype dtype, int rank, const int64_t *shape, void *data,
                            void (*done)(void *context, void *data), void *context);
/* Return a tensor of zeros of the given dtype and shape (`rank` sizes).  Any dtype; poison if a size is
   negative or they do not fit in memory. */
TY_API ty_tensor *ty_zeros(ty_dtype dtype, int rank, const int64_t *shape);
/* Return a tensor of ones of the given dtype and shape (`rank` sizes).  Any dtype; poison if a size is negative
   or they do not fit in memory. */
TY_API ty_tensor *ty_ones(ty_dtype dtype, int rank, const int64_t *shape);
/* Return a tensor of the given dtype and shape with all elements equal to `value`, converted to the dtype; integer
   dtypes drop the fraction.  Poison for an invalid dtype or shape, or a value outside the range of an integer
   dtype. */
TY_API ty_tensor *ty_full(ty_dtype dtype, int rank, const int64_t *shape, double value);
/* Return a tensor of the given dtype and shape whose elements are their indices along `axis`, counted from 0.  A
   negative axis counts from the end.  Poison if the axis is outside the rank, for bool, or for an invalid dtype or
   shape. */
TY_API ty_tensor *ty_iota(ty_dtype dtype, int rank, const int64_t *shape, int axis);
/* Return the vector start, start + step, start + 2 step, ... up to but excluding `stop`, as Python's range but for
   real numbers: ceil((stop - start) / step) elements, none if that is negative.  Elements are computed in f64 and
   converted to the dtype; integer dtypes drop the fraction, and whole numbers are exact.  Poison if step is 0 or an
   argument is not finite. */
TY_API ty_tensor *ty_arange(ty_dtype dtype, double start, double stop, double step);
/* Return a vector of n elements: start + i step for i from 0 to n - 1, converted to the dtype; integer dtypes drop
   the fraction.  Poison if n is negative. */
TY_API ty_tensor *ty_steps(ty_dtype dtype, double start, double step, int64_t n);
/* Return a vector of n evenly spaced elements from `first` to `last`, both included; n = 1 gives `first` alone.
   Integer dtypes round down.  Poison if n is negative. */
TY_API ty_tensor *ty_linspace(ty_dtype dtype, double first, double last, int64_t n);
/* Return the identity matrix [n, n].  Poison if n is negative. */
TY_API ty_tensor *ty_eye(ty_dtype dtype, int64_t n);
/* Return a tensor of zeros, exactly as ty_zeros: the library never returns uninitialised memory.  Poison for an
   invalid dtype or shape. */
TY_API ty_tensor *ty_empty(ty_dtype dtype, int rank, const int64_t *shape);
/* Return zeros of the dtype and shape of x, which may be a promise.  Poison if x is poisoned. */
TY_API ty_tensor *ty_zeros_like(ty_tensor *x);
/* Return ones of the dtype and shape of x, which may be a promise.  Poison if x is poisoned. */
TY_API ty_tensor *ty_ones_like(ty_tensor *x);
/* Return zeros of the dtype and shape of x, as ty_zeros_like.  Poison if x is poisoned. */
TY_API ty_tensor *ty_empty_like(ty_tensor *x);
/* Return a tensor of the dtype and shape of x with all elements equal to `value`, converted to that dtype; integer
   dtypes drop the fraction.  Poison if x is poisoned, or if the value is outside the range of an integer dtype. */
TY_API ty_tensor *ty_full_like(ty_tensor *x, double value);
/* Return a copy of `value`, a tensor, broadcast to the shape, in the dtype of `value`; for values that a double
   does not hold.  Poison if `value` does not broadcast to the shape. */
TY_API ty_tensor *ty_full_of(ty_tensor *value, int rank, const int64_t *shape);
/* Return a copy of `value`, a tensor, broadcast to the shape of x and cast to the dtype of x.  Poison if it
   does not broadcast, or if `value` is a plain number (ty_int, ty_num) that the dtype does not hold. */
TY_API ty_tensor *ty_full_like_of(ty_tensor *x, ty_tensor *value);
/* Return a tensor whose elements f writes one by one, in row-major order, before this function returns: f(index,
   element, context).  `index` has `rank` entries, counted from 0; `element` is the address of an element of the
   dtype.  Poison if f is NULL or the shape is invalid. */
TY_API ty_tensor *ty_from_function(ty_dtype dtype, int rank, const int64_t *shape,
                                   void (*f)(const int64_t *index, void *element, void *context),
                                   void *context);
/* Return a copy of elements that are byte_strides[i] bytes apart along axis i; `data` is the address of the
   element at index 0.  Strides may be 0 or negative, and need not be multiples of the element's size.  Poison
   for an invalid shape, and for NULL data unless there are no elements. */
TY_API ty_tensor *ty_from_strided(ty_dtype dtype, int rank, const int64_t *shape, const int64_t *byte_strides,
                                  const void *data);
/* Return the vector from `start` in steps of `step` up to but excluding `stop`, given as real tensors of one
   element (ty_int, ty_num); promises are evaluated.  If `dtype` and all three are integers, 64-bit values are
   exact.  Poison if step is 0.  Empty if the step leads away from `stop`. */
TY_API ty_tensor *ty_arange_of(ty_dtype dtype, ty_tensor *start, ty_tensor *stop, ty_tensor *step);
/* Return a vector of n evenly spaced elements from `first` up to but excluding `last`: NumPy's linspace with
   endpoint=False.  Integer dtypes round down.  Poison if n is negative. */
TY_API ty_tensor *ty_linspace_open(ty_dtype dtype, double first, double last, int64_t n);
/* Return the vector [n] of powers base^e for evenly spaced exponents e from `first` to `last`, both included; n = 1
   gives base^first.  Integer dtypes drop the fraction.  Poison if n is negative. */
TY_API ty_tensor *ty_logspace(ty_dtype dtype, double first, double last, int64_t n, double base);
/* Return a vector of n elements of constant ratio from `first` to `last`, both included; n = 1 gives `first`.
   Integer dtypes drop the fraction.  Poison unless both are finite, not 0 and of one sign, and n is not negative. */
TY_API ty_tensor *ty_geomspace(ty_dtype dtype, double first, double last, int64_t n);
/* Broadcast n vectors to one shape of n axes and write the n views to out[].  x[i] varies along axis i, which has
   its size; `xy` swaps the first two axes, as NumPy's default does.  0-d operands count as one element.  False,
   with all of out[] poisoned, if an operand has more than one axis or is poisoned, or if n is above 64. */
TY_API bool ty_meshgrid(int n, ty_tensor *const *x, bool xy, ty_tensor **out);
/* Return a vector of n zeros with a 1 at index i, counted from 0; a negative i counts from the end.  Poison if
   i is outside or n is negative. */
TY_API ty_tensor *ty_unit(ty_dtype dtype, int64_t n, int64_t i);
/* Return the complex tensor real + i imaginary, whose parts are copied bit by bit (NaN and signed zeros stay)
   and broadcast.  c64 for parts up to f32, else c128; poison if a part is complex or they do not broadcast. */
TY_API ty_tensor *ty_from_parts(ty_tensor *real, ty_tensor *imaginary);
/* Return the complex tensor modulus exp(i angle); operands broadcast.  c64 for operands up to f32, else c128;
   poison if an operand is complex or they do not broadcast. */
TY_API ty_tensor *ty_polar(ty_tensor *modulus, ty_tensor *angle);

/* ---- matrices: the last two axes of a batch; diagonal k has the elements with column - row = k ---- */

/* Return the matrix [n, m] with ones on diagonal k, where column - row = k, and zeros elsewhere.  k may lie
   outside the matrix.  Poison if n or m is negative. */
TY_API ty_tensor *ty_eye_of(ty_dtype dtype, int64_t n, int64_t m, int64_t k);
/* Return the matrix [n, m] with ones on and below diagonal k, where column - row <= k, and zeros above.  k may
   lie outside the matrix.  Poison if n or m is negative. */
TY_API ty_tensor *ty_tri(ty_dtype dtype, int64_t n, int64_t m, int64_t k);
/* Return a copy of x [.., n, m] with zeros above diagonal k (column - row > k) of each matrix.  A vector [n] gives
   the matrix [n, n] of equal rows, with these zeros.  Poison if x is 0-d. */
TY_API ty_tensor *ty_tril(ty_tensor *x, int64_t k);
/* Return a copy of x [.., n, m] with zeros below diagonal k (column - row < k) of each matrix.  A vector [n] gives
   the matrix [n, n] of equal rows, with these zeros.  Poison if x is 0-d. */
TY_API ty_tensor *ty_triu(ty_tensor *x, int64_t k);
/* Return, for a vector [n], the matrix [n + |k|, n + |k|] of zeros with x on diagonal k (column - row = k).  For x
   [.., n, m] return its diagonal k as a view [.., size], empty if k is outside.  Poison if x is 0-d. */
TY_API ty_tensor *ty_diag(ty_tensor *x, int64_t k);
/* Return the square matrix, of x's dtype, of zeros with all elements of x, row-major, on diagonal k (column - row =
   k).  Its size is the number of elements plus |k|.  Poison if x is poisoned. */
TY_API ty_tensor *ty_diagflat(ty_tensor *x, int64_t k);
/* Compute the indices of the elements on and below diagonal k (column - row <= k) of an n by m matrix: out[0]
   the rows and out[1] the columns, i64 vectors counted from 0.  k may lie outside.  False, with both poisoned,
   if n or m is negative. */
TY_API bool ty_tril_indices(int64_t n, int64_t m, int64_t k, ty_tensor **out);
/* Compute the indices of the elements on and above diagonal k (column - row >= k) of an n by m matrix: out[0]
   the rows and out[1] the columns, i64 vectors counted from 0.  k may lie outside.  False, with both poisoned,
   if n or m is negative. */
TY_API bool ty_triu_indices(int64_t n, int64_t m, int64_t k, ty_tensor **out);
/* Return the Toeplitz matrix [n, m], with constant diagonals, of its first column [n] and its first row [m], whose
   first element is not read.  dtypes are promoted.  Poison unless both are vectors of at least one element. */
TY_API ty_tensor *ty_toeplitz(ty_tensor *column, ty_tensor *row);
/* Return the Hankel matrix [n, m], with constant antidiagonals, of its first column [n] and its last row [m], whose
   first element is not read.  dtypes are promoted.  Poison unless both are vectors of at least one element. */
TY_API ty_tensor *ty_hankel(ty_tensor *column, ty_tensor *row);
/* Return the circulant matrix [n, n] with this first column [n]; each further column is the one before, rotated
   down by one; the dtype stays.  Poison unless it is a vector of at least one element. */
TY_API ty_tensor *ty_circulant(ty_tensor *column);
/* Return the companion matrix [n, n], floating for integers, of a polynomial with n + 1 coefficients a, the highest
   power first: its eigenvalues are the roots.  Poison if a is no vector or has fewer than 2 elements. */
TY_API ty_tensor *ty_companion(ty_tensor *a);
/* Return the Vandermonde matrix [size of x, n] of the powers of a vector x: n-1 down to 0, or with `increasing` 0
   up to n-1.  The dtype is that of sums: i64 or u64 for integers.  Poison if x is no vector or n is negative. */
TY_API ty_tensor *ty_vander(ty_tensor *x, int64_t n, bool increasing);
/* Return the Hilbert matrix [n, n], whose element at (i, j), counted from 0, is 1 / (i + j + 1).  Converted to the
   dtype; integer dtypes drop the fraction.  Poison if n is negative. */
TY_API ty_tensor *ty_hilbert(ty_dtype dtype, int64_t n);
/* Return the Hadamard matrix [n, n] of 1 and -1 by Sylvester's construction, converted to the dtype.  Poison
   unless n is a power of two. */
TY_API ty_tensor *ty_hadamard(ty_dtype dtype, int64_t n);
/* Return a magic square [n, n] of the numbers 1 to n*n, converted to the dtype, of equal sums along rows, columns
   and diagonals; MATLAB's for odd n and for multiples of 4.  Poison if n is 2 or below 1. */
TY_API ty_tensor *ty_magic(ty_dtype dtype, int64_t n);
/* Return the symmetric Pascal matrix [n, n] of binomial coefficients "i + j over i", i and j from 0, converted
   to the dtype (integers saturate).  Poison if n is negative. */
TY_API ty_tensor *ty_pascal(ty_dtype dtype, int64_t n);
/* Return Rosser's matrix [8, 8], a test of eigenvalue algorithms.  Poison if the dtype is invalid. */
TY_API ty_tensor *ty_rosser(ty_dtype dtype);

/* Return a 0-d tensor of the dtype with the value, converted; integer dtypes drop the fraction.  Unlike ty_num, its
   dtype takes part in promotion.  Poison if the dtype is invalid, or the value outside the range of an integer
   dtype. */
TY_API ty_tensor *ty_scalar(ty_dtype dtype, double value);
/* Return a weak 0-d real number: as a Python literal, it adopts the dtype of the other operand, or a floating
   one next to integers. */
TY_API ty_tensor *ty_num(double value);
/* Return a weak 0-d integer: as a Python literal, it adopts the dtype of the other operand.  If that dtype does not
   hold it, comparisons are exact; arithmetic and storing give poison. */
TY_API ty_tensor *ty_int(int64_t value);
/* Return a weak 0-d integer up to 2^64 - 1, which adopts the dtype of the other operand as ty_int does.  Where
   that dtype does not hold it, arithmetic and storing give poison. */
TY_API ty_tensor *ty_natural(uint64_t value);
/* Return a weak 0-d complex number, which adopts the precision of the other operand.  Poison only if memory
   runs out. */
TY_API ty_tensor *ty_complex(double real, double imaginary);

/* ---- random: counter-based (Philox 4x32-10), the same bits for any number of threads ---- */

/* Return the key of a seed: a u64[2] tensor, from which all functions that draw random numbers derive theirs.
   Equal keys give equal numbers.  Any seed is allowed; poison only if memory runs out. */
TY_API ty_tensor *ty_key(uint64_t seed);
/* Return an independent key derived from `key`; different n give independent keys.  Poison if n is 2^64 - 2 or
   more, or `key` is no u64[2]. */
TY_API ty_tensor *ty_fold(ty_tensor *key, uint64_t n);
/* Return the key that ty_fold(key, n) gives, for n as a 0-d integer tensor of 0..2^63-1.  Poison for another
   dtype or shape of n, or a negative n. */
TY_API ty_tensor *ty_fold_by(ty_tensor *key, ty_tensor *n);
/* Draw a tensor of the shape, uniformly distributed in [0, 1).  `key` is one of ty_key, the dtype f16, bf16,
   f32 or f64; poison for others. */
TY_API ty_tensor *ty_uniform(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key);
/* Draw a tensor of the shape, normally distributed with mean 0 and standard deviation 1.  `key` is one of
   ty_key, the dtype f16, bf16, f32 or f64; poison for others. */
TY_API ty_tensor *ty_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *key);
/* Draw a bool tensor of the shape whose elements are true with probability p; `key` is one of ty_key, u64[2].
   Poison unless 0 <= p <= 1 and the key fits. */
TY_API ty_tensor *ty_bernoulli(int rank, const int64_t *shape, double p, ty_tensor *key);
/* Return n keys, independent of `key` and each other, as the rows of u64[n, 2]; a row squeezed to u64[2] is a key.
   Poison if n is negative or `key` is no key. */
TY_API ty_tensor *ty_split_key(ty_tensor *key, int64_t n);

/* Parameters below are real tensors that broadcast to the shape (ty_num(2) for one number).  A value outside the
   distribution's domain gives poison that names the value.  If a parameter is a promise, distributions with loc and
   scale give NaN there instead.  The first eight have no gradient by their parameters; ty_draw
   (tyto/distributions.h) has. */

/* Draw uniformly distributed integers in [low, high), of any integer dtype.  `low` and `high` broadcast to the
   shape.  Poison if low >= high anywhere, or if the dtype does not hold all results.  `key` is one of ty_key. */
TY_API ty_tensor *ty_randint(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *low, ty_tensor *high,
                             ty_tensor *key);
/* Draw from the gamma distribution of shape a and scale 1; floating dtypes.  `a` broadcasts to the shape; a
   value that is negative or not finite gives poison.  `key` is one of ty_key. */
TY_API ty_tensor *ty_random_gamma(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *a,
                                  ty_tensor *key);
/* Draw from the beta distribution, whose density is x^(a-1) (1-x)^(b-1) / beta(a, b); floating dtypes.  a and b
   broadcast to the shape; values that are not positive and finite give poison.  `key` is one of ty_key. */
TY_API ty_tensor *ty_random_beta(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *a, ty_tensor *b,
                                 ty_tensor *key);
/* Draw Poisson-distributed counts of mean `rate`, which broadcasts to the shape; integer or floating dtypes.  A
   rate outside 0..1e18 gives poison.  `key` is one of ty_key. */
TY_API ty_tensor *ty_poisson(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *rate, ty_tensor *key);
/* Draw the number of successes in n trials of probability p; integer or floating dtypes.  n and p broadcast to
   the shape; n is rounded down.  Poison unless n is in 0..2^53 and p in 0..1.  `key` is one of ty_key. */
TY_API ty_tensor *ty_binomial(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *n, ty_tensor *p,
                              ty_tensor *key);
/* Draw the number of good items among `drawn` out of good + bad, without replacement; integer or floating
   dtypes.  All three broadcast to the shape and are rounded down.  Poison unless they are in 0..2^52, with
   `drawn` at most good + bad.  `key` is one of ty_key. */
TY_API ty_tensor *ty_hypergeometric(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *good,
                                    ty_tensor *bad, ty_tensor *drawn, ty_tensor *key);
/* Draw angles in -pi..pi with a density proportional to exp(concentration cos x); floating dtypes.
   `concentration` broadcasts to the shape; a value that is negative or not finite gives poison.  `key` is one
   of ty_key. */
TY_API ty_tensor *ty_von_mises(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *concentration,
                               ty_tensor *key);
/* Draw the number of n trials that fall into each category, with the probabilities along the last axis of p:
   i64 counts of p's shape.  Probabilities are scaled to sum 1; n, a whole number of 0 or more, broadcasts to
   p's other axes; `key` is one of ty_key.  A negative or infinite probability, or a sum of 0, gives poison. */
TY_API ty_tensor *ty_multinomial(ty_tensor *n, ty_tensor *p, ty_tensor *key);

/* Draw from the exponential distribution of mean `scale` (NULL: 1), 0 or more, which broadcasts to the shape;
   floating dtypes.  `key` is one of ty_key.  Poison for a negative scale, NaN there if it is a promise. */
TY_API ty_tensor *ty_exponential(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *scale,
                                 ty_tensor *key);
/* Draw from the Laplace distribution of density exp(-|x - loc| / scale) / (2 scale); floating dtypes.  loc (NULL:
   0) and scale (NULL: 1; 0 or more) broadcast to the shape.  `key` is one of ty_key.  Poison for a negative scale,
   NaN there if it is a promise. */
TY_API ty_tensor *ty_laplace(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                             ty_tensor *key);
/* Draw from the logistic distribution, whose cdf is 1 / (1 + exp(-(x - loc) / scale)); floating dtypes.  loc (NULL:
   0) and scale (NULL: 1; 0 or more) broadcast to the shape.  `key` is one of ty_key.  Poison for a negative scale,
   NaN there if it is a promise. */
TY_API ty_tensor *ty_logistic(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc,
                              ty_tensor *scale, ty_tensor *key);
/* Draw from the Gumbel distribution, whose cdf is exp(-exp(-(x - loc) / scale)); floating dtypes.  loc (NULL: 0)
   and scale (NULL: 1; 0 or more) broadcast to the shape.  `key` is one of ty_key.  Poison for a negative scale, NaN
   there if it is a promise. */
TY_API ty_tensor *ty_gumbel(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                            ty_tensor *key);
/* Draw from the Cauchy distribution of median `loc` (NULL: 0) and half width `scale` (NULL: 1), which broadcast
   to the shape.  `key` is one of ty_key, the dtype floating.  Poison if a scale is negative. */
TY_API ty_tensor *ty_cauchy(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *loc, ty_tensor *scale,
                            ty_tensor *key);
/* Draw from the standard normal distribution restricted to low..high, which broadcast to the shape; floating
   dtypes.  Poison unless low < high.  `key` is one of ty_key. */
TY_API ty_tensor *ty_truncated_normal(ty_dtype dtype, int rank, const int64_t *shape, ty_tensor *low,
                                      ty_tensor *high, ty_tensor *key);
/* Draw an index, counted from 0, along `axis` for each line of real logits, with probabilities softmax(logits):
   i64, of the shape without the axis.  A negative axis counts from the end.  Minus infinity excludes an index; NaN
   gives poison.  `key` is one of ty_key. */
TY_API ty_tensor *ty_categorical(ty_tensor *logits, int axis, ty_tensor *key);
/* Return a mask of the shape to multiply by: each element is 0 with probability `rate`, else 1 / (1 - rate);
   floating or complex dtypes.  Poison unless 0 <= rate < 1.  `key` is one of ty_key. */
TY_API ty_tensor *ty_dropout_mask(ty_dtype dtype, int rank, const int64_t *shape, double rate,
                                  ty_tensor *key);

#ifdef __cplusplus
}
#endif

#ifdef TY_TYPED
#define ty_from(dtype, ...) TY_TYPED_CALL_(TY_TYPED_FROM_(dtype, __VA_ARGS__))
#define ty_from_strided(dtype, ...) TY_TYPED_CALL_(TY_TYPED_FROM_STRIDED_(dtype, __VA_ARGS__))
/* In C, write the shape by TY_SHAPE, as an array or in parentheses: a bare (int64_t[]){2, 3} is two arguments. */
#define ty_borrow(dtype, ...) TY_TYPED_CALL_(TY_TYPED_BORROW_(dtype, __VA_ARGS__))
#endif
#endif
