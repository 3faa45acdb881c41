/* Interprets bytes as a formula over a small table.  The result is a model or a message of one line; the same table,
   applied again, has columns of the same number. */
#include <math.h>
#include <string.h>
#include <tyto/formula.h>
#include <tyto/tyto.h>

enum { LONGEST = 400, ROWS = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *message) {
    if (strchr(message, '\n')) __builtin_trap();
}

/* Return a table of numbers x, y with a hole, words g and truth values t. */
static ty_table *table(void) {
    static const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 3, NAN, 2, 5, 4};
    static const int64_t codes[] = {0, 1, 2, 1, 0, -1};
    static const char *const words[] = {"b", "a", ""}, *const names[] = {"x", "y", "t"};
    const int64_t n = ROWS;
    ty_tensor *columns[] = {ty_from(TY_F64, 1, &n, x), ty_from(TY_F64, 1, &n, y), NULL};
    columns[2] = ty_gt(columns[0], ty_num(3));
    ty_table *numbers = ty_table_new(3, names, columns);
    ty_table *all = ty_table_with_words(numbers, "g", ty_from(TY_I64, 1, &n, codes), 3, words);
    ty_table_free(numbers);
    return all;
}

/* Fit a model of a valid design, unless it is large. */
static void fit(const ty_design *d) {
    if (ty_design_columns(d) > 64) return;
    ty_regression *r = ty_regress_design(d, (ty_regression_options){0});
    check(ty_regression_error(r));
    ty_free(ty_regression_summary(r));
    ty_regression_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LONGEST + 1] = "";
    if (size > LONGEST) return 0;
    memcpy(text, data, size);
    ty_scope *scope = ty_open();
    ty_table *t = table();
    ty_design *d = ty_design_new(text, t);
    check(ty_design_error(d));
    if (!*ty_design_error(d)) {
        ty_tensor *first = ty_design_matrix(d), *again = ty_design_apply(d, t);
        if (!ty_ok(again) && !strstr(ty_error(again), "memory") && !strstr(ty_error(again), "not seen"))
            __builtin_trap();
        if (ty_ok(again) && (ty_size(first) != ty_size(again))) __builtin_trap();
        fit(d);
    }
    ty_design_free(d);
    ty_table_free(t);
    ty_close(scope);
    return 0;
}
