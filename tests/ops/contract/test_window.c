/* Windows in the labels of contractions, against loops over all labels; sums in other dtypes. */
#include <string.h>
#include "ops/contract/contract.h"
#include "ops/core/operators.h"
#include "tests/support/compare.h"
#include "tests/support/naive/conv_naive.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static ty_tensor *like(ty_tensor *x) {
    return sample_shape(ty_dtype_of(CHECK_OK(x)), ty_rank(x), ty_shape(x), -1, 1);
}
static ty_tensor *inner(ty_tensor *a, ty_tensor *b) { return ty_sum(ty_mul(a, b), TY_ALL); }

enum { MOST_LABELS = 8 };

/* A random contraction over windows: labels with sizes, and their axes. */
struct labels_case {
    int nlabels;
    /* a label may be in several windows, which is no convolution; only the reference supports it */
    bool sharing;
    int64_t sizes[MOST_LABELS];
    struct contract_attr attr;
    ty_tensor *x[2];
    int64_t shape[3][TY_MAX_RANK];
};

static const uint8_t *labels_of(const struct labels_case *c, int side) {
    return c->attr.labels + (side > 0) * c->attr.ra + (side > 1) * c->attr.rb;
}
static int rank_of(const struct labels_case *c, int side) {
    return side == 0 ? c->attr.ra : side == 1 ? c->attr.rb : c->attr.ro;
}

static bool in_window(const struct labels_case *c, uint8_t label) {
    for (int i = 0; i < c->attr.nwindows; i++)
        if (c->attr.windows[i].outer == label || c->attr.windows[i].inner == label) return true;
    return false;
}

/* Assign the labels of `set` to a side in random order, some in pairs on one windowed axis; returns the
   rank. */
static int place_labels(struct labels_case *c, int side, unsigned set, uint8_t *at) {
    uint8_t list[MOST_LABELS];
    int n = 0, rank = 0;
    for (int i = 0; i < c->nlabels; i++)
        if (set >> i & 1) list[n++] = (uint8_t)i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)test_between(0, i);
        uint8_t other = list[i];
        list[i] = list[k], list[k] = other;
    }
    for (int i = 0; i < n; i++, rank++) {
        bool window = i + 1 < n && c->attr.nwindows < 4 && !test_between(0, 1);
        if (window && !c->sharing) window = !in_window(c, list[i]) && !in_window(c, list[i + 1]);
        at[rank] = list[i];
        c->shape[side][rank] = c->sizes[list[i]];
        if (!window) continue;
        struct contract_window *w = &c->attr.windows[c->attr.nwindows];
        *w = (struct contract_window){.outer = list[i],
                                      .inner = list[i + 1],
                                      .outer_size = c->sizes[list[i]],
                                      .inner_size = c->sizes[list[i + 1]],
                                      .stride = test_between(1, 3),
                                      .dilation = test_between(1, 3),
                                      .low = test_between(-1, 2),
                                      .length = test_between(1, 7)};
        at[rank] = (uint8_t)(CONTRACT_WINDOW + c->attr.nwindows++);
        c->shape[side][rank] = w->length;
        i++;
    }
    return rank;
}

static struct labels_case labels_random(bool sharing) {
    struct labels_case c = {.nlabels = (int)test_between(1, 6), .sharing = sharing};
    unsigned sets[3] = {0, 0, 0};
    for (int i = 0; i < c.nlabels; i++) {
        unsigned where = (unsigned)test_between(1, 3), out = (unsigned)test_between(0, 1);
        c.sizes[i] = test_between(1, 4);
        sets[0] |= (where & 1) << i;
        sets[1] |= (where >> 1) << i;
        sets[2] |= out << i;
    }
    c.attr.ra = place_labels(&c, 0, sets[0], c.attr.labels);
    c.attr.rb = place_labels(&c, 1, sets[1], c.attr.labels + c.attr.ra);
    c.attr.ro = place_labels(&c, 2, sets[2], c.attr.labels + c.attr.ra + c.attr.rb);
    for (int side = 0; side < 2; side++)
        c.x[side] = sample_shape(TY_F64, rank_of(&c, side), c.shape[side], -1, 1);
    return c;
}

/* Return the row-major offset on one side at the index of labels; -1: outside. */
static int64_t place_of(const struct labels_case *c, int side, const int64_t *index) {
    int64_t place = 0;
    for (int i = 0; i < rank_of(c, side); i++) {
        int label = labels_of(c, side)[i];
        int64_t at;
        if (label < CONTRACT_WINDOW) {
            at = index[label];
        } else {
            const struct contract_window *w = &c->attr.windows[label - CONTRACT_WINDOW];
            at = index[w->outer] * w->stride + index[w->inner] * w->dilation - w->low;
        }
        if (at < 0 || at >= c->shape[side][i]) return -1;
        place = place * c->shape[side][i] + at;
    }
    return place;
}

static ty_tensor *labels_naive(const struct labels_case *c) {
    double *x[2];
    int64_t n = 1, index[MOST_LABELS] = {0};
    for (int side = 0; side < 2; side++) {
        x[side] = test_room((size_t)ty_size(CHECK_OK(c->x[side])) * sizeof(double) + 8);
        CHECK(ty_read(c->x[side], TY_F64, x[side]), "a value must be readable");
    }
    for (int i = 0; i < c->attr.ro; i++) n *= c->shape[2][i];
    double *y = test_room((size_t)n * sizeof *y);
    for (bool more = true; more;) {
        int64_t left = place_of(c, 0, index), right = place_of(c, 1, index), out = place_of(c, 2, index);
        if (left >= 0 && right >= 0 && out >= 0) y[out] += x[0][left] * x[1][right];
        more = false;
        for (int i = c->nlabels - 1; i >= 0 && !more; i--) {
            more = ++index[i] < c->sizes[i];
            if (!more) index[i] = 0;
        }
    }
    return ty_from(TY_F64, c->attr.ro, c->shape[2], y);
}

static ty_tensor *labels_compute(const struct labels_case *c, ty_tensor *left, ty_tensor *right) {
    struct contract_rules rules = {.nwindows = c->attr.nwindows};
    struct labelled a = {.x = left}, b = {.x = right};
    memcpy(rules.windows, c->attr.windows, sizeof rules.windows);
    memcpy(a.labels, labels_of(c, 0), (size_t)c->attr.ra);
    memcpy(b.labels, labels_of(c, 1), (size_t)c->attr.rb);
    return contract_by(a, b, c->attr.ro, labels_of(c, 2), &rules);
}

/* The gradients of the operands are the adjoint: <g, f(dx)> = <gradient, dx>. */
static void check_flow(const struct labels_case *c, int i) {
    ty_tensor *g = sample_shape(TY_F64, c->attr.ro, c->shape[2], -1, 1), *gradients[2];
    ty_tensor *x[] = {ty_track(c->x[0], "a"), ty_track(c->x[1], "b")};
    ty_tensor *y = CHECK_OK(labels_compute(c, x[0], x[1]));
    CHECK(ty_vjp(y, g, 2, x, gradients) || test_starving(), "case %d: %s", i, ty_error(gradients[0]));
    for (int k = 0; k < 2; k++) {
        ty_tensor *step[] = {c->x[0], c->x[1]};
        step[k] = like(c->x[k]);
        compare_near(inner(CHECK_OK(gradients[k]), step[k]), inner(g, labels_compute(c, step[0], step[1])),
                     1e-11, 1e-11, "case %d: what flows to operand %d", i, k);
    }
}

static void window_labels(void) {
    for (int i = 0; i < conv_rounds(800); i++) {
        struct test_round round = test_round();
        struct labels_case c = labels_random(i % 4 == 0);
        ty_tensor *want = labels_naive(&c);
        ty_use_engine("ref");
        compare_near(record(&op_contract, &c.attr, sizeof c.attr, 2, c.x), want, 1e-13, 1e-13,
                     "case %d on ref", i);
        if (!c.sharing) ty_use_engine("cpu");
        if (!c.sharing) compare_near(labels_compute(&c, c.x[0], c.x[1]), want, 1e-13, 1e-13, "case %d", i);
        check_flow(&c, i);
        ty_use_engine("cpu");
        test_round_end(round);
    }
}

static void window_sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(8)), *w = ty_zeros(TY_F32, TY_SHAPE(3)), *in[] = {x, w};
    struct contract_attr good = {.ra = 1, .rb = 1, .ro = 1, .nwindows = 1, .labels = {CONTRACT_WINDOW, 1, 0}};
    good.windows[0] = (struct contract_window){
        .outer_size = 6, .inner_size = 3, .stride = 1, .dilation = 1, .length = 8, .outer = 0, .inner = 1};
    struct contract_attr a = good;
    ty_use_engine("ref");
    CHECK_OK(record(&op_contract, &a, sizeof a, 2, in));
#define FAULT(change, words)                                                                                 \
    a = good, change;                                                                                        \
    CHECK_POISON(record(&op_contract, &a, sizeof a, 2, in), words)
    FAULT(a.windows[0].stride = 0, "window 0 has stride 0 and dilation 1");
    FAULT(a.windows[0].dilation = 0, "window 0 has stride 1 and dilation 0");
    FAULT(a.windows[0].outer_size = -1, "window 0 has sizes -1 and 3");
    FAULT(a.windows[0].stride = INT64_MAX, "beyond 2^42 elements");
    FAULT(a.windows[0].low = INT64_MIN, "beyond 2^42 elements");
    FAULT(a.windows[0].length = 9, "window 0 is for an axis of size 9, but its axis has 8");
    FAULT(a.windows[0].inner_size = 2, "label 1 is 2 in one operand and 3 in the other");
    FAULT(a.windows[0].inner = 0, "label 0 is repeated in one operand");
    FAULT(a.windows[0].outer = 200, "label 200 is out of range; expected 0..127");
    FAULT(a.labels[0] = 0, "a window of 1 is not on any axis");
    FAULT(a.labels[0] = CONTRACT_WINDOW + 1, "an axis belongs to window 1, but there are 1");
    FAULT(a.labels[2] = CONTRACT_WINDOW, "window 0 is on two axes");
    FAULT(a.labels[2] = 7, "label 7 of the output is not in any operand");
    FAULT(a.nwindows = 9, "9 windows; expected 0 to 8");
    FAULT(a.ra = 2, "labels for 2 and 1 axes");
    FAULT(a.sums = 1 + TY_I32, "sums in i32 need 8-bit integers");
    FAULT(a.sums = 1 + TY_F32, "sums in f32 need two operands of f16 or of bf16");
    FAULT(a.sums = 1 + TY_F64, "of sums; expected i32, f32 or the operands' dtype");
}

/* 8-bit integers of any signs sum in i32, f16 and bf16 in f32; gradients have the operands' dtype. */
static void window_sums(void) {
    static const ty_dtype halves[] = {TY_F16, TY_BF16};
    ty_use_engine("ref");
    ty_tensor *a = ty_full(TY_U8, TY_SHAPE(2, 100), 255), *b = ty_full(TY_I8, TY_SHAPE(100, 1), -128);
    compare_numbers(matmul_by(a, b, 1 + TY_I32), NUMBERS(-3264000, -3264000), "255 * -128 * 100");
    ty_use_engine("cpu");
    for (int i = 0; i < 2; i++) {
        ty_tensor *x = ty_track(ty_full(halves[i], TY_SHAPE(1, 4096), 1), "x"),
                  *w = ty_full(halves[i], TY_SHAPE(4096, 1), 1.5), *g;
        ty_tensor *y = CHECK_OK(matmul_by(x, w, 1 + TY_F32));
        compare_near(y, ty_full(TY_F32, TY_SHAPE(1, 1), 6144), 0, 0, "sums in f32");
        CHECK(ty_grad(ty_sum(y, TY_ALL), 1, &x, &g) || test_starving(), "%s", ty_error(g));
        compare_near(g, ty_full(halves[i], TY_SHAPE(1, 4096), 1.5), 0, 0, "the gradient in x's dtype");
    }
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/contract/window.def"
};
TESTS_MAIN_TABLE(cases)
