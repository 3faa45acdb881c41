/*
 * Einsum below, at and above its limits (tests/thresholds.def): number of operands of equations, trees and plans,
 * labels that meet in one step, axes of '...' after the letters.  Values are products of signs and powers of two, which
 * are exact.
 */
#include <stdio.h>
#include <string.h>
#include "ops/einsum/einsum.h"
#include "tests/support/compare.h"
#include "tests/support/naive/einsum_naive.h"
#include "tests/support/harness.h"

/* ---- PATH_OPERANDS ---- */

/* Operand k is a[A], b[B] or c[A,B] by k % 3. */
enum { A = 3, B = 2, MOST = PATH_OPERANDS + 1 };
static double factor(int k, int a, int b) {
    int at = k % 3 == 0 ? a : k % 3 == 1 ? b + 7 : a * B + b;
    int sign = (k * 31 + at * 17) % 5 % 2, two = (k + at) % 97 == 0;
    return (sign ? -1 : 1) * (two ? 2.0 : 1.0);
}

static void make_operands(int n, ty_tensor **x) {
    for (int k = 0; k < n; k++) {
        static const int64_t shapes[3][2] = {{A}, {B}, {A, B}};
        double v[A * B];
        int rank = k % 3 == 2 ? 2 : 1;
        const int64_t *shape = shapes[k % 3];
        for (int i = 0; i < (rank == 2 ? A * B : (int)shape[0]); i++)
            v[i] = rank == 2 ? factor(k, i / B, i % B) : factor(k, i, i);
        x[k] = CHECK_OK(ty_from(TY_F64, rank, shape, v));
    }
}

static ty_tensor *products(int n) {
    double v[A * B];
    for (int i = 0; i < A * B; i++) {
        v[i] = 1;
        for (int k = 0; k < n; k++) v[i] *= factor(k, i / B, i % B);
    }
    return CHECK_OK(ty_from(TY_F64, TY_SHAPE(A, B), v));
}

static char *equation_of(int n) {
    char *text = test_room((size_t)n * 3 + 8);
    for (int k = 0; k < n; k++) {
        if (k) strcat(text, ",");
        strcat(text, k % 3 == 0 ? "a" : k % 3 == 1 ? "b" : "ab");
    }
    return strcat(text, "->ab");
}

static const char *names_of(int first, int count) {
    return count > 1 || first % 3 == 2 ? "[a,b]" : first % 3 ? "[b]" : "[a]";
}

/* Append a balanced tree of leaves first..first + count - 1; its node has all labels that its leaves have. */
static void add_tree(char **at, int first, int count) {
    if (count == 1) {
        *at += sprintf(*at, "%s", names_of(first, 1));
        return;
    }
    int half = count / 2;
    *at += sprintf(*at, "[");
    add_tree(at, first, half);
    *at += sprintf(*at, ",");
    add_tree(at, first + half, count - half);
    *at += sprintf(*at, "->[a,b]]");
}

/* The tree of n leaves; `wraps`: in one more node; bare: without the outermost brackets. */
static char *tree_of(int n, bool wraps, bool bare) {
    char *text = test_room((size_t)n * 32 + 64), *at = text;
    if (wraps) at += sprintf(at, "[");
    add_tree(&at, 0, n);
    if (wraps) sprintf(at, "->[a,b]]");
    if (!bare) return text;
    text[strlen(text) - 1] = 0;
    return text + 1;
}

static void equations(void) {
    ty_tensor *x[MOST];
    for (int n = PATH_OPERANDS - 1; n <= MOST; n++) {
        if (test_starving() && n < PATH_OPERANDS) continue;
        struct test_round round = test_round();
        make_operands(n, x);
        ty_einsum_options greedy = {.strategy = TY_EINSUM_GREEDY};
        ty_tensor *y = ty_einsum_of(equation_of(n), n, x, greedy);
        if (n <= PATH_OPERANDS)
            compare_bits(CHECK_OK(y), products(n), "%d operands", n);
        else
            CHECK_POISON(y, "1025 operands; expected 1 to 1024");
        test_round_end(round);
    }
    ty_tensor *y = ty_einsum_of(equation_of(MOST), 1, (ty_tensor *[]){ty_ones(TY_F64, TY_SHAPE(A))},
                                (ty_einsum_options){0});
    CHECK_POISON(y, "the equation has 1025 operands; at most 1024 can be contracted");
}

/* Nodes are counted by brackets before they are read: 1024 leaves, and one node around them, have 3072. */
static void trees(void) {
    ty_tensor *x[MOST];
    for (int n = PATH_OPERANDS - 1; n <= PATH_OPERANDS; n++)
        for (int wraps = 0; wraps < 2; wraps++) {
            if (test_starving() && (n < PATH_OPERANDS || !wraps)) continue;
            struct test_round round = test_round();
            make_operands(n, x);
            ty_tensor *y = ty_einsum_of(tree_of(n, wraps, false), n, x, (ty_einsum_options){0});
            compare_bits(CHECK_OK(y), products(n), "a tree of %d operands", n);
            test_round_end(round);
        }
    ty_tensor *one = ty_ones(TY_F64, TY_SHAPE(A));
    CHECK_POISON(ty_einsum_of(tree_of(MOST, false, true), 1, &one, (ty_einsum_options){0}),
                 "the tree has 1025 leaves; at most 1024 can be contracted");
    CHECK_POISON(ty_einsum_of(tree_of(MOST, false, false), 1, &one, (ty_einsum_options){0}),
                 "the tree has more than 1024 nodes");
}

static void free_plan(void *plan) { ty_einsum_plan_free(plan); }

static void plans(void) {
    ty_tensor *x[MOST];
    ty_einsum_operand operands[MOST];
    for (int n = test_starving() ? MOST : PATH_OPERANDS - 1; n <= MOST; n++) {
        struct test_round round = test_round();
        make_operands(n, x);
        for (int k = 0; k < n; k++) /* the first are constant */
            operands[k] = (ty_einsum_operand){ty_rank(x[k]), ty_shape(x[k]), k < 5 ? x[k] : NULL};
        ty_einsum_options greedy = {.strategy = TY_EINSUM_GREEDY};
        ty_einsum_plan *plan =
            test_own(ty_einsum_plan_new(equation_of(n), TY_F64, n, operands, greedy), free_plan);
        if (n <= PATH_OPERANDS) {
            CHECK(!*ty_einsum_plan_error(plan), "%s", ty_einsum_plan_error(plan));
            compare_bits(CHECK_OK(ty_einsum_plan_run(plan, n, x)), products(n), "a plan of %d", n);
        } else {
            CHECK(test_starving() || strstr(ty_einsum_plan_error(plan), "1025 operands; expected 1 to 1024"),
                  "%s", ty_einsum_plan_error(plan));
        }
        test_round_end(round);
    }
}

/* ---- STEP_LABELS ---- */

/* Append names first..first + n - 1 as "[n0,n1,..]". */
static char *add_names(char *at, int n, const int *names) {
    at += sprintf(at, "[");
    for (int i = 0; i < n; i++) at += sprintf(at, "%sn%d", i ? "," : "", names[i]);
    return at + sprintf(at, "]");
}

/* Two operands with `count` names, of which only n0 and the last are in the output, and two are in both; the others are
   summed in the step if that takes less memory, as here: the first operand's n1 has no element. */
static void step_labels(void) {
    for (int count = STEP_LABELS - 1; count <= STEP_LABELS + 1; count++) {
        struct test_round round = test_round();
        int names[2][TY_MAX_RANK], output[] = {0, count - 1}, ranks[] = {50, count - 50 + 2};
        char text[2048], *at = text;
        int64_t shape[2][TY_MAX_RANK];
        ty_tensor *x[2];
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < ranks[side]; i++) {
                names[side][i] = side ? i + 48 : i; /* n48 and n49 are in both */
                shape[side][i] = names[side][i] == 1 || names[side][i] == 50 ? 0 : 2;
            }
            x[side] = CHECK_OK(ty_zeros(TY_F64, ranks[side], shape[side]));
            at = add_names(at, ranks[side], names[side]);
            at += sprintf(at, side ? "->" : ",");
        }
        add_names(at, 2, output);
        ty_einsum_options least = {.objective = TY_EINSUM_MEMORY};
        ty_tensor *y = ty_einsum_of(text, 2, x, least);
        if (count <= STEP_LABELS)
            compare_bits(CHECK_OK(y), ty_zeros(TY_F64, TY_SHAPE(2, 2)), "%d names meet", count);
        else
            CHECK_POISON(y, "two contracted operands have 97 letters; expected at most 96");
        test_round_end(round);
    }
}

/* ---- LETTERS ---- */

/* Labels 51 (z), 52 and 53 (the last two axes of '...') meet; values against a naive sum, and the text of the plan. */
static void last_letters(void) {
    static const char *const equations[] = {"...z,z...->...", "z...y,...zy->z...", "...Az,z->...A"};
    for (int i = 0; i < 3; i++) {
        int64_t shapes[][2][4] = {{{3, 4, 2}, {2, 3, 4}}, {{2, 3, 4, 5}, {3, 4, 2, 5}}, {{3, 4, 5, 2}, {2}}};
        int ranks[][2] = {{3, 3}, {4, 4}, {4, 1}};
        ty_tensor *x[2];
        ty_einsum_operand operands[2];
        for (int k = 0; k < 2; k++) {
            int64_t n = 1;
            for (int d = 0; d < ranks[i][k]; d++) n *= shapes[i][k][d];
            double *v = test_room((size_t)n * sizeof *v);
            for (int64_t e = 0; e < n; e++) v[e] = (double)test_between(-9, 9);
            x[k] = CHECK_OK(ty_from(TY_F64, ranks[i][k], shapes[i][k], v));
            operands[k] = (ty_einsum_operand){ranks[i][k], shapes[i][k], NULL};
        }
        einsum_check(CHECK_OK(ty_einsum_of(equations[i], 2, x, (ty_einsum_options){0})), equations[i], 2, x,
                     "");
        ty_einsum_plan *plan = test_own(
            ty_einsum_plan_new(equations[i], TY_F64, 2, operands, (ty_einsum_options){0}), free_plan);
        einsum_check(CHECK_OK(ty_einsum_plan_run(plan, 2, x)), equations[i], 2, x, "planned");
        char *text = test_text(ty_einsum_plan_text(plan));
        if (text) CHECK(strstr(text, "<0>") && strstr(text, "<1>") && strchr(text, 'z'), "%s", text);
    }
    ty_tensor *a = ty_ones(TY_F64, TY_SHAPE(3, 4)), *b = ty_ones(TY_F64, TY_SHAPE(5, 4)), *x[] = {a, b};
    ty_einsum_options none = {0};
    CHECK_POISON(ty_einsum_of("z...,z...->...", 2, x, none), "letter z");
    CHECK_POISON(ty_einsum_of("...z,...z->...", 2, x, none), "an axis of '...'");
    b = ty_ones(TY_F64, TY_SHAPE(5, 6)), x[1] = b;
    CHECK_POISON(ty_einsum_of("...,...->...", 2, x, none), "an axis of '...'");
}

TESTS_MAIN(TEST(equations), TEST(trees), TEST(plans), TEST(step_labels), TEST(last_letters))
