/* The functions of tests/grad/gradient.def as a table. */
#ifndef TESTS_SUPPORT_GRADIENT_SAMPLES_H
#define TESTS_SUPPORT_GRADIENT_SAMPLES_H
#include "array/tensor.h"

enum parts { PARTS_REAL = 1, PARTS_COMPLEX = 2, PARTS_BOTH = 3 };

struct gradient_sample {
    const char *name;
    enum parts parts; /* kinds of operands that it accepts */
    double low, high; /* range of operands: [low, high) */
    int n;            /* number of operands, at most 3 */
    struct {
        int rank;
        int64_t sizes[4];
    } shapes[3];
    ty_tensor *(*value)(ty_tensor *const *x);
};
extern const struct gradient_sample gradient_samples[];
extern const int gradient_sample_count;

/* Return a new random operand i. */
ty_tensor *gradient_operand(const struct gradient_sample *f, ty_dtype dtype, int i);
#endif
