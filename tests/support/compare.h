/* Comparisons of tensors; each function fails the test with a message if they differ. */
#ifndef TESTS_SUPPORT_COMPARE_H
#define TESTS_SUPPORT_COMPARE_H
#include <tyto/tyto.h>

/*
 * Return the distance of two elements: 0 if equal (NaN equals NaN, 0 equals -0), infinity if only one is NaN.
 *
 * Reals: the number of representable values between them.  Complex: the distance by the unit in the last place of the
 * larger modulus; if it is not finite, the kinds of its parts do not matter.  Integers and bools: 0 or infinity.
 */
double ulps_apart(ty_dtype dtype, const void *a, const void *b);

/* Return the number of tensors compared by this process. */
int64_t compare_count(void);

/* Check that shapes and dtypes agree and elements are at most `ulps` apart.  Differences below `tiny` smallest
   normal numbers of the dtype do not count.  The message begins with `what` (printf). */
void compare_rounded(ty_tensor *got, ty_tensor *want, double ulps, double tiny, const char *what, ...)
    __attribute__((format(printf, 5, 6)));
#define compare_ulps(got, want, ulps, ...) compare_rounded(got, want, ulps, 0, __VA_ARGS__)
/* Check |got - want| <= absolute + relative * |want|, element by element; integers and bools exactly. */
void compare_near(ty_tensor *got, ty_tensor *want, double relative, double absolute, const char *what, ...)
    __attribute__((format(printf, 5, 6)));
/* Check that shapes, dtypes and bits are equal; NaN equals NaN. */
void compare_bits(ty_tensor *got, ty_tensor *want, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* Compare the result of `compute` on the reference with that of the cpu engine for every instruction set, as
   compare_near. */
void compare_engines(ty_tensor *(*compute)(const void *context), const void *context, double relative,
                     double absolute, const char *what, ...) __attribute__((format(printf, 5, 6)));
/* Return the unit in the last place of 1 in a dtype, approximately; 0 for integers and bools. */
double relative_ulp(ty_dtype dtype);
/* Compare with n numbers written in the test, row-major; n must be the size. */
void compare_numbers(ty_tensor *got, int64_t n, const double *want, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
/* Expand to the arguments n and want. */
#define NUMBERS(...)                                                                                         \
    (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]) { __VA_ARGS__ }

/* Remember the caller's place, which the message of a failed comparison names. */
void compare_at(const char *file, int line);
#define compare_rounded(...) (compare_at(__FILE__, __LINE__), compare_rounded(__VA_ARGS__))
#define compare_near(...) (compare_at(__FILE__, __LINE__), compare_near(__VA_ARGS__))
#define compare_bits(...) (compare_at(__FILE__, __LINE__), compare_bits(__VA_ARGS__))
#define compare_engines(...) (compare_at(__FILE__, __LINE__), compare_engines(__VA_ARGS__))
#define compare_numbers(...) (compare_at(__FILE__, __LINE__), compare_numbers(__VA_ARGS__))
#endif
