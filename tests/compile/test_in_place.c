/* Setting a part of a variable writes that part only, if nobody reads the old value. */
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { ROWS = 300, COLUMNS = 40 };

typedef ty_tensor *(*setting)(ty_tensor *x, ty_tensor *v);

static ty_tensor *one_element(ty_tensor *x, ty_tensor *v) {
    return ty_set_at(x, "7, 3", ty_gather(ty_gather(v, ty_int(0), 0), ty_int(0), 0));
}
static ty_tensor *some_rows(ty_tensor *x, ty_tensor *v) { return ty_set_at(x, "10:12", v); }
static ty_tensor *some_columns(ty_tensor *x, ty_tensor *v) {
    return ty_set_at(x, "::-7, 1::3", ty_gather(ty_gather(v, ty_int(1), 0), ty_int(2), 0));
}
static ty_tensor *scattered(ty_tensor *x, ty_tensor *v) {
    return ty_scatter_nd(x, ty_from(TY_I64, TY_SHAPE(2, 1), (int64_t[]){5, 200}), v, TY_SCATTER_ADD);
}
/* Writes values read from the same variable, so it cannot be in place. */
static ty_tensor *shifted(ty_tensor *x, ty_tensor *v) {
    (void)v;
    return ty_set_at(x, "1:", ty_slice(x, 0, 0, ROWS - 1, 1));
}
/* An operator on the whole result changes all elements. */
static ty_tensor *all_of_it(ty_tensor *x, ty_tensor *v) { return ty_add(some_rows(x, v), ty_num(1)); }

static const struct {
    const char *name;
    setting set;
    bool in_place;
} settings[] = {
    {"one element", one_element, true},
    {"rows", some_rows, true},
    {"every third column", some_columns, true},
    {"scatter", scattered, true},
    {"shifted", shifted, false},
    {"all", all_of_it, false},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void one(int i, ty_dtype dtype, const char *engine, bool shared) {
    struct test_round round = test_round();
    ty_tensor *first = sample_shape(dtype, 2, (int64_t[]){ROWS, COLUMNS}, 0, 2);
    ty_tensor *v = sample_shape(dtype, 2, (int64_t[]){2, COLUMNS}, 0, 2);
    ty_tensor *x = ty_var(first, "x"), *values = ty_var(v, "v");
    ty_tensor *expected = settings[i].set(settings[i].set(first, v), v);
    ty_update update = {x, settings[i].set(x, values)};
    ty_program *p = test_program(
        ty_compile(0, NULL, (ty_compile_options){.engine = engine, .updates = &update, .nupdates = 1}));
    ty_tensor *held = shared ? ty_eval(x) : NULL;
    if (ty_run(p) && ty_run(p))
        compare_bits(ty_eval(x), expected, "%s of %s by %s", settings[i].name, ty_dtype_name(dtype), engine);
    if (held && ty_ok(held)) compare_bits(held, first, "%s: a value that somebody holds", settings[i].name);
    ty_report r;
    ty_program_report(p, &r);
    CHECK(test_starving() || !settings[i].in_place || !ty_ok(expected) || r.inplace == 1,
          "%s of %s is not set in place: %lld bytes\n%s", settings[i].name, ty_dtype_name(dtype),
          (long long)r.arena_bytes, test_text(ty_program_text(p)));
    test_round_end(round);
}

static void variables(void) {
    for (int i = 0; i < SETTINGS; i++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++)
            for (int shared = 0; shared < 2; shared++) {
                one(i, (ty_dtype)dtype, "cpu", shared);
                one(i, (ty_dtype)dtype, "ref", shared);
            }
}

/* In a program temporaries are overwritten too, if they are not read later. */
static void temporaries(void) {
    ty_tensor *x = ty_var(sample_shape(TY_F32, 2, (int64_t[]){ROWS, COLUMNS}, 0, 2), "x"),
              *v = ty_var(ty_ones(TY_F32, TY_SHAPE(2, COLUMNS)), "v");
    ty_tensor *y = ty_cumsum(some_rows(ty_cumsum(x, 0, (ty_running){0}), v), 1, (ty_running){0});
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    ty_tensor *value = ty_eval(x);
    ty_tensor *expected =
        ty_cumsum(some_rows(ty_cumsum(value, 0, (ty_running){0}), ty_eval(v)), 1, (ty_running){0});
    if (ty_run(p)) compare_bits(ty_output(p, 0), expected, "a temporary that is set in place");
    ty_report r;
    ty_program_report(p, &r);
    ty_tensor *why = NULL;
    CHECK(test_starving() || r.inplace == 1, "it is not:\n%s", test_text(ty_program_text(p)));
    CHECK(test_starving() || ty_program_check(p, &why), "%s", ty_error(why));
}

/* ---- rows at an index known only at run time ---- */

enum { TABLES = 4, WIDTH = 8 };

/* Tables of which each sets a row computed from that of the table before; the last ones are summed, then read at the
   index again. Refusals are those of the index alone. */
struct rows {
    ty_tensor *index, *tables[TABLES], *y;
    ty_update updates[TABLES];
};

static void make_rows(struct rows *r, bool late) {
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(1, WIDTH)), "v");
    r->index = ty_var(ty_scalar(TY_I64, 3), "index");
    ty_tensor *places = ty_expand(r->index, 0);
    for (int i = 0; i < TABLES; i++) {
        r->tables[i] = ty_var(ty_iota(TY_F32, TY_SHAPE(ROWS, WIDTH), 0), "table");
        ty_tensor *next = ty_set(r->tables[i], 1, &TY_OF(places), v);
        r->updates[i] = (ty_update){r->tables[i], next};
        v = ty_mul(ty_sum(next, (ty_axes){.mask = 1, .keep = true}), ty_num(1e-3));
        /* An index that depends on a table cannot be checked before the table is written. */
        if (late && i == 1) places = ty_cast(ty_reshape(ty_slice(v, 1, 0, 1, 1), 1, (int64_t[]){1}), TY_I64);
    }
    r->y = ty_take(ty_cumsum(ty_concat(2, (ty_tensor *[]){v, v}, 0), 0, (ty_running){0}),
                   ty_mod(r->index, ty_int(2)), 0);
}

/* Return the value of every table after rows set by evaluating the same graph, in memory of its own. */
static void values_of(const struct rows *r, ty_tensor **values) {
    for (int i = 0; i < TABLES; i++) values[i] = ty_eval(r->updates[i].value);
}

static void rows_at(const char *engine, bool late, int64_t bad) {
    struct test_round round = test_round();
    struct rows r;
    ty_tensor *expected[TABLES], *error = NULL;
    make_rows(&r, late);
    ty_program *p = test_program(ty_compile(
        1, &r.y, (ty_compile_options){.engine = engine, .updates = r.updates, .nupdates = TABLES}));
    values_of(&r, expected);
    if (ty_run(p))
        for (int i = 0; i < TABLES; i++)
            compare_bits(ty_eval(r.tables[i]), expected[i], "%s: table %d", engine, i);
    ty_report report = test_report(p);
    CHECK(late || test_starving() || *ty_program_error(p) || report.inplace == TABLES,
          "%d of %d tables are in place:\n%s", (int)report.inplace, TABLES, test_text(ty_program_text(p)));
    CHECK(ty_program_check(p, &error) || test_starving(), "%s", ty_error(error));
    if (!ty_assign(r.index, ty_scalar(TY_I64, (double)bad), NULL)) {
        test_round_end(round);
        return;
    }
    CHECK(!ty_run(p), "row %lld of %d was set", (long long)bad, ROWS);
    CHECK(test_starving() || strstr(ty_program_error(p), "is out of bounds for axis 0 of size 300"), "%s",
          ty_program_error(p));
    for (int i = 0; i < TABLES; i++)
        if (ty_ok(expected[i]))
            compare_bits(ty_eval(r.tables[i]), expected[i], "%s: table %d of a failed run", engine, i);
    if (ty_assign(r.index, ty_scalar(TY_I64, ROWS - 1), NULL))
        CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
    test_round_end(round);
}

static void rows_of_several_tables(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int i = 0; i < 2; i++)
        for (int late = 0; late < 2; late++) {
            rows_at(engines[i], late, ROWS);
            rows_at(engines[i], late, -ROWS - 1);
        }
}

TESTS_MAIN(TEST(variables), TEST(temporaries), TEST(rows_of_several_tables))
