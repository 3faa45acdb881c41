/* Rewrites: each algebraic one alone on every special value, rewrites of the caller, and the shadow mode
   that compares. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/expression.h>
#include "base/alloc.h"
#include "compile/passes/algebra.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"

enum { N = 12 };

static const struct row {
    const char *name, *dtypes, *before, *after;
} rows[] = {
#define REWRITE(name, ...) {#name, __VA_ARGS__},
#include "tests/compile/rewrites.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- the library's own ---- */

static ty_dtype dtype_named(const char *name, size_t n) {
    int d = 0;
    while (d < TY_DTYPES &&
           (strlen(ty_dtype_name((ty_dtype)d)) != n || strncmp(ty_dtype_name((ty_dtype)d), name, n)))
        d++;
    CHECK(d < TY_DTYPES, "unknown dtype there %.*s", (int)n, name);
    return (ty_dtype)d;
}

/* Return zeros of both signs, extremes, infinities and NaN; for integers, values in place of these. */
static ty_tensor *special(ty_dtype dtype, int shift) {
    static const double numbers[N] = {0, -0.0, 1, -1, 2.5, -2.5, 3.5, 1e-7, INFINITY, -INFINITY, NAN, 100};
    static const double whole[N] = {0, 1, 2, 3, 5, 7, 100, 120, 127, 126, 64, 63};
    double turned[N];
    bool floating = ty_promote(dtype, TY_F16) == dtype || dtype == TY_BF16 || dtype == TY_F16;
    for (int i = 0; i < N; i++) turned[i] = (floating ? numbers : whole)[(i + shift) % N];
    return ty_cast(ty_from(TY_F64, TY_SHAPE(N), turned), dtype);
}

static ty_tensor *expression(const char *text, ty_tensor *x, ty_tensor *y) {
    static const char *const names[] = {"x", "y"};
    return ty_expression(text, 2, names, (ty_tensor *[]){x, y});
}

static int64_t kernels_of(const char *text, ty_tensor *x, ty_tensor *y) {
    ty_tensor *z = expression(text, x, y);
    return test_report(test_program(ty_compile(1, &z, (ty_compile_options){0}))).kernels;
}

static void check_row(const struct row *row, ty_dtype dtype) {
    for (int shift = 0; shift < N; shift++) {
        struct test_round round = test_round();
        ty_tensor *x = special(dtype, 0), *y = special(dtype, shift), *vx = ty_var(x, "x"),
                  *vy = ty_var(y, "y");
        ty_tensor *lazy = expression(row->before, vx, vy), *want = expression(row->before, x, y);
        ty_program *p = test_program(ty_compile(1, &lazy, (ty_compile_options){.shadow = true}));
        if (!program_is_well(p) || !ty_run(p)) return;
        compare_bits(ty_output(p, 0), want, "%s as %s, shift %d", row->before, ty_dtype_name(dtype), shift);
        CHECK(test_starving() || test_report(p).simplified > 0, "%s: %s does not act on %s", row->before,
              row->name, ty_dtype_name(dtype));
        if (*row->after && !test_starving())
            CHECK(kernels_of(row->before, vx, vy) == kernels_of(row->after, vx, vy),
                  "%s and %s differ in kernels", row->before, row->after);
        test_round_end(round);
    }
}

static void every_row(void) {
    for (int i = 0; i < ROWS; i++) {
        for (const char *at = rows[i].dtypes; *at; at += strspn(at, " ")) {
            size_t n = strcspn(at, " ");
            if (!test_starving() || at == rows[i].dtypes) check_row(&rows[i], dtype_named(at, n));
            at += n;
        }
    }
}

/* Every rewrite has a test here or is listed as tested elsewhere. */
static void every_row_is_there(void) {
    static const char elsewhere[] = " same_view broadcast_twice pass_through pad_nothing real_of_real ";
    static const struct algebra_row *const tables[] = {algebra_values, algebra_shapes};
    for (int t = 0; t < 2; t++) {
        for (const struct algebra_row *r = tables[t]; r->op; r++) {
            char word[80];
            bool there = false;
            for (int i = 0; i < ROWS; i++) there |= !strcmp(rows[i].name, r->name);
            snprintf(word, sizeof word, " %s ", r->name);
            CHECK(there || strstr(elsewhere, word), "rewrite %s of %s has no row in rewrites.def", r->name,
                  r->op->name);
        }
    }
}

/* ---- the caller's ---- */

/* Rewrite log(exp(x)) to x, approximately. */
static ty_tensor *log_of_exp(void *context, ty_tensor *y) {
    ty_tensor *x = ty_operand(y, 0);
    if (context) ++*(int *)context;
    return strcmp(ty_operator(x), "exp") ? NULL : ty_operand(x, 0);
}
static ty_tensor *wrong_shape(void *context, ty_tensor *y) {
    (void)context, (void)y;
    return ty_zeros(TY_F32, TY_SHAPE(7, 7));
}
static ty_tensor *wrong_dtype(void *context, ty_tensor *y) {
    (void)context;
    return ty_cast(ty_operand(y, 0), TY_F64);
}
static ty_tensor *fails(void *context, ty_tensor *y) {
    (void)context;
    return ty_reshape(y, TY_SHAPE(1000));
}
static ty_tensor *leaves_open(void *context, ty_tensor *y) {
    (void)context;
    ty_open();
    return ty_neg(ty_neg(ty_operand(y, 0)));
}
/* Return twice the correct value. */
static ty_tensor *wrong_value(void *context, ty_tensor *y) {
    (void)context;
    ty_tensor *x = ty_operand(y, 0);
    return strcmp(ty_operator(x), "variable") ? NULL : ty_log(ty_mul(x, ty_num(2)));
}

static void rows_of_the_caller(void) {
    int looked = 0;
    ty_rewrite row = {.name = "log_of_exp", .op = "log", .act = log_of_exp, .context = &looked};
    ty_tensor *x = ty_var(ty_full(TY_F32, TY_SHAPE(3), 200), "x"), *y = ty_log(ty_exp(x));
    ty_compile_options o = {.rewrites = &row, .nrewrites = 1};
    ty_program *p = test_program(ty_compile(1, &y, o));
    if (!program_is_well(p) || !ty_run(p)) return;
    CHECK(test_starving() || ty_item(ty_amax(ty_output(p, 0), TY_ALL)) == 200, "exp was computed");
    CHECK(looked > 0, "the row was not tried");
    CHECK(test_starving() || test_report(p).simplified == 1, "%d rewrites", (int)test_report(p).simplified);
}

static void step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(ty_log(ty_exp(s->carry[0])), ty_num(1));
}
static void rows_act_in_bodies(void) {
    ty_rewrite row = {.name = "log_of_exp", .op = "log", .act = log_of_exp};
    ty_tensor *x = ty_var(ty_full(TY_F32, TY_SHAPE(3), 200), "x"), *last;
    if (!ty_scan(step, NULL, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 4}, &last, NULL, NULL))
        return;
    ty_program *p = test_program(
        ty_compile(1, &last, (ty_compile_options){.rewrites = &row, .nrewrites = 1, .shadow = true}));
    if (!program_is_well(p) || !ty_run(p)) return;
    CHECK(test_starving() || ty_item(ty_amax(ty_output(p, 0), TY_ALL)) == 204, "exp was computed");
}

static void what_rows_may_not(void) {
    const struct {
        ty_rewrite row;
        const char *words;
        bool shadow;
    } cases[] = {
        {{.name = "wide", .op = "log", .act = wrong_shape},
         "compile: rewrite wide made f32[7,7] of log, which is f32[3]",
         false},
        {{.name = "exact", .op = "log", .act = wrong_dtype},
         "compile: rewrite exact made f64[3] of log, which is f32[3]",
         false},
        {{.name = "odd", .op = "log", .act = fails}, "compile: rewrite odd: reshape", false},
        {{.name = "twice", .op = "log", .act = wrong_value},
         "compile: rewrite twice changes log, which is f32[3]: element 0 is 1.38629436, and was 0.693147182",
         true},
        {{.name = NULL, .op = "log", .act = fails}, "compile: rewrite 0 has NULL for its name", false},
        {{.name = "a", .op = NULL, .act = fails}, "compile: rewrite 0 has NULL for its operator", false},
        {{.name = "a", .op = "log", .act = NULL}, "compile: rewrite 0 has NULL for its function", false},
        {{.name = "a", .op = "logg", .act = fails},
         "compile: rewrite a names the unknown operator \"logg\"",
         false},
        {{.name = "open", .op = "log", .act = leaves_open}, "", false},
    };
    ty_tensor *x = ty_var(ty_full(TY_F32, TY_SHAPE(3), 2), "x"), *y = ty_log(x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_program *p = test_program(ty_compile(
            1, &y,
            (ty_compile_options){.rewrites = &cases[i].row, .nrewrites = 1, .shadow = cases[i].shadow}));
        if (test_starving() && mem_failed()) return;
        const char *error = ty_program_error(p);
        CHECK(strstr(error, cases[i].words) && !*error == !*cases[i].words, "case %d says: %s", (int)i,
              error);
    }
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){.nrewrites = 2}));
    CHECK(test_starving() || strstr(ty_program_error(p), "compile: 2 rewrites: the"), "%s",
          ty_program_error(p));
    p = test_program(ty_compile(1, &y, (ty_compile_options){.rewrites = &cases[0].row, .nrewrites = -1}));
    CHECK(test_starving() || strstr(ty_program_error(p), "compile: -1 rewrites: expected"), "%s",
          ty_program_error(p));
}

/* ---- looking at nodes ---- */

static void nodes(void) {
    ty_tensor *x = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "x"), *y = ty_add(x, ty_exp(x));
    if (!ty_ok(y)) return;
    CHECK(!strcmp(ty_operator(y), "add") && ty_operands(y) == 2, "%s of %d", ty_operator(y), ty_operands(y));
    CHECK(ty_operand(y, 0) == x && !strcmp(ty_operator(ty_operand(y, 1)), "exp"), "other operands");
    CHECK(!strcmp(ty_operator(x), "variable") && ty_operands(x) == 0, "%s of %d", ty_operator(x),
          ty_operands(x));
    CHECK(!*ty_operator(ty_eval(x)) && !*ty_operator(NULL) && ty_operands(NULL) == 0,
          "a value has an operator");
    CHECK_POISON(ty_operand(y, 2), "operand: index 2 is out of bounds for add, which has 2 operands");
    CHECK_POISON(ty_operand(y, -1), "operand: index -1 is out of bounds for add, which has 2 operands");
    CHECK_POISON(ty_operand(NULL, 0), "NULL");
}

TESTS_MAIN(TEST(every_row), TEST(every_row_is_there), TEST(rows_of_the_caller), TEST(rows_act_in_bodies),
           TEST(what_rows_may_not), TEST(nodes))
