/*
 * Shows the values of cells of tables, for tests/tree/cells.py: a line "row LINE COLUMN DTYPE SIZES| VALUES" for each
 * value, where sizes are joined by "," and complex elements are two numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/tyto.h>

/* Place of the cell that is evaluated. */
static const char *now_showing = "";

/* Show n values of a shape.  dtype "-": that of another library, which is not compared. */
static void show_values(const char *dtype, int rank, const int64_t *shape, const double *values, int64_t n) {
    printf("row %s %s ", now_showing, dtype);
    for (int i = 0; i < rank; i++) printf("%s%" PRId64, i ? "," : "", shape[i]);
    printf("|");
    for (int64_t i = 0; i < n; i++) printf(" %.17g", values[i]);
    printf("\n");
}

/* Show the elements of x.  Poison is a failure, which the output lacks and stderr explains. */
static void show_tensor(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    int complex = dtype == TY_C64 || dtype == TY_C128;
    int64_t n = ty_size(x) * (complex ? 2 : 1);
    double *values = (double *)malloc((size_t)(n + 1) * sizeof *values);
    if (!values || !ty_ok(x) || !(ty_read)(x, complex ? TY_C128 : TY_F64, values)) {
        fprintf(stderr, "line and column %s: %s\n", now_showing,
                ty_ok(x) ? "it cannot be read" : ty_error(x));
        free(values);
        return;
    }
    show_values(ty_dtype_name(dtype), ty_rank(x), ty_shape(x), values, n);
    free(values);
}

static void show_number(double x) { show_values("-", 0, NULL, &x, 1); }

static void show_text(const char *text) { printf("row %s text |%s\n", now_showing, text); }
