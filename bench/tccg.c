/*
 * Tensor contractions in row-major order: the TCCG list and three more (bench/support/shapes.h). Bytes: each operand
 * read once, the result written once. The roof is additive: arithmetic at its peak plus memory at its best, without
 * overlap.
 */
#include <stdlib.h>
#include <string.h>
#include "bench/support/harness.h"
#include "bench/support/shapes.h"

/* The equation of the current case, since case functions get tensors only. */
static const char *equation;
static ty_tensor *contract(ty_tensor *const *x) { return ty_einsum(equation, x[0], x[1]); }

static int64_t size_of(const struct bench_equation *c, char letter) {
    const char *at = strchr(c->sizes, letter);
    return at ? atoll(at + 1) : 1;
}

/* Fill the shape of the letters up to `end`; returns the number of elements. */
static double shape_of(const struct bench_equation *c, const char *letters, const char *end,
                       struct bench_input *in) {
    double elements = 1;
    for (; letters < end; letters++) {
        int64_t size = size_of(c, *letters);
        elements *= (double)size;
        if (in) in->shape[in->rank++] = size;
    }
    return elements;
}

/* Return the product of all sizes. */
static double volume(const struct bench_equation *c) {
    double all = 1;
    for (char letter = 'a'; letter <= 'z'; letter++) all *= (double)size_of(c, letter);
    return all;
}

static void run(struct bench *b, const struct bench_equation *c, ty_dtype dtype) {
    const char *comma = strchr(c->equation, ','), *arrow = strchr(c->equation, '-');
    char name[64], numpy[128], torch[128], tblis[128];
    snprintf(name, sizeof name, "%s %s", ty_dtype_name(dtype), c->equation);
    snprintf(numpy, sizeof numpy, "np.einsum('%s', a, b, optimize=True)", c->equation);
    snprintf(torch, sizeof torch, "torch.einsum('%s', a, b)", c->equation);
    snprintf(tblis, sizeof tblis, "pytblis.einsum('%s', a, b, out=out)", c->equation);
    struct bench_case the = {.name = name,
                             .ninputs = 2,
                             .inputs = {{dtype, 0, {0}, -1, 1}, {dtype, 0, {0}, -1, 1}},
                             .run = contract,
                             .numpy = numpy,
                             .torch = torch,
                             .tblis = tblis,
                             .roof = BENCH_STREAM};
    double elements = shape_of(c, c->equation, comma, &the.inputs[0]) +
                      shape_of(c, comma + 1, arrow, &the.inputs[1]) +
                      shape_of(c, arrow + 2, c->equation + strlen(c->equation), NULL);
    the.bytes = elements * (double)ty_dtype_size(dtype);
    if (the.bytes < 1 << 21) the.roof = BENCH_NO_ROOF; /* fits the cache */
    the.flops = 2 * volume(c);
    equation = c->equation;
    bench_case(b, &the);
}

int main(int argc, char **argv) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64};
    struct bench *b = bench_open(argc, argv, "tccg");
    if (!b) return 1;
    for (int d = 0; d < (bench_quick(b) ? 1 : 2); d++)
        for (size_t i = 0; i < sizeof bench_tccg / sizeof *bench_tccg; i++) run(b, &bench_tccg[i], dtypes[d]);
    return bench_close(b);
}
