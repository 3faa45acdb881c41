/* ty_vmap of operators with every set of batched operands; keys; operators with and without a rule. */
#include <string.h>
#include <tyto/tyto.h>
#include "array/tensor.h"
#include "ops/core/operators.h"
#include "ops/core/result.h"
#include "tests/support/examples.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- operators with several kinds of operands: every set of batched ones ---- */

static void padded(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_pad(x[0], (ty_padding[]){{1, -1, 1}, {0, 2, 0}}, x[1]);
}
static void placed(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_set(x[0], TY_ITEMS(TY_DOTS, TY_RANGE(1, 3, 1)), x[1]);
}
static ty_tensor *places_of(ty_tensor *x) { return ty_cast(ty_floor(ty_mul(x, ty_num(2.999))), TY_I64); }
static void gathered(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_tensor *i = places_of(ty_slice(x[1], -1, 0, 2, 1)), *j = places_of(ty_slice(x[2], -1, 0, 1, 1));
    y[0] = ty_get(x[0], TY_ITEMS(TY_OF(i), TY_OF(j)));
    y[1] = ty_gather(x[0], i, 1);
    y[2] = ty_take_along_axis(x[0], places_of(x[0]), 0);
}
static void scattered(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_scatter_mode mode = *(ty_scatter_mode *)context;
    y[0] = ty_scatter(x[0], places_of(x[1]), x[2], 1, mode);
    y[1] =
        ty_scatter_nd(x[0], ty_expand(places_of(ty_slice(x[1], 0, 0, 1, 1)), -1), ty_expand(x[2], 0), mode);
}
static void sampled(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_tensor *image = ty_reshape(x[0], TY_SHAPE(1, 3, 3, 1)), *grid = ty_reshape(x[1], TY_SHAPE(1, 3, 1, 3));
    grid = ty_concat(2, (ty_tensor *[]){grid, grid}, 2);
    y[0] = ty_grid_sample(ty_permute(image, (int[]){0, 3, 1, 2}), ty_permute(grid, (int[]){0, 1, 3, 2}),
                          (ty_grid_options){.sampling = TY_LINEAR});
    y[1] = ty_upsample(image, 2, TY_LINEAR, true);
}
static void multiplied(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_matmul(x[0], x[1]);
    y[1] = ty_einsum("ij,kj->", x[0], x[2]);
    y[2] = ty_conv2d(ty_reshape(x[0], TY_SHAPE(1, 3, 3, 1)),
                     ty_reshape(ty_slice(x[1], 0, 0, 2, 1), TY_SHAPE(2, 3, 1, 1)), (ty_conv){0});
}
static void ordered(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_searchsorted(ty_sort(x[0], 1, false), x[1], true);
    y[1] = ty_searchsorted(ty_sort(ty_reshape(x[2], TY_SHAPE(9)), 0, false), x[1], false);
    y[2] = ty_linear_recurrence(x[0], x[1], 1, true);
    y[3] = ty_concat(3, (ty_tensor *[]){x[0], x[1], x[2]}, -1);
}
static void filtered(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    ty_tensor *b = ty_reshape(ty_slice(x[1], 0, 0, 1, 1), TY_SHAPE(3));
    ty_tensor *rest = ty_reshape(ty_slice(x[2], 0, 1, 2, 1), TY_SHAPE(3));
    ty_tensor *a = ty_concat(2, (ty_tensor *[]){ty_ones(TY_F64, TY_SHAPE(1)), rest}, 0);
    y[0] = ty_filter(b, a, x[0], 0);
    y[1] = ty_filter(b, a, x[0], 1);
}

static void sets_of_operands(void) {
    static const ty_scatter_mode modes[] = {TY_SCATTER_SET, TY_SCATTER_ADD, TY_SCATTER_MUL, TY_SCATTER_MIN,
                                            TY_SCATTER_MAX};
    static const struct {
        const char *name;
        ty_branch body;
        int n, nresults;
        int64_t last[3]; /* size of the operands' last axis; 0: a scalar */
    } all[] = {{"pad", padded, 2, 1, {3, 0}},         {"place", placed, 2, 1, {3, 2}},
               {"gather", gathered, 3, 3, {3, 3, 3}}, {"scatter", scattered, 3, 2, {3, 3, 3}},
               {"sample", sampled, 2, 2, {3, 3}},     {"products", multiplied, 3, 3, {3, 3, 3}},
               {"order", ordered, 3, 4, {3, 3, 3}},   {"filter", filtered, 3, 2, {3, 3, 3}}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (unsigned set = 1; set < 1u << all[k].n; set++)
            for (int mode = 0; mode < (all[k].body == scattered ? 5 : 1); mode++) {
                struct test_round round = test_round();
                ty_tensor *x[3];
                int axes[3];
                for (int i = 0; i < all[k].n; i++) {
                    bool many = set >> i & 1, number = !all[k].last[i];
                    int64_t shape[] = {4, 3, all[k].last[i]};
                    x[i] = sample_shape(TY_F64, number ? many : 2 + many, number || many ? shape : shape + 1,
                                        0, 1);
                    axes[i] = many ? 0 : TY_NO_AXIS;
                }
                examples_check(all[k].name, all[k].body, (void *)&modes[mode], all[k].n, x, axes, 4,
                               all[k].nresults);
                test_round_end(round);
            }
}

/* Operators without a batch rule run one by one on purpose; that of dtypes for storage is refused. */
static void rules(void) {
    static const char *const without[] = {"variable", "tracked", "parameter", "iota",  "result",
                                          "random",   "sample",  "custom",    "packed"};
    for (const struct op *const *op = op_table; *op; op++) {
        bool known = (*op)->batch || (*op)->batch_results;
        for (size_t i = 0; i < sizeof without / sizeof *without; i++)
            known = known || !strcmp((*op)->name, without[i]);
        CHECK(known, "operator %s has no rule for many examples (op->batch)", (*op)->name);
    }
}

/* Return y, or the operator whose result it is, as an operator without batch rules. */
static ty_tensor *without_rules(ty_tensor *y) {
    static struct op plain[2];
    if (!ty_ok(y)) return y;
    bool several = y->op == &op_result;
    ty_tensor *node = several ? y->inputs[0] : y;
    plain[several] = *node->op;
    plain[several].batch = NULL;
    plain[several].batch_results = NULL;
    ty_tensor *same = record(&plain[several], node->attr, node->attr_bytes, node->ninputs, node->inputs);
    return several ? result_of(same, result_index(y)) : same;
}
static void step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(ty_mul(s->carry[0], ty_num(0.5)), s->x[0]);
    s->next[1] = ty_add(s->carry[1], ty_num(1));
    s->y[0] = s->next[0];
    s->y[1] = ty_mul(s->x[0], s->carry[1]);
}
static void bare(void *context, ty_tensor *const *x, ty_tensor **y) {
    ty_tensor *carry[] = {x[1], ty_num(0)}, *lasts[2], *all[2];
    (void)context;
    ty_scan(step, NULL, (ty_scan_spec){.ncarry = 2, .carry = carry, .nx = 1, .x = x, .ny = 2}, lasts, all,
            NULL);
    bool promise = ty_is_promise(x[0]) || ty_is_promise(x[1]);
    y[0] = promise ? without_rules(ty_mul(x[0], x[1])) : ty_mul(x[0], x[1]);
    y[1] = promise ? without_rules(lasts[0]) : lasts[0];
    y[2] = promise ? without_rules(all[1]) : all[1];
}

static void one_after_the_other(void) {
    ty_tensor *x[] = {sample_shape(TY_F64, 2, (int64_t[]){4, 6}, -1, 2),
                      sample_shape(TY_F64, 1, (int64_t[]){4}, -1, 1)};
    examples_check("operators without rules", bare, NULL, 2, x, NULL, 4, 3);
    ty_tensor *other[] = {examples_at(x[0], 0, 0), x[1]};
    examples_check("operators without rules", bare, NULL, 2, other, (int[]){TY_NO_AXIS, 0}, 4, 3);
}

/* ---- random numbers ---- */

static void draws(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_normal(TY_F64, TY_SHAPE(3), x[0]);
    y[1] = ty_uniform(TY_F32, TY_SHAPE(2, 2), ty_fold_by(x[0], x[1]));
    y[2] = ty_poisson(TY_F64, TY_SHAPE(3), x[2], x[0]);
}

static void keys(void) {
    ty_tensor *keys = ty_split_key(ty_key(7), 4), *same = ty_key(3), *numbers = ty_arange(TY_I64, 0, 4, 1);
    ty_tensor *rates = sample_shape(TY_F64, 1, (int64_t[]){4}, 1, 9), *rate = ty_scalar(TY_F64, 4);
    examples_check("keys", draws, NULL, 3, (ty_tensor *[]){keys, numbers, rates}, NULL, 4, 3);
    examples_check("one key", draws, NULL, 3, (ty_tensor *[]){same, numbers, rates},
                   (int[]){TY_NO_AXIS, 0, 0}, 4, 3);
    examples_check("keys alone", draws, NULL, 3, (ty_tensor *[]){keys, ty_int(1), rate},
                   (int[]){0, TY_NO_AXIS, TY_NO_AXIS}, 4, 3);
}

TESTS_MAIN(TEST(sets_of_operands), TEST(rules), TEST(one_after_the_other), TEST(keys))
