/* Convolutions written as the loops that define them, for tests. */
#ifndef TESTS_SUPPORT_CONV_NAIVE_H
#define TESTS_SUPPORT_CONV_NAIVE_H
#include <tyto/tyto.h>

/* What a convolution is asked for: n spatial axes; w as the public functions want it. */
struct conv_case {
    int n;
    bool transposed;
    ty_conv options; /* explicit padding: `same` is not looked at */
    ty_tensor *x, *w;
};

/* The public function of the case. */
ty_tensor *conv_compute(const void *conv_case);
/* The same by loops over complex doubles, cast to x's dtype; integers wrap. */
ty_tensor *conv_naive(const struct conv_case *c);
/* A random one with sizes of a few elements, reals or whole numbers of [low, high).  most: channels of a
 * group. */
struct conv_case conv_random(ty_dtype dtype, int most, double low, double high);
/* Products that one element of the result adds up, at most. */
int64_t conv_terms(const struct conv_case *c);
/* The relative error that sums of so many terms may have. */
double conv_bound(ty_dtype dtype, int64_t terms);
/* Rounds of a test of n: TY_TEST_QUICK=1 makes a twentieth, failing allocations a hundredth. */
int conv_rounds(int n);
#endif
