/*
 * Tensor contractions: the three set-ups of the "tensor compiler passes" page and the 24 of Springer &
 * Bientinesi's TCCG list ("Design of a high-performance GEMM-like tensor-tensor multiplication", ACM TOMS 44,
 * 2018), in row-major order with the sizes of their benchmark.  Bytes: each operand read once, the result
 * written once.  The roof is the additive one: arithmetic at its peak, then memory at its best, without
 * overlap.
 */
#include <stdlib.h>
#include <string.h>
#include "bench/harness.h"

struct contraction {
    const char *equation, *sizes; /* letter and size, ... */
};
static const struct contraction list[] = {
    {"km,nk->nm", "k1600 m1600 n1600"},
    {"cdab,efcd->efab", "a64 b25 c64 d25 e64 f25"},
    {"eba,dce->dcba", "a6 b8 c10 d12 e16"},
    {"efbad,cf->abcde", "a48 b36 c24 d36 e48 f36"},
    {"efcad,bf->abcde", "a48 b24 c36 d36 e48 f36"},
    {"dbea,ec->abcd", "a96 b84 c24 d96 e96"},
    {"ecbfa,fd->abcde", "a48 b36 c36 d24 e48 f48"},
    {"deca,be->abcd", "a96 b24 c84 d96 e84"},
    {"bda,dc->abc", "a384 b384 c24 d384"},
    {"ebad,ce->abcd", "a96 b84 c24 d84 e96"},
    {"dega,gfbc->abcdef", "a24 b20 c20 d24 e20 f20 g24"},
    {"dfgb,geac->abcdef", "a24 b20 c20 d24 e20 f20 g24"},
    {"degb,gfac->abcdef", "a24 b20 c20 d24 e20 f20 g24"},
    {"degc,gfab->abcdef", "a24 b20 c20 d24 e20 f20 g24"},
    {"dca,bd->abc", "a384 b24 c376 d384"},
    {"ea,ebcd->abcd", "a96 b84 c84 d84 e96"},
    {"eb,aecd->abcd", "a96 b84 c84 d84 e96"},
    {"ec,abed->abcd", "a96 b84 c84 d84 e96"},
    {"adec,ebd->abc", "a96 b84 c84 d84 e96"},
    {"cad,dcb->ab", "a384 b376 c384 d384"},
    {"acd,dbc->ab", "a384 b376 c376 d384"},
    {"acd,db->abc", "a384 b376 c376 d384"},
    {"adc,bd->abc", "a384 b384 c376 d376"},
    {"ac,cb->ab", "a7248 b7240 c7248"},
    {"aebf,fdec->abcd", "a96 b84 c84 d84 e84 f96"},
    {"eafd,fbec->abcd", "a96 b84 c84 d84 e96 f96"},
    {"aebf,dfce->abcd", "a96 b84 c84 d96 e84 f84"},
};

/* The case functions take tensors alone. */
static const char *equation;
static ty_tensor *contract(ty_tensor *const *x) { return ty_einsum(equation, x[0], x[1]); }

static int64_t size_of(const struct contraction *c, char letter) {
    const char *at = strchr(c->sizes, letter);
    return at ? atoll(at + 1) : 1;
}

/* Fills the shape of the letters up to `end`; its elements. */
static double shape_of(const struct contraction *c, const char *letters, const char *end,
                       struct bench_input *in) {
    double elements = 1;
    for (; letters < end; letters++) {
        int64_t size = size_of(c, *letters);
        elements *= (double)size;
        if (in) in->shape[in->rank++] = size;
    }
    return elements;
}

/* The product of all sizes. */
static double volume(const struct contraction *c) {
    double all = 1;
    for (char letter = 'a'; letter <= 'z'; letter++) all *= (double)size_of(c, letter);
    return all;
}

static void run(struct bench *b, const struct contraction *c, ty_dtype dtype) {
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
    if (the.bytes < 1 << 21) the.roof = BENCH_NO_ROOF; /* in the cache */
    the.flops = 2 * volume(c);
    equation = c->equation;
    bench_case(b, &the);
}

int main(int argc, char **argv) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64};
    struct bench *b = bench_open(argc, argv, "tccg");
    if (!b) return 1;
    for (int d = 0; d < (bench_quick(b) ? 1 : 2); d++)
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) run(b, &list[i], dtypes[d]);
    return bench_close(b);
}
