#include "tests/support/samples/gradient_samples.h"
#include <math.h>
#include <tyto/attention.h>
#include "tests/grad/adjoints.h"
#include "tests/support/bodies.h"
#include "tests/support/harness.h"
#include "tests/support/samples/matrices.h"
#include "tests/support/samples/sample.h"

/* Return a sparse lower triangle of 4 rows with its diagonal and two more entries. */
static ty_sparse sparse_six(ty_tensor *values, ty_sparse_form form) {
    ty_tensor *pairs = ty_from(TY_I32, TY_SHAPE(6, 2), (int32_t[]){2, 0, 0, 0, 1, 1, 3, 3, 3, 1, 2, 2});
    return ty_sparse_as(ty_sparse_coo(values, pairs, 4, 4), form);
}
/* Return x of l l^T x = b, by conjugate gradients. */
static ty_tensor *sparse_solved(ty_tensor *values, ty_tensor *b) {
    ty_sparse l = sparse_six(values, TY_CSR), a = ty_sparse_product(l, ty_sparse_transpose(l));
    return ty_cg(ty_linear_of(&a), b, (ty_iteration){.most = 5, .tolerance = 1e-14}).last;
}
/* Return the last of n parts of x along an axis; poison if a part fails. */
static ty_tensor *last_chunk(ty_tensor *x, int n, int axis) {
    ty_tensor *parts[4];
    int count = ty_chunk(x, n, axis, parts);
    return parts[count ? count - 1 : n - 1];
}

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
    uint64_t start = (uint64_t)i; /* hash of entry and operand, so that other entries do not change it */
    for (const char *c = f->name; *c; c++) start = 31 * start + (unsigned char)*c;
    uint64_t before = test_random_from(start);
    ty_tensor *x = sample_shape(dtype, f->shapes[i].rank, f->shapes[i].sizes, f->low, f->high);
    test_random_from(before);
    return x;
}
