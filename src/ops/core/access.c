/* Access to values: pointers, numbers, copies, text.  Promises are evaluated first. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <tyto/graph.h>
#include <tyto/shape.h>
#include "array/print.h"
#include "array/remote.h"
#include "base/options.h"
#include "base/machine/cache.h"
#include "base/machine/floating.h"
#include "ops/core/op.h"

/* Return the value of x, owned by the innermost scope; NULL if x is poisoned or has no value. */
static ty_tensor *value_of(ty_tensor *x) {
    x = tensor_resolve(x);
    if (x->promise) x = ty_eval(x);
    x = at_home(x);
    return ty_ok(x) && x->buffer ? x : NULL;
}

const void *ty_data(ty_tensor *x) {
    bool promise = tensor_resolve(x)->promise;
    x = value_of(x);
    if (x && promise)
        x = at_home(ty_contiguous(x)); /* ty_strides says so; the value may be a view of a constant */
    return x && ty_ok(x) && tensor_size(x) ? tensor_data(x) : NULL;
}

/* Return x, cast to a dtype of operators if it has one for storage. */
static ty_tensor *readable(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    if (!ty_ok(x) || !dtype_stored(dtype)) return x;
    return ty_cast(x, dtype_widened(dtype));
}

double ty_item(ty_tensor *x) {
    FLOATING_DEFAULT;
    ty_scope *scope = ty_open();
    double number = NAN;
    x = value_of(readable(x));
    if (x && tensor_size(x) == 1) number = element_number(x->dtype, element_load(x->dtype, tensor_data(x)));
    ty_close(scope);
    return number;
}

/* Copy the elements of x, cast to `dtype`, to `out` in row-major order without gaps; out has room for all of
   them. Evaluates a promise. False, with nothing copied, if x is poisoned or has no value, the cast fails, or
   memory runs out. */
static bool read_dense(ty_tensor *x, ty_dtype dtype, void *out) {
    x = value_of(x);
    if (!x) return false;
    x = at_home(ty_contiguous(ty_cast(x, dtype)));
    if (!ty_ok(x)) return false;
    size_t bytes = tensor_bytes(x);
    if (bytes) cache_copy(out, tensor_data(x), bytes);
    return true;
}

bool(ty_read)(ty_tensor *x, ty_dtype dtype, void *out) {
    ty_scope *scope = ty_open();
    bool done = dtype_known(dtype) && out && ty_ok(x) && read_dense(x, dtype, out);
    ty_close(scope);
    return done;
}

char *ty_format_sized(ty_tensor *x, const ty_print_options *given, size_t given_size) {
    ty_print_options options;
    struct fault fault;
    fault_clear(&fault);
    bool known = OPTIONS_READ(options, given, given_size, &fault);
    FLOATING_DEFAULT;
    struct text t = {0};
    ty_scope *scope = ty_open();
    print_value(&t, known ? at_home(ty_eval(readable(x))) : tensor_fault(&fault), options);
    ty_close(scope);
    return text_take(&t);
}

bool ty_print(FILE *file, ty_tensor *x) {
    if (!file) {
        errno = EINVAL;
        return false;
    }
    char *text = ty_format(x, (ty_print_options){0});
    if (!text) {
        errno = ENOMEM;
        return false;
    }
    bool written = fputs(text, file) >= 0 && fputc('\n', file) >= 0;
    ty_free(text);
    return written;
}
