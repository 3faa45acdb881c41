/*
 * Memory that each public function allocates beside a destination of its result (ty_into): bytes for each element of a
 * vector x, counted by the library's allocator.
 *
 *   ./dev bench into [PART OF A NAME]
 * Columns: bytes of the result, and bytes beside it, for f32. Each function is called with the first list of arguments
 * that it accepts. "over" marks a row of tests/support/samples/into.def above its limit.
 */
#include "tests/support/samples/beside.h"

#include <stdbool.h>
#include <stdio.h>

enum { MANY = 1 << 22, FEW = 2 * BESIDE_COLUMNS, TEXT = 256 };

static const struct {
    const char *text;
    double bytes;
} limits[] = {
#define INTO(text, bytes) {text, bytes},
#include "tests/support/samples/into.def"
};

static const char *const lists[] = {
#include "tests/support/call_lists.def"
};

static struct beside measure(int64_t n, const char *text) {
    ty_tensor *x[BESIDE_NAMES];
    ty_scope *scope = ty_open();
    beside_operands(TY_F32, n, x);
    struct beside b = beside_into(text, x);
    ty_close(scope);
    return b;
}

static void print_row(const char *text, double limit) {
    struct beside b = measure(MANY, text);
    double beside = (double)b.peak / MANY;
    if (b.error)
        printf("%-44s  %6s %6s\n", text, "-", "-");
    else
        printf("%-44s  %6.2f %6.2f %s\n", text, (double)b.result / MANY, beside,
               beside > limit + 0.5 ? "over" : "");
    fflush(stdout);
}

/* Write the first call of f that succeeds to text; false if none does, or its result grows faster than x. */
static bool find_call(const char *f, char text[TEXT]) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        snprintf(text, TEXT, "%s(%s)", f, lists[i]);
        struct beside few = measure(FEW, text), more = measure(2 * FEW, text);
        if (!few.error && !more.error) return (more.result + more.peak) * 2 <= (few.result + few.peak) * 5;
    }
    return false;
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "", *signature;
    char name[64], text[TEXT];
    mem_watch();
    printf("%-44s  %6s %6s\n", "bytes an element of x", "result", "beside");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strstr(limits[i].text, part)) print_row(limits[i].text, limits[i].bytes);
    for (int i = 0; (signature = ty_expression_function(i)); i++) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(signature, "("), signature);
        if (strstr(name, part) && find_call(name, text)) print_row(text, 1e9);
    }
    return 0;
}
