/* The table of layers_rows.def, and further uses with more than operands and options. */
#ifndef TESTS_NN_LAYERS_TABLE_H
#define TESTS_NN_LAYERS_TABLE_H
#include "tests/support/layers_help.h"

enum { MOST = 32 };
struct row {
    const ty_layer_kind *kind;
    const char *operands;
    ty_tensor *(*run)(ty_layer *at, ty_tensor *const *x);
    bool differs; /* training differs from inference */
};

/* ROW(kind, operands, options): a layer with one operand. ROWS: with all of them. BY: given by an
   expression. */
#define BY(id, operands, ...)                                                                                \
    static ty_tensor *run_##id(ty_layer *at, ty_tensor *const *x) { return __VA_ARGS__; }
#define ROW(kind, operands, ...)                                                                             \
    BY(kind, operands, ty_layer_##kind(at, "l", x[0], (ty_##kind##_layer){__VA_ARGS__}))
#define ROWS(kind, operands, n, ...)                                                                         \
    BY(kind, operands, ty_layer_##kind(at, "l", n, x, (ty_##kind##_layer){__VA_ARGS__}))
#define NOISY(kind, operands, ...) ROW(kind, operands, __VA_ARGS__)

static double half = 0.5;
static ty_tensor *cube(ty_tensor *x, void *context) {
    return ty_mul(ty_mul(x, ty_mul(x, x)), ty_num(*(double *)context));
}
static ty_tensor *weighted(int n, ty_tensor *const *x, void *context) {
    return ty_sub(ty_mul(x[0], ty_num(*(double *)context)), ty_square(x[n - 1]));
}
static ty_tensor *inside(ty_layer *self, ty_tensor *x, void *context) {
    return ty_layer_linear(self, "in", x, (ty_linear_layer){.units = *(int *)context, .activation = ty_tanh});
}
static int three = 3;
static ty_tensor *edges(void) { return ty_from(TY_I64, TY_SHAPE(2, 3), (int64_t[]){0, 1, 2, 1, 2, 1}); }
static ty_tensor *graph(ty_layer *at, ty_tensor *const *x) {
    ty_tensor *all[] = {x[0], edges(), x[1]};
    return ty_layer_graph_conv(at, "l", 3, all, (ty_graph_conv_layer){.units = 2, .activation = ty_tanh});
}
/* Return the layer's result plus its divergence. */
static ty_tensor *bayesian(ty_layer *at, ty_tensor *const *x) {
    ty_tensor *kl;
    ty_tensor *y =
        ty_layer_bayesian_linear_kl(at, "l", x[0], &kl, (ty_bayesian_linear_layer){.units = 2, .rho = -0.5});
    return ty_add(y, ty_cast(kl, ty_dtype_of(y)));
}
/* Compute attention block by block, with every option that changes scores. */
static ty_tensor *attend(ty_layer *at, ty_tensor *const *x) {
    ty_heads more = {.keys = x[1], .values = x[2], .mask = x[3]};
    return ty_layer_attend(at, "l", x[0], &more,
                           (ty_multi_head_attention_layer){.heads = 4,
                                                           .kv_heads = 2,
                                                           .head_size = 2,
                                                           .units = 3,
                                                           .separate = true,
                                                           .rotary = 100,
                                                           .alibi = true,
                                                           .window = 3,
                                                           .dropout = 0.2,
                                                           .block = 2});
}

#include "tests/nn/layers_rows.def"
#undef BY
#undef ROW
#undef ROWS
#undef NOISY
#define BY(kind, operands, ...) {&ty_kind_##kind, operands, run_##kind, false},
#define ROW(kind, operands, ...) {&ty_kind_##kind, operands, run_##kind, false},
#define ROWS(kind, operands, n, ...) {&ty_kind_##kind, operands, run_##kind, false},
#define NOISY(kind, operands, ...) {&ty_kind_##kind, operands, run_##kind, true},
static const struct row rows[] = {
#include "tests/nn/layers_rows.def"
    {&ty_kind_graph_conv, "4 3;3", graph, false},
    {&ty_kind_bayesian_linear, "4 3", bayesian, true},
    {&ty_kind_multi_head_attention, "2 4 3;2 5 2;2 5 3;1 1 4 5", attend, true},
};
enum { KINDS = sizeof rows / sizeof *rows };
#endif
