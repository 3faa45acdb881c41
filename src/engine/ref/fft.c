/* Fourier transforms by the defining sum (attributes.h) in long doubles; the workspace holds the roots of unity. */
#include <math.h>
#include <string.h>
#include "base/checked.h"
#include "engine/ref/ref.h"
#include "ops/core/attributes.h"

static bool empty(const struct kernel *k) {
    return shape_size(k->outputs[0].layout.rank, k->outputs[0].layout.shape) == 0;
}

/* Return the bytes of the table of roots; too many to allocate if they overflow. */
static size_t workspace(const struct kernel *k) {
    const struct fft_attr *attr = k->attr;
    size_t bytes = 0;
    if (!empty(k) && !checked_mul_size((size_t)attr->n, sizeof(long double _Complex), &bytes))
        return SIZE_MAX / 2;
    return bytes;
}

/* Return exp(-2 pi i j / n), 0 <= j < n. Angles are reduced below a quarter of pi, where sine and cosine are
   accurate. */
static long double _Complex root(int64_t j, int64_t n) {
    static const long double pi = 3.141592653589793238462643383279502884L;
    int64_t eighth = (int64_t)(8 * (long double)j / (long double)n);
    int64_t quarter = (eighth + 1) / 2; /* nearest multiple of a quarter turn */
    long double angle =
        2 * pi * ((long double)j - (long double)n * (long double)quarter / 4) / (long double)n;
    long double c = cosl(angle), s = sinl(angle);
    switch (quarter % 4) {
    case 0:
        return __builtin_complex(c, s);
    case 1:
        return __builtin_complex(-s, c);
    case 2:
        return __builtin_complex(-c, -s);
    default:
        return __builtin_complex(s, -c);
    }
}

/* Fill the workspace with the n-th roots of unity, in the direction of the transform. Always true. */
static bool fill_roots(const struct ref_call *call) {
    const struct fft_attr *attr = call->kernel->attr;
    long double _Complex *roots = call->workspace;
    for (int64_t j = 0; j < attr->n && !empty(call->kernel); j++)
        roots[j] = attr->backward ? root(j, attr->n) : conjl(root(j, attr->n));
    return true;
}

/* Return the output element at index[], by the definition of the Fourier transform. */
static struct element value(const struct ref_call *call, const int64_t *index) {
    const struct kernel *k = call->kernel;
    const struct fft_attr *attr = k->attr;
    const struct layout *x = &k->inputs[0].layout;
    const long double _Complex *roots = call->workspace;
    int64_t at[TY_MAX_RANK], m = x->shape[attr->axis], here = index[attr->axis];
    long double re = 0, im = 0;
    int64_t turn = 0; /* j * here modulo n */
    memcpy(at, index, (size_t)x->rank * sizeof *at);
    for (int64_t j = 0; j < m; j++) {
        at[attr->axis] = j;
        long double _Complex e = ref_at(call, 0, at).z;
        long double _Complex w = roots[turn];
        turn = turn < attr->n - here ? turn + here : turn + here - attr->n;
        long double factor = attr->kind == FFT_HERMITIAN && 2 * j % attr->n != 0 ? attr->inner : 1;
        re += factor * (creall(e) * creall(w) - cimagl(e) * cimagl(w));
        if (attr->kind != FFT_HERMITIAN) im += creall(e) * cimagl(w) + cimagl(e) * creall(w);
    }
    long double scale = attr->scale;
    if (attr->kind == FFT_REAL && 2 * here % attr->n != 0) scale *= attr->inner;
    return ref_round(k->core_dtype, (struct element){0, __builtin_complex(scale * re, scale * im)});
}

const struct ref_kind ref_fft = {.workspace = workspace, .check = fill_roots, .value = value};
