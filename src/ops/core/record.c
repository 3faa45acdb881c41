/* Recording, which every operator passes.  Shapes and dtypes are inferred first, so that errors appear here and
   nowhere later.  The result is a view, a value computed at once, or a promise.  Values that depend on tracked ones
   store their history. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tyto/graph.h>
#include <tyto/own.h>
#include "array/dense.h"
#include "array/form.h"
#include "base/alloc.h"
#include "base/options.h"
#include "base/machine/floating.h"
#include "array/remote.h"
#include "ops/core/eager.h"
#include "ops/core/kernel/devices.h"
#include "ops/core/memory/columns.h"
#include "ops/core/memory/give.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"

bool infer_fault(struct infer *in, ty_code code, const char *format, ...) {
    char reason[512], operands[448], one[160];
    va_list args;
    va_start(args, format);
    text_format(reason, sizeof reason, format, args);
    va_end(args);
    size_t n = 0;
    operands[0] = 0;
    for (int i = 0; i < in->ninputs && n < sizeof operands - 1; i++)
        n += (size_t)snprintf(operands + n, sizeof operands - n, "%s%s",
                              !i                    ? ""
                              : i + 1 < in->ninputs ? ", "
                                                    : " and ",
                              tensor_describe_into(one, sizeof one, in->inputs[i]));
    return fault_set(in->fault, code, "%s%s%s: %s", in->op->name, in->ninputs ? " of " : "", operands,
                     reason);
}

struct infer infer_of(const ty_tensor *x, struct fault *fault) {
    struct infer in = {.op = x->op,
                       .attr = x->attr,
                       .attr_bytes = x->attr_bytes,
                       .ninputs = x->ninputs,
                       .inputs = x->inputs,
                       .dtype = x->dtype,
                       .rank = x->layout.rank,
                       .fault = fault};
    if (in.rank) memcpy(in.shape, x->layout.shape, sizeof *in.shape * (size_t)in.rank);
    return in;
}

/* ---- the three kinds of result ---- */

/* Return a new dense result of the inferred dtype and shape, without a buffer; with operator, attributes and
   operands if `history`. The caller owns the reference. NULL if memory runs out. */
static ty_tensor *new_result(const struct infer *in, bool history) {
    ty_tensor *y = tensor_new(in->dtype, in->rank, history ? in->ninputs : 0, history ? in->attr_bytes : 0);
    if (!y) return NULL;
    if (in->rank) memcpy(y->layout.shape, in->shape, sizeof(int64_t) * (size_t)in->rank);
    shape_row_major(in->rank, in->shape, y->layout.strides);
    if (!history) return y;
    y->op = in->op;
    if (in->attr_bytes) memcpy(y->attr, in->attr, in->attr_bytes);
    if (in->op->attr_retain && in->attr_bytes) in->op->attr_retain(y->attr);
    y->attr_release = in->attr_bytes ? in->op->attr_release : NULL;
    for (int i = 0; i < in->ninputs; i++) tensor_set_input(y, i, in->inputs[i]);
    return y;
}

/* Remove the marks of operands given to an operator that computes nothing now. ty_lazy keeps them, for ty_eval. */
static void forget_given(const struct infer *in) {
    for (int i = 0; i < in->ninputs && in->op != &op_constant; i++)
        if (is_given(in->inputs[i])) in->inputs[i]->given = 0;
}

/* Compute y over the memory of its operand x, which was given away (give.h). False, with the fault set, on failure;
   x is poison in any case. */
static bool fill_given(ty_tensor *y, ty_tensor *x, const struct infer *in, struct fault *fault) {
    y->buffer = buffer_retain(x->buffer);
    bool done = eager_compute(y, in, fault);
    give_end(x);
    return done;
}

/* Return the device that computes y; NULL: the host. */
static __attribute__((noinline)) struct device *device_of(const ty_tensor *y) {
    return device_real(y->place ? y->place : engine_current()->device);
}

/* Compute y in the memory of device d. False, with the fault set, on failure. */
static __attribute__((noinline)) bool fill_on(struct device *d, ty_tensor *y, const struct infer *in,
                                              struct fault *fault) {
    forget_given(in);
    y->buffer = buffer_new_on(d, tensor_bytes(y), fault);
    return y->buffer && eager_compute(y, in, fault);
}

/* Allocate the buffer of y, or take that of an operand which was given away, and compute its elements by the
   operator of *in. False, with the fault set, on failure. */
static bool fill_value(ty_tensor *y, const struct infer *in, bool given, struct fault *fault) {
    size_t bytes = tensor_bytes(y);
    struct device *d = atomic_load_explicit(&devices_open, memory_order_relaxed) ? device_of(y) : NULL;
    if (__builtin_expect(d && bytes, 0)) return fill_on(d, y, in, fault);
    ty_tensor *x = given && bytes ? give_find(y, in) : NULL;
    if (x) return fill_given(y, x, in, fault);
    y->buffer = buffer_new(bytes);
    if (!y->buffer) return form_fault(fault, y->dtype, y->layout.rank, y->layout.shape);
    return bytes == 0 || eager_compute(y, in, fault);
}

/* Make y a view of its input: set its layout and share the buffer. False, with no fault set, if strides
   cannot express the view; y then has no buffer. */
static bool fill_view(ty_tensor *y, const struct infer *in) {
    const ty_tensor *x = in->inputs[0];
    if (!in->op->view(in, &x->layout, &y->layout)) return false;
    y->buffer = buffer_retain(x->buffer);
    y->keeps_order = x->keeps_order && layout_is_permuted(&y->layout);
    return true;
}

struct result {
    bool promise, tracked, varies;
    bool given;           /* an operand has the mark of ty_give */
    bool keeps;           /* an operand keeps its order (ty_columns) */
    struct device *place; /* the device that ty_to chose for operands; NULL: none */
};

/* Return the result of the inferred operator, owned by the innermost scope: a promise if is.promise, else a
   value computed now, with history if is.tracked. A view that strides cannot express is made of a copy.
   Poison on failure. */
static ty_tensor *finish(const struct infer *in, struct result is, struct fault *fault) {
    bool promise = is.promise;
    ty_tensor *y = new_result(in, promise || is.tracked);
    if (!y) return tensor_out_of_memory();
    y->promise = promise;
    y->tracked = is.tracked;
    y->varies = is.varies;
    y->place = is.place;
    bool given = is.given && !is.tracked;
    if (is.given && (promise || is.tracked || in->op->view)) forget_given(in);
    if (is.keeps && !promise) columns_follow(y, in);
    if (promise || (in->op->view ? fill_view(y, in) : fill_value(y, in, given, fault))) {
        if (is.tracked && !promise) tensor_remembers(y);
        return tensor_return(y);
    }
    tensor_free_one_reference(y);
    if (fault->set || !in->op->view) return tensor_fault_on(fault, in->op->name, in->ninputs, in->inputs);
    ty_scope *scope = ty_open();
    ty_tensor *dense = record(&op_copy, NULL, 0, 1, in->inputs);
    y = record(in->op, in->attr, in->attr_bytes, 1, &dense);
    y = scope ? ty_keep(y) : y; /* becomes poison if the enclosing scope has no memory */
    ty_close(scope);
    return y;
}

static _Thread_local bool forgetful;

bool record_remembers(void) { return !forgetful; }

bool ty_set_history(bool on) {
    bool was = !forgetful;
    forgetful = !on;
    return was;
}

static _Thread_local bool lazy_sources;

bool record_lazily(bool on) {
    bool was = lazy_sources;
    lazy_sources = on;
    return was;
}

ty_tensor *first_poison_in(const char *name, int n, ty_tensor *const *x) {
    const char *colon = *name ? ": " : "";
    int length = (int)options_name(name);
    if (n < 0)
        return ty_poison_code(E_ARGUMENT, "%.*s%sthe number of tensors is %d; expected 0 or more", length,
                              name, colon, n);
    if (n > 0 && !x)
        return ty_poison_code(E_ARGUMENT, "%.*s%sthe array of %d tensors is NULL", length, name, colon, n);
    for (int i = 0; i < n; i++) {
        if (tensor_of(x[i]) == &tensor_null) return tensor_refuse_null(name, n == 1 ? 0 : i + 1);
        if (!ty_ok(x[i])) return tensor_return(ty_retain(x[i]));
    }
    return NULL;
}

bool results_poisoned(int n, ty_tensor **results, ty_tensor *bad) {
    for (int i = 0; results && i < n; i++) results[i] = i ? tensor_return(ty_retain(bad)) : bad;
    return false;
}

/* Poison all results by a copy of one of them, and drop their references, which a scope or the caller owns. */
static bool results_dropped(int n, ty_tensor **results, ty_tensor *bad) {
    ty_retain(bad);
    for (int i = n - 1; i >= 0; i--) ty_release(ty_own(results[i]));
    return results_poisoned(n, results, tensor_return(bad));
}

bool results_settled(int n, ty_tensor **results) {
    for (int i = 0; i < n; i++)
        if (!ty_ok(results[i])) return results_dropped(n, results, tensor_of(results[i]));
    return true;
}

bool results_given_in(const char *name, int n, ty_tensor *const *x, ty_tensor **results) {
    if (n < 0 || (n && !results)) return false;
    return !n || x || results_poisoned(n, results, first_poison_in(name, n, x));
}

/* Return poison that says which operands are on different devices, and how to bring them together. */
static __attribute__((noinline)) ty_tensor *refuse_places(struct infer *in) {
    int first = 0, second;
    while (!in->inputs[first]->place) first++;
    second = first + 1;
    while (!in->inputs[second]->place || in->inputs[second]->place == in->inputs[first]->place) second++;
    const char *a = in->inputs[first]->place->name, *b = in->inputs[second]->place->name;
    infer_fault(in, E_DEVICE,
                "operand %d is on %s, operand %d on %s; use ty_to(operand %d, \"%s\") or the reverse",
                first + 1, a, second + 1, b, second + 1, a);
    return tensor_fault_on(in->fault, in->op->name, in->ninputs, in->inputs);
}

/* Infer and record `op`, with attributes attr (attr_bytes bytes, copied), on n operands that tensor_resolve
   returned. Return a promise or a value, owned by the innermost scope; poison on failure. */
static ty_tensor *record_resolved(const struct op *op, const void *attr, size_t attr_bytes, int n,
                                  ty_tensor *const *inputs) {
    struct fault fault;
    struct infer in = {
        .op = op, .attr = attr, .attr_bytes = attr_bytes, .ninputs = n, .inputs = inputs, .fault = &fault};
    fault_clear(&fault);
    struct result is = {.promise = op->lazy || (n == 0 && op->kind != KERNEL_NONE && lazy_sources)};
    bool follows = true, stored = false;
    for (int i = 0; i < n; i++) {
        if (!ty_ok(inputs[i])) return first_poison_in(op->name, n, inputs);
        is.promise |= inputs[i]->promise;
        is.tracked |= inputs[i]->tracked;
        is.varies |= inputs[i]->varies;
        is.given |= inputs[i]->given != 0;
        is.keeps |= inputs[i]->keeps_order;
        stored |= dtype_stored(inputs[i]->dtype);
        follows &= inputs[i]->promise || !inputs[i]->varies;
        if (inputs[i]->place && inputs[i]->place != is.place) {
            if (is.place) return refuse_places(&in);
            is.place = inputs[i]->place;
        }
    }
    if (stored && !op->stores) return refuse_stored(op->name, n, inputs);
    if (op->place) is.place = op->place(attr);
    if (is.tracked) is.tracked = !forgetful;
    int64_t size;
    if (!op->infer(&in)) return tensor_fault_on(&fault, op->name, n, inputs);
    if (!shape_check(in.rank, in.shape, dtype_table[in.dtype].size, &size)) {
        infer_fault(&in, E_MEMORY, "the result has a negative size or exceeds the address space");
        return tensor_fault_on(&fault, op->name, n, inputs);
    }
    if (is.promise && !follows) {
        infer_fault(&in, E_STATE,
                    "an operand was computed from a variable (ty_var) during recording and would not follow "
                    "it; ty_eval the promise first, or ty_detach the value, to fix today's value");
        return tensor_fault_on(&fault, op->name, n, inputs);
    }
    return finish(&in, is, &fault);
}

void (*op_watch)(const struct op *op, const struct kernel *kernel);

ty_tensor *record(const struct op *op, const void *attr, size_t attr_bytes, int n, ty_tensor *const *inputs) {
    FLOATING_DEFAULT;
    enum { USUAL = 8 };
    if (n < 0 || (n && !inputs)) return first_poison_in(op->name, n, inputs);
    ty_tensor *room[USUAL] = {0}, **resolved = n <= USUAL ? room : mem_array((size_t)n, sizeof *resolved);
    if (!resolved) return tensor_out_of_memory();
    if (op_watch) op_watch(op, NULL);
    for (int i = 0; i < n; i++) resolved[i] = tensor_resolve(inputs[i]);
    ty_tensor *y = record_resolved(op, attr, attr_bytes, n, resolved);
    if (resolved != room) mem_free(resolved);
    return y;
}
