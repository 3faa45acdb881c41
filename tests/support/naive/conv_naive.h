/* Convolutions as the loops that define them, for tests. */
#ifndef TESTS_SUPPORT_CONV_NAIVE_H
#define TESTS_SUPPORT_CONV_NAIVE_H
#include <tyto/tyto.h>

/* A convolution over n spatial axes; w is in the form of the public functions. */
struct conv_case {
    int n;
    bool transposed;
    ty_conv options; /* explicit padding: `same` is ignored */
    ty_tensor *x, *w;
};

/* Compute the case by the public function. */
ty_tensor *conv_compute(const void *conv_case);
/* Compute the case by loops over complex doubles, cast to x's dtype; integers wrap. */
ty_tensor *conv_naive(const struct conv_case *c);
/* Return a random case with sizes of a few elements, of reals or integers in [low, high); `most` limits
   the channels of a group. */
struct conv_case conv_random(ty_dtype dtype, int most, double low, double high);
/* Return the greatest number of products summed for an element of the result. */
int64_t conv_terms(const struct conv_case *c);
/* Return the allowed relative error of sums of that many terms. */
double conv_bound(ty_dtype dtype, int64_t terms);
/* Return the number of rounds of a test: n, a twentieth with TY_TEST_QUICK=1, a hundredth with failing allocations. */
int conv_rounds(int n);
#endif
