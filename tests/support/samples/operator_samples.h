/* One use of each structural operator, from operators.def. */
#ifndef TESTS_SUPPORT_OPERATOR_SAMPLES_H
#define TESTS_SUPPORT_OPERATOR_SAMPLES_H
#include <tyto/tyto.h>

struct operator_sample {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x); /* computes the sample from x [1,4,4,1] */
};
extern const struct operator_sample operator_samples[];
extern const int operator_sample_count;
/* Return the sample of an operator; NULL if there is none. */
ty_tensor *(*operator_sample_of(const char *name))(ty_tensor *x);
#endif
