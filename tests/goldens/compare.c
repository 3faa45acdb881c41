/*
 * goldens_compare GOLDENS FILE.npz: evaluates Tyto's expression of each line of tests/goldens/goldens.txt eagerly,
 * lazily, and on the reference, and compares it with NumPy's result (tests/goldens/make.py).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>
#include <tyto/io.h>
#include <tyto/tyto.h>

enum { MOST_INPUTS = 32, MOST_RESULTS = 32, LINE_LENGTH = 1024 };
static ty_archive *archive;
static int ninputs, failed, compared;
static const char *names[MOST_INPUTS];
static ty_tensor *inputs[MOST_INPUTS];

static void read_inputs(void) {
    for (int i = 0; i < ty_archive_count(archive) && ninputs < MOST_INPUTS; i++) {
        const char *name = ty_archive_name(archive, i);
        if (strncmp(name, "in_", 3)) continue;
        names[ninputs] = name + 3;
        inputs[ninputs++] = ty_archive_at(archive, i);
    }
}

static void complain(int line, const char *text, const char *mode, const char *what, ty_tensor *got,
                     ty_tensor *want) {
    char *left = got ? ty_format(got, (ty_print_options){0}) : NULL;
    char *right = want ? ty_format(want, (ty_print_options){0}) : NULL;
    failed++;
    printf("goldens.txt:%d: %s (%s): %s\n", line, text, mode, what);
    if (got) printf("got %s\n%s\n", ty_dtype_name(ty_dtype_of(got)), left ? left : "");
    if (want) printf("NumPy has %s\n%s\n", ty_dtype_name(ty_dtype_of(want)), right ? right : "");
    ty_free(left);
    ty_free(right);
}

/* Return true if |got - want| <= relative * (|want| + 1), with NaN equal to NaN; integers and bools must
   be equal. */
static bool near(ty_tensor *got, ty_tensor *want) {
    ty_dtype dtype = ty_dtype_of(want);
    bool exact = dtype <= TY_U64;
    double relative = dtype == TY_F16 ? 2e-3 : dtype == TY_F32 || dtype == TY_C64 ? 2e-6 : 1e-11;
    if (exact) return ty_item(ty_all(ty_eq(got, want), TY_ALL)) != 0;
    ty_tensor *same = ty_logical_or(ty_eq(got, want), ty_logical_and(ty_is_nan(got), ty_is_nan(want)));
    ty_tensor *far = ty_abs(ty_sub(got, want)), *scale = ty_add(ty_abs(want), ty_num(1));
    ty_tensor *close = ty_le(far, ty_mul(scale, ty_num(relative)));
    return ty_item(ty_all(ty_logical_or(same, close), TY_ALL)) != 0;
}

static void compare(int line, const char *text, const char *mode, ty_tensor *got, ty_tensor *want) {
    compared++;
    got = ty_eval(got);
    if (!ty_ok(got)) {
        complain(line, text, mode, ty_error(got), NULL, NULL);
        return;
    }
    bool same = ty_rank(got) == ty_rank(want);
    for (int i = 0; same && i < ty_rank(want); i++) same = ty_shape(got)[i] == ty_shape(want)[i];
    if (!same)
        complain(line, text, mode, "the shapes differ", got, want);
    else if (ty_dtype_of(got) != ty_dtype_of(want))
        complain(line, text, mode, "the dtypes differ", got, want);
    else if (!near(got, want))
        complain(line, text, mode, "the elements differ", got, want);
}

static void check(int line, const char *text, const char *mode, ty_tensor *const *values) {
    ty_tensor *results[MOST_RESULTS];
    char key[32];
    int n = ty_expressions(text, ninputs, names, values, MOST_RESULTS, results), k = 0;
    for (;; k++) {
        snprintf(key, sizeof key, "%05d_%d", line, k);
        ty_tensor *want = ty_archive_get(archive, key);
        if (!ty_ok(want)) break;
        if (k < n) compare(line, text, mode, results[k], want);
    }
    if (n != k)
        complain(line, text, mode,
                 n == 1 && !ty_ok(results[0]) ? ty_error(results[0]) : "another number of results", NULL,
                 NULL);
}

static void check_line(int line, const char *text) {
    ty_tensor *lazy[MOST_INPUTS];
    ty_scope *scope = ty_open();
    for (int i = 0; i < ninputs; i++) lazy[i] = ty_lazy(inputs[i]);
    check(line, text, "eagerly", inputs);
    check(line, text, "lazily", lazy);
    ty_use_engine("ref");
    check(line, text, "on the reference", inputs);
    ty_use_engine("cpu");
    ty_close(scope);
}

int main(int argc, char **argv) {
    char text[LINE_LENGTH];
    FILE *goldens = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!goldens) {
        fprintf(stderr, "usage: goldens_compare GOLDENS FILE.npz\n");
        return 2;
    }
    ty_scope *scope = ty_open();
    archive = ty_archive_open(argv[2], (ty_file_options){0});
    if (*ty_archive_error(archive)) printf("%s\n", ty_archive_error(archive));
    read_inputs();
    int lines = 0;
    for (int line = 1; ninputs && fgets(text, sizeof text, goldens); line++) {
        text[strcspn(text, "\n")] = 0;
        char *numpy = strstr(text, " | ");
        if (numpy) *numpy = 0;
        if (!*text || *text == '#') continue;
        check_line(line, text);
        lines++;
    }
    fclose(goldens);
    ty_archive_free(archive);
    ty_close(scope);
    printf("generated cases: %d\n%d passed, %d failed\n", compared, lines, failed);
    return failed || !lines;
}
