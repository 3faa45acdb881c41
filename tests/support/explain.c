#include "tests/support/explain.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "array/tensor.h"

enum { FEW = 64 }; /* most elements that are printed */

__attribute__((format(printf, 3, 4))) static void add(char *out, size_t size, const char *format, ...) {
    size_t at = strlen(out);
    va_list args;
    va_start(args, format);
    if (at < size) vsnprintf(out + at, size - at, format, args);
    va_end(args);
}

static void add_sizes(char *out, size_t size, int n, const int64_t *sizes) {
    for (int i = 0; i < n; i++) add(out, size, i ? ",%lld" : "%lld", (long long)sizes[i]);
}

void explain_tensor(char *out, size_t size, const char *name, ty_tensor *x) {
    if (!ty_ok(x)) {
        add(out, size, "  %s: %s\n", name, ty_error(x));
        return;
    }
    add(out, size, "  %s: %s[", name, ty_dtype_name(ty_dtype_of(x)));
    add_sizes(out, size, ty_rank(x), ty_shape(x));
    add(out, size, "] strides (");
    add_sizes(out, size, ty_rank(x), ty_strides(x));
    add(out, size, ") offset %lld\n", (long long)x->layout.offset);
    if (ty_size(x) > FEW) return;
    char *values = ty_format(x, (ty_print_options){.threshold = INT_MAX, .precision = 17, .mode = TY_UNIQUE});
    if (values) add(out, size, "%s\n", values);
    ty_free(values);
}
