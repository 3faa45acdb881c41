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
/* Compare a sample that a device has computed with that of cpu: to the bit, unless the text of its algorithm rounds
   otherwise (docs/engines.md); then within a hundred units of the dtype. */
void operator_sample_compare(const struct operator_sample *sample, ty_dtype dtype, ty_tensor *got,
                             ty_tensor *want);
/* Return the sample of an operator; NULL if there is none. */
ty_tensor *(*operator_sample_of(const char *name))(ty_tensor *x);
#endif
