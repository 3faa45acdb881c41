#include "tests/support/gradient_samples.h"
#include <math.h>
#include "tests/grad/adjoints.h"
#include "tests/support/bodies.h"
#include "tests/support/matrices.h"
#include "tests/support/sample.h"

#define S(...)                                                                                               \
    {                                                                                                        \
        sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), { __VA_ARGS__ }                                  \
    }
#define UNPACK(...) __VA_ARGS__
#define GRADIENT(name, parts, low, high, n, shapes, value)                                                   \
    static ty_tensor *value_##name(ty_tensor *const *x) { return value; }
#include "tests/grad/gradient.def"

const struct gradient_sample gradient_samples[] = {
#define GRADIENT(name, parts, low, high, n, shapes, value)                                                   \
    {#name, PARTS_##parts, low, high, n, {UNPACK shapes}, value_##name},
#include "tests/grad/gradient.def"
};
const int gradient_sample_count = sizeof gradient_samples / sizeof *gradient_samples;

ty_tensor *gradient_operand(const struct gradient_sample *f, ty_dtype dtype, int i) {
    return sample_shape(dtype, f->shapes[i].rank, f->shapes[i].sizes, f->low, f->high);
}
