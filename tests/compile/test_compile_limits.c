/*
 * The compiler below, at and above the counts to which it looks (tests/thresholds.def): compiled results have the bits
 * of eager ones, and pages have as many bodies as they may.
 */
#include <stdio.h>
#include <string.h>

#include "base/machine/levels.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

/* ---- LOOKED_AT ---- */

/* Times a constant of n numbers, all 1 but perhaps the last: with all of them 1, and at most 16 MiB, it is dropped. */
static void check_constant(int64_t n, float last, bool dropped) {
    struct test_round round = test_round();
    float *ones = test_room((size_t)n * sizeof *ones);
    for (int64_t i = 0; i < n; i++) ones[i] = 1;
    ones[n - 1] = last;
    ty_tensor *x = CHECK_OK(ty_iota(TY_F32, 1, &n, 0)), *c = CHECK_OK(ty_from(TY_F32, 1, &n, ones));
    ty_tensor *y = ty_sqrt(ty_mul(ty_var(x, "x"), c)), *want = CHECK_OK(ty_sqrt(ty_mul(x, c)));
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (program_is_well(program) && ty_run(program)) {
        compare_bits(ty_output(program, 0), want, "%lld numbers", (long long)n);
        char *text = test_text(ty_program_text(program));
        if (text)
            CHECK(!strstr(text, "mul %") == dropped, "%lld numbers, the last %g: %s", (long long)n, last,
                  text);
    }
    test_round_end(round);
}

static void uniform_constants(void) {
    enum { MOST = 4 << 20 };
    if (test_starving()) return;
    for (int64_t n = MOST - 1; n <= MOST + 1; n++) check_constant(n, 1, n <= MOST);
    check_constant(MOST, 2, false);
}

/* ---- MOST_USES, MOST_LOOKS ---- */

/* n results, each of another reduction of one padded array whose rows are scaled. */
static int read_often(int n, ty_tensor *x, ty_tensor **y) {
    ty_padding around[] = {{1, 1, 0}, {0, 2, 0}};
    ty_tensor *most = ty_amax(ty_abs(x), (ty_axes){.last = 1, .keep = true});
    ty_tensor *p = ty_pad(ty_mul(x, x), around, ty_num(0.5)), *scaled = ty_div(x, most);
    ty_tensor *q = ty_pad(x, around, ty_num(2)); /* of memory: one operand, which is not computed */
    for (int i = 0; i < n; i++) {
        ty_tensor *part = ty_slice(p, 1, i % 3, i % 3 + 6, 1);
        y[3 * i] = ty_sum(ty_mul(part, ty_num(i + 1)), ty_axis(i % 2));
        y[3 * i + 1] = ty_amax(ty_sub(scaled, ty_num(i)), ty_axis(1));
        y[3 * i + 2] = ty_sum(ty_mul(q, ty_num(i + 2)), ty_axis(i % 2));
    }
    return 3 * n;
}

static void often_read(void) {
    enum { MOST = 130 };
    static const int counts[] = {15, 16, 17, 31, 32, 33, 34, 127, 128, 129, MOST};
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++) {
        if (test_starving() && counts[i] > 17) break;
        struct test_round round = test_round();
        double v[5 * 6];
        for (int k = 0; k < 30; k++) v[k] = (double)test_between(-20, 20) / 8;
        v[0] = 3;
        ty_tensor *x = CHECK_OK(ty_from(TY_F64, TY_SHAPE(5, 6), v)), *want[3 * MOST], *y[3 * MOST];
        int n = read_often(counts[i], x, want);
        read_often(counts[i], ty_var(x, "x"), y);
        program_gives((uint64_t)counts[i], "often read", (ty_compile_options){0}, n, y, want);
        test_round_end(round);
    }
}

/* Rows of exponentials that n sums read: which of them run together must not change a bit. */
static void rows_read_often(void) {
    enum { MOST = 258 };
    for (int n = 253; n <= MOST; n++) {
        if (test_starving()) break;
        struct test_round round = test_round();
        double v[24 * 32];
        for (int k = 0; k < 24 * 32; k++) v[k] = (double)test_between(-20, 20) / 8;
        ty_tensor *x = CHECK_OK(ty_from(TY_F64, TY_SHAPE(24, 32), v)), *want[MOST + 1], *y[MOST + 1];
        level_force(LEVEL_SECOND, 4 << 10);
        for (int turn = 0; turn < 2; turn++) {
            ty_tensor *from = turn ? ty_var(x, "x") : x, **to = turn ? y : want;
            ty_tensor *most = ty_amax(from, (ty_axes){.last = 1, .keep = true}),
                      *e = ty_exp(ty_sub(from, most));
            for (int i = 0; i < n; i++) to[i] = ty_sum(ty_mul(e, ty_num(i + 1)), ty_axis(1));
            to[n] = e;
        }
        program_gives((uint64_t)n, "rows read often", (ty_compile_options){0}, n + 1, y, want);
        level_force(LEVEL_SECOND, 0);
        test_round_end(round);
    }
}

/* ---- DEEPEST ---- */

struct nest {
    int left;
};

static void inside(void *context, ty_tensor *const *x, ty_tensor **y);
static void outside(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_neg(x[0]);
}
static void inside(void *context, ty_tensor *const *x, ty_tensor **y) {
    struct nest *nest = context;
    ty_tensor *one = ty_add(x[0], ty_num(1));
    if (nest->left == 0) {
        y[0] = one;
        return;
    }
    nest->left--;
    ty_cond(ty_gt(one, ty_num(0)), inside, outside, nest, 1, &one, 1, y);
    nest->left++;
}

static int count_words(const char *text, const char *words) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, words)); at++) n++;
    return n;
}

/* Bodies in bodies: the page shows 16 levels of them, and the names of those below. */
static void deep_pages(void) {
    int shown[3];
    for (int depth = 15; depth <= 17; depth++) {
        struct test_round round = test_round();
        struct nest nest = {depth - 1};
        ty_tensor *x = ty_var(ty_num(0.5), "x"), *y = NULL;
        ty_cond(ty_gt(x, ty_num(0)), inside, outside, &nest, 1, &x, 1, &y);
        ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){.keep_graph = true}));
        if (program_is_well(program) && ty_run(program))
            compare_bits(ty_output(program, 0), ty_num(0.5 + depth), "%d bodies", depth);
        char *page = test_text(ty_program_html(program, NULL, 0, 0));
        CHECK(page || test_starving(), "no page");
        shown[depth - 15] = page ? count_words(page, ",\"graph\":{") : 0;
        test_round_end(round);
    }
    CHECK(test_starving() || (shown[1] > shown[0] && shown[2] == shown[1]), "pages have %d, %d and %d bodies",
          shown[0], shown[1], shown[2]);
}

TESTS_MAIN(TEST(uniform_constants), TEST(often_read), TEST(rows_read_often), TEST(deep_pages))
