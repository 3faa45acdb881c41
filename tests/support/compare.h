/* Comparing tensors; each function ends the test with a sentence when they differ. */
#ifndef TESTS_SUPPORT_COMPARE_H
#define TESTS_SUPPORT_COMPARE_H
#include <tyto/tyto.h>

/*
 * How far two elements are apart: 0 equal (NaN equals NaN, 0 equals -0), infinite when one is NaN alone.
 * Reals: how many representable numbers away.  Complex: distance over the unit in the last place of the
 * larger modulus; which parts of one that is not finite are NaN or infinite does not matter.  Integers and
 * bools: 0 or infinite.
 */
double ulps_apart(ty_dtype dtype, const void *a, const void *b);

/* How many tensors this process has compared. */
int64_t compare_count(void);

/* Shapes and dtypes agree and elements are at most `ulps` apart, where differences below `tiny` smallest
   normal numbers of the dtype do not count; the sentence begins with `what` (printf). */
void compare_rounded(ty_tensor *got, ty_tensor *want, double ulps, double tiny, const char *what, ...)
    __attribute__((format(printf, 5, 6)));
#define compare_ulps(got, want, ulps, ...) compare_rounded(got, want, ulps, 0, __VA_ARGS__)
/* |got - want| <= absolute + relative * |want|, elementwise; integers and bools exactly. */
void compare_near(ty_tensor *got, ty_tensor *want, double relative, double absolute, const char *what, ...)
    __attribute__((format(printf, 5, 6)));
/* The same bits (of NaNs: both NaN), shapes and dtypes. */
void compare_bits(ty_tensor *got, ty_tensor *want, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* What `compute` returns on the reference, against the cpu engine with every instruction set: as
 * compare_near. */
void compare_engines(ty_tensor *(*compute)(const void *context), const void *context, double relative,
                     double absolute, const char *what, ...) __attribute__((format(printf, 5, 6)));
/* About the unit in the last place of a dtype relative to 1: 0 of integers and bools. */
double relative_ulp(ty_dtype dtype);
/* Against numbers written in the test, row-major; n must be the size. */
void compare_numbers(ty_tensor *got, int64_t n, const double *want, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
#define NUMBERS(...)                                                                                         \
    (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]) { __VA_ARGS__ }
#endif
