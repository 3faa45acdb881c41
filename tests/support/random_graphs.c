#include "tests/support/random_graphs.h"

#include <string.h>

#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { MOST = 64, LARGEST = 30000 };

/* A random program under construction, with its results so far. Equal seeds make equal programs. */
struct maker {
    uint64_t random;
    int n;
    ty_tensor *t[MOST];
};

static int64_t pick(struct maker *m, int64_t n) {
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((m->random >> 33) % (uint64_t)n);
}

static ty_tensor *any(struct maker *m) {
    return m->t[m->n - 1 - (pick(m, 3) ? pick(m, m->n < 4 ? m->n : 4) : pick(m, m->n))];
}

static bool broadcasts(ty_tensor *a, ty_tensor *b) {
    for (int i = 1; i <= ty_rank(a) && i <= ty_rank(b); i++) {
        int64_t x = ty_shape(a)[ty_rank(a) - i], y = ty_shape(b)[ty_rank(b) - i];
        if (x != y && x != 1 && y != 1) return false;
    }
    return true;
}

static ty_tensor *partner(struct maker *m, ty_tensor *a) {
    for (int tries = 0; tries < 8; tries++) {
        ty_tensor *b = m->t[pick(m, m->n)];
        if (broadcasts(a, b) && ty_size(a) * ty_size(b) < 100 * LARGEST) return b;
    }
    return a;
}

/* ---- steps: each returns a result, or its operand if the shape does not fit
   ------------------------------ */

static ty_tensor *one_operand(struct maker *m) {
    static ty_tensor *(*const rows[])(ty_tensor *) = {ty_neg,     ty_abs,      ty_sin,   ty_cos,   ty_tanh,
                                                      ty_sigmoid, ty_softplus, ty_relu,  ty_floor, ty_erf,
                                                      ty_atan,    ty_asinh,    ty_round, ty_gelu,  ty_silu};
    ty_tensor *x = any(m);
    return rows[pick(m, sizeof rows / sizeof *rows)](x);
}

static ty_tensor *guarded(struct maker *m) {
    ty_tensor *x = any(m), *above = ty_add(ty_square(x), ty_num(1));
    switch (pick(m, 5)) {
    case 0:
        return ty_sqrt(above);
    case 1:
        return ty_log(above);
    case 2:
        return ty_rsqrt(above);
    case 3:
        return ty_exp(ty_neg(above));
    default:
        return ty_pow(above, ty_num(-0.5));
    }
}

static ty_tensor *two_operands(struct maker *m) {
    static ty_tensor *(*const rows[])(ty_tensor *, ty_tensor *) = {ty_add, ty_sub,   ty_mul,  ty_max,
                                                                   ty_min, ty_hypot, ty_atan2};
    ty_tensor *a = any(m), *b = partner(m, a);
    return rows[pick(m, sizeof rows / sizeof *rows)](a, b);
}

static ty_tensor *three_operands(struct maker *m) {
    ty_tensor *a = any(m), *b = partner(m, a), *c = partner(m, CHECK_OK(ty_add(a, b)));
    switch (pick(m, 3)) {
    case 0:
        return ty_where(ty_gt(a, b), a, ty_tanh(c));
    case 1:
        return ty_clip(a, ty_num(-0.5), ty_num(0.75));
    default:
        return ty_fma(a, ty_tanh(b), c);
    }
}

/* Return an expression that the algebra pass may simplify. */
static ty_tensor *neutral(struct maker *m) {
    ty_tensor *x = any(m);
    switch (pick(m, 8)) {
    case 0:
        return ty_add(x, ty_num(0));
    case 1:
        return ty_mul(x, ty_num(1));
    case 2:
        return ty_div(x, ty_num(1));
    case 3:
        return ty_neg(ty_neg(x));
    case 4:
        return ty_sub(ty_mul(ty_num(2), x), ty_num(0));
    case 5:
        return ty_mul(x, ty_add(ty_num(1), ty_num(2)));
    case 6:
        return ty_pow(x, ty_num(2));
    default:
        return ty_add(ty_mul(x, ty_num(0)), x);
    }
}

static ty_tensor *reduction(struct maker *m) {
    static ty_tensor *(*const rows[])(ty_tensor *, ty_axes) = {ty_sum,  ty_mean,      ty_amax,
                                                               ty_amin, ty_logsumexp, ty_variance};
    ty_tensor *x = any(m);
    if (ty_rank(x) == 0) return x;
    int axis = (int)pick(m, ty_rank(x));
    bool last = pick(m, 2) && axis < ty_rank(x) - 1; /* an axis may be given once */
    ty_axes axes = {(uint64_t)1 << axis, last, pick(m, 2) == 0};
    return rows[pick(m, sizeof rows / sizeof *rows)](x, pick(m, 6) ? axes : TY_ALL);
}

static ty_tensor *view(struct maker *m) {
    ty_tensor *x = any(m);
    int rank = ty_rank(x), axis = rank ? (int)pick(m, rank) : 0;
    int64_t n = rank ? ty_shape(x)[axis] : 0;
    bool small = ty_size(x) < LARGEST / 3;
    switch (pick(m, 8)) {
    case 0:
        return rank >= 2 ? ty_transpose(x) : x;
    case 1:
        return n > 1 ? ty_slice(x, axis, pick(m, 2), TY_END, 1 + pick(m, 2)) : x;
    case 2:
        return rank ? ty_flip(x, axis) : x;
    case 3:
        return rank && rank < 5 && n >= 3 && small ? ty_window(x, axis, 3, 1, 1) : x;
    case 4:
        return rank >= 2 ? ty_diagonal(x, 0, rank - 1) : x;
    case 5:
        return rank < 5 ? ty_expand(x, axis) : x;
    case 6:
        return ty_reshape(x, TY_SHAPE(-1));
    default:
        return rank && rank < 4 && small ? ty_add(ty_expand(x, -1), ty_zeros(TY_F32, TY_SHAPE(2))) : x;
    }
}

static ty_tensor *structure(struct maker *m) {
    ty_tensor *x = any(m), *parts[2] = {x, ty_neg(x)};
    int rank = ty_rank(x), axis = rank ? (int)pick(m, rank) : 0;
    ty_padding padding[TY_MAX_RANK] = {{0, 0, 0}};
    if (rank == 0 || ty_size(x) > LARGEST / 3 || ty_size(x) == 0) return x;
    switch (pick(m, 6)) {
    case 0:
        padding[axis] = (ty_padding){1, 2, pick(m, 2)};
        return ty_pad(x, padding, ty_num(0.5));
    case 1:
        return ty_concat(2, parts, axis);
    case 2:
        return ty_stack(2, parts, axis);
    case 3:
        return ty_gather(x, ty_steps(TY_I64, 0, -1, ty_shape(x)[axis]), axis);
    case 4:
        return ty_scatter_add(x, ty_mul(ty_arange(TY_I64, 0, ty_shape(x)[axis], 1), ty_int(2)), axis,
                              2 * ty_shape(x)[axis]);
    default:
        return ty_cast(ty_cast(x, pick(m, 2) ? TY_F64 : TY_F16), TY_F32);
    }
}

static ty_tensor *contraction(struct maker *m) {
    ty_tensor *x = any(m);
    int rank = ty_rank(x);
    if (rank == 4 && ty_shape(x)[3] == 3 && ty_shape(x)[1] >= 3 && ty_shape(x)[2] >= 3)
        return pick(m, 2) ? ty_conv2d(x, m->t[3], (ty_conv){.same = true})
                          : ty_max_pool2d(x, (ty_pool){.size = {2, 2}, .same = true});
    if (rank < 2 || ty_size(x) == 0 || ty_size(x) > 6000) return rank ? ty_dot_product(x, x) : x;
    switch (pick(m, 3)) {
    case 0:
        return ty_mul(ty_matmul(x, ty_transpose(x)), ty_num(0.125));
    case 1:
        return ty_softmax(x, -1);
    default:
        return rank == 2 ? ty_einsum("ij,kj->ki", x, ty_tanh(x)) : ty_log_softmax(x, 0);
    }
}

static void make(struct maker *m, int length) {
    static ty_tensor *(*const steps[])(struct maker *) = {
        one_operand, guarded,   two_operands, two_operands, three_operands,
        neutral,     reduction, view,         structure,    contraction};
    while (m->n < RANDOM_INPUTS + length) {
        ty_tensor *y = steps[pick(m, sizeof steps / sizeof *steps)](m);
        bool grown = ty_ok(y) && ty_size(y) > LARGEST;
        m->t[m->n] = grown ? ty_sum(y, ty_axis(0)) : y;
        CHECK_OK(m->t[m->n++]);
    }
}

/* ---- a program's results
 * ------------------------------------------------------------------------------------- */

void random_inputs(ty_tensor **values) {
    values[0] = sample_shape(TY_F32, TY_SHAPE(4, 5), -1, 1);
    values[1] = sample_shape(TY_F32, TY_SHAPE(5), -1, 1);
    values[2] = sample_shape(TY_F32, TY_SHAPE(2, 6, 6, 3), -1, 1);
    values[3] = sample_shape(TY_F32, TY_SHAPE(3, 3, 3, 3), -0.5, 0.5);
    values[4] = sample_shape(TY_F32, TY_SHAPE(37, 65), -1, 1);
}

int random_results(uint64_t seed, ty_tensor *const *inputs, bool gradients, ty_tensor **results) {
    struct maker m = {.random = seed, .n = RANDOM_INPUTS};
    memcpy(m.t, inputs, RANDOM_INPUTS * sizeof *inputs);
    make(&m, 5 + (int)(seed % 36));
    results[0] = m.t[m.n - 1];
    results[1] = m.t[m.n - 1 - pick(&m, m.n - RANDOM_INPUTS)];
    results[2] = m.t[m.n - 1 - pick(&m, m.n - RANDOM_INPUTS)];
    if (!gradients) return 3;
    ty_tensor *loss = ty_add(ty_sum(results[0], TY_ALL), ty_mul(ty_sum(results[1], TY_ALL), ty_num(0.5)));
    ty_grad(loss, RANDOM_INPUTS, inputs, results + 3);
    return RANDOM_RESULTS;
}
