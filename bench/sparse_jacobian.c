/*
 * Sparse derivatives: the time of the pattern, the colouring, and the program of compressed products; its run time and
 * memory. For small functions, the dense Jacobian by batches of one product per row as well.
 *
 *   bands     each element of 9,072 with two neighbours on both sides: 5 colours
 *   plane     a five-point stencil of 128 by 128, squared
 *   wheel     an arrow: one long row
 *   chain     the Hessian of Rosenbrock's function of 9,072 elements
 *
 *   ./dev bench sparse_jacobian --help
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/tyto.h>
#include "base/alloc.h"
#include "bench/support/record.h"
#include "bench/support/timing.h"

enum { ROUNDS = 9, N = 9072, SIDE = 128 };

static struct record *document;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "sparse_jacobian: %s: %s\n", what, why);
    exit(1);
}

/* Return x[i + by] along an axis, zero outside. */
static ty_tensor *moved(ty_tensor *x, int axis, int64_t by) {
    ty_padding padding[2] = {{0, 0, 0}, {0, 0, 0}};
    padding[axis] = (ty_padding){-by, by, 0};
    return ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0));
}

static ty_tensor *bands(ty_tensor *x) {
    ty_tensor *y = ty_sin(x);
    for (int64_t by = 1; by <= 2; by++)
        y = ty_add(y, ty_mul(ty_square(moved(x, 0, by)), ty_add(moved(x, 0, -by), ty_num(2))));
    return y;
}

static ty_tensor *plane(ty_tensor *x) {
    x = ty_reshape(x, TY_SHAPE(SIDE, SIDE));
    ty_tensor *y = ty_mul(x, ty_num(-4));
    for (int axis = 0; axis < 2; axis++) y = ty_add(y, ty_add(moved(x, axis, 1), moved(x, axis, -1)));
    return ty_square(y);
}

static ty_tensor *wheel(ty_tensor *x) {
    ty_tensor *parts[] = {ty_sum(ty_square(x), ty_axes_of(1, (int[]){0}, true)),
                          ty_sin(ty_slice(x, 0, 1, TY_END, 1))};
    return ty_concat(2, parts, 0);
}

static ty_tensor *rosenbrock(ty_tensor *x) {
    ty_tensor *from = ty_slice(x, 0, 0, -1, 1), *to = ty_slice(x, 0, 1, TY_END, 1);
    ty_tensor *bend = ty_mul(ty_square(ty_sub(to, ty_square(from))), ty_num(100));
    return ty_sum(ty_add(bend, ty_square(ty_sub(ty_num(1), from))), TY_ALL);
}

typedef bool (*finder)(ty_tensor *y, ty_tensor *x, ty_tensor **values, ty_tensor **indices, ty_sparsity *s);

static void measure(const char *name, int64_t n, ty_tensor *(*function)(ty_tensor *x), finder find) {
    ty_sparsity s = {0};
    double found[ROUNDS], ran[ROUNDS];
    int64_t found_bytes = 0, ran_bytes = 0;
    ty_program *program = NULL;
    for (int r = 0; r < ROUNDS; r++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_var(ty_linspace(TY_F64, 0.1, 0.9, n), "x"), *values, *indices, *y = function(x);
        mem_peak_begin();
        int64_t before = mem_bytes();
        double start = timing_now();
        if (!find(y, x, &values, &indices, &s)) stop(name, ty_error(values));
        found[r] = timing_now() - start;
        found_bytes = mem_peak() - before;
        program = ty_compile(1, &values, (ty_compile_options){0});
        ty_report report;
        ty_program_report(program, &report);
        ran_bytes = report.arena_bytes;
        if (!ty_run(program)) stop(name, ty_program_error(program));
        start = timing_now();
        if (!ty_run(program)) stop(name, ty_program_error(program));
        ran[r] = timing_now() - start;
        ty_program_free(program);
        ty_close(scope);
    }
    struct record_row row = {
        .name = name, .dtype = "f64", .threads = ty_threads(), .ours = timing_summary(ran, ROUNDS)};
    double find_ms = 1e3 * timing_summary(found, ROUNDS).median;
    printf("%-10s %9lld %8lld %10.2f %10.2f %10.3f %10.2f\n", name, (long long)s.entries,
           (long long)s.colours, find_ms, (double)found_bytes / 1e6, 1e3 * row.ours.median,
           (double)ran_bytes / 1e6);
    row.numbers[0].name = "colours", row.numbers[0].value = (double)s.colours;
    row.numbers[1].name = "find ms", row.numbers[1].value = find_ms;
    row.numbers[2].name = "find MB", row.numbers[2].value = (double)found_bytes / 1e6;
    row.numbers[3].name = "run MB", row.numbers[3].value = (double)ran_bytes / 1e6;
    record_row(document, &row);
}

int main(int argc, char **argv) {
    if (!record_open(&document, &argc, argv)) return 1;
    if (argc > 1) {
        printf("./dev bench sparse_jacobian [--json [FILE]]\n");
        return strcmp(argv[1], "--help") != 0;
    }
    mem_watch();
    printf("%-10s %9s %8s %10s %10s %10s %10s\n", "", "entries", "colours", "find ms", "find MB", "run ms",
           "run MB");
    measure("bands", N, bands, ty_sparse_jacobian);
    measure("plane", (int64_t)SIDE * SIDE, plane, ty_sparse_jacobian);
    measure("wheel", N, wheel, ty_sparse_jacobian);
    measure("chain", N, rosenbrock, ty_sparse_hessian);
    return !record_close(document);
}
