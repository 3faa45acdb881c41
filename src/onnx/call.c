/* Inputs, results and failures of a call of an operator. */
#include <stdarg.h>
#include <string.h>
#include <tyto/graph.h>
#include "array/dtype.h"
#include "array/tensor.h"
#include "base/checked.h"
#include "base/context/stop.h"
#include "onnx/run.h"
#include "ops/core/op.h"

/* ---- failure and memory ---- */

bool onnx_refuse(struct onnx_call *call, ty_code code, const char *format, ...) {
    char words[sizeof call->fault->text];
    va_list args;
    va_start(args, format);
    text_format(words, sizeof words, format, args);
    va_end(args);
    const struct proto_node *node = call->scope.node;
    const char *name = node->name && *node->name ? node->name : "";
    return fault_set(call->fault, code, "%.80s%s%.200s%s: %s", node->op_type, *name ? " \"" : "", name,
                     *name ? "\"" : "", words);
}

ty_tensor *onnx_failed(struct onnx_call *call) { return tensor_fault(call->fault); }

static void *memory_of(struct onnx_call *call, struct arena *arena, int64_t n, size_t size) {
    void *memory = n < 0 || (uint64_t)n >= SIZE_MAX ? NULL : arena_array(arena, (size_t)n + !n, size);
    if (!memory) fault_memory(call->fault, (size_t)n * size);
    return memory;
}

void *onnx_memory(struct onnx_call *call, int64_t n, size_t size) {
    return memory_of(call, call->scratch, n, size);
}

/* ---- inputs ---- */

static const struct onnx_value *input_at(const struct onnx_call *call, int i) {
    static const struct onnx_value absent = {ONNX_ABSENT, NULL, NULL, NULL};
    return i >= 0 && i < call->ninputs ? &call->inputs[i] : &absent;
}

bool onnx_has(const struct onnx_call *call, int i) { return input_at(call, i)->kind != ONNX_ABSENT; }

/* Return input i if it is of a kind; else NULL, with the fault set. */
static const struct onnx_value *input_of(struct onnx_call *call, int i, enum onnx_kind kind) {
    const struct onnx_value *value = input_at(call, i);
    if (value->kind == kind) return value;
    if (value->kind == ONNX_ABSENT)
        onnx_refuse(call, E_ARGUMENT, "input %d is missing", i);
    else
        onnx_refuse(call, E_DTYPE, "input %d is %s, but %s is expected", i, onnx_kind_words(value->kind),
                    onnx_kind_words(kind));
    return NULL;
}

ty_tensor *onnx_input(struct onnx_call *call, int i) {
    const struct onnx_value *value = input_of(call, i, ONNX_TENSOR);
    if (!value) return onnx_failed(call);
    return value->list && call->run->mode == ONNX_EAGER ? ty_eval(value->tensor) : value->tensor;
}

ty_tensor *onnx_input_or(struct onnx_call *call, int i, ty_tensor *otherwise) {
    return onnx_has(call, i) ? onnx_input(call, i) : otherwise;
}

const struct onnx_strings *onnx_strings(struct onnx_call *call, int i) {
    const struct onnx_value *value = input_of(call, i, ONNX_STRINGS);
    return value ? value->strings : NULL;
}

const struct onnx_list *onnx_list(struct onnx_call *call, int i, enum onnx_kind kind) {
    const struct onnx_value *value = input_of(call, i, kind);
    return value ? value->list : NULL;
}

/* ---- elements ---- */

/* True if x is the variable of a parameter: elements of it that decide on shapes are read when a graph is recorded. */
static bool is_parameter(const struct ty_onnx *model, const ty_tensor *x) {
    for (int i = 0; i < model->ninitial; i++)
        if (model->initial[i]->parameter == x) return true;
    return false;
}

ty_tensor *onnx_known(struct onnx_call *call, ty_tensor *x) {
    if (!ty_ok(x) && !fault_tensor(call->fault, tensor_of(x))) return onnx_failed(call);
    if (!ty_is_promise(x)) return x;
    if (call->run->mode == ONNX_TRACE) {
        call->run->needs_elements = true;
        onnx_refuse(call, E_STATE, "reads elements of a promise");
        return onnx_failed(call);
    }
    ty_tensor *value = is_parameter(call->run->model, x) ? ty_eval(x) : value_now("onnx", x);
    if (ty_ok(value)) return value;
    onnx_refuse(call, ty_error_code(value), "reads elements while the graph is recorded: %s",
                ty_error(value));
    return onnx_failed(call);
}

/* Copy the elements of x, converted to a 64-bit dtype, to memory of the call. */
static void *known_elements(struct onnx_call *call, ty_tensor *x, ty_dtype dtype, int *n) {
    *n = 0;
    ty_tensor *value = onnx_known(call, x);
    if (!ty_ok(value)) return NULL;
    int64_t size = ty_size(value);
    if (size > INT32_MAX) {
        onnx_refuse(call, E_LIMIT, "reads a list of %lld elements", (long long)size);
        return NULL;
    }
    void *out = onnx_memory(call, size, dtype_table[dtype].size);
    if (!out) return NULL;
    ty_tensor *elements = size ? ty_cast(value, dtype) : value;
    if (size && !ty_read(elements, dtype, out)) {
        onnx_refuse(call, ty_ok(elements) ? E_DTYPE : ty_error_code(elements),
                    "elements of %s cannot be read as %s: %s", ty_dtype_name(ty_dtype_of(value)),
                    ty_dtype_name(dtype), ty_error(elements));
        return NULL;
    }
    *n = (int)size;
    return out;
}

const int64_t *onnx_known_ints_of(struct onnx_call *call, ty_tensor *x, int *n) {
    *n = 0;
    if (ty_ok(x) && !dtype_is(ty_dtype_of(x), CLASS_INTEGER | CLASS_BOOL)) {
        onnx_refuse(call, E_DTYPE, "expected integers, found %s", ty_dtype_name(ty_dtype_of(x)));
        return NULL;
    }
    return known_elements(call, x, TY_I64, n);
}

const double *onnx_known_reals_of(struct onnx_call *call, ty_tensor *x, int *n) {
    return known_elements(call, x, TY_F64, n);
}

const int64_t *onnx_known_ints(struct onnx_call *call, int i, int *n) {
    return onnx_known_ints_of(call, onnx_input(call, i), n);
}

/* True if n is 1; else set the fault. */
static bool one(struct onnx_call *call, int i, int n) {
    return n == 1 || onnx_refuse(call, E_SHAPE, "input %d has %d elements, but one is expected", i, n);
}

int64_t onnx_known_int(struct onnx_call *call, int i, int64_t otherwise) {
    if (!onnx_has(call, i)) return otherwise;
    int n;
    const int64_t *items = onnx_known_ints(call, i, &n);
    return items && one(call, i, n) ? items[0] : otherwise;
}

double onnx_known_real(struct onnx_call *call, int i, double otherwise) {
    if (!onnx_has(call, i)) return otherwise;
    int n;
    const double *items = onnx_known_reals_of(call, onnx_input(call, i), &n);
    return items && one(call, i, n) ? items[0] : otherwise;
}

/* ---- results ---- */

bool onnx_wants(const struct onnx_call *call, int i) {
    const struct proto_node *node = call->scope.node;
    return i < call->noutputs && (i >= node->outputs.n || *node->outputs.items[i]);
}

bool onnx_output_value(struct onnx_call *call, int i, struct onnx_value value) {
    if (call->fault->set) return false;
    if (value.kind == ONNX_TENSOR && !ty_ok(value.tensor)) {
        const char *why = ty_error(value.tensor);
        return onnx_refuse(call, ty_error_code(value.tensor), "%s", why);
    }
    if (i < call->noutputs) call->outputs[i] = value;
    return true;
}

bool onnx_output(struct onnx_call *call, int i, ty_tensor *x) {
    return onnx_output_value(call, i, onnx_value_tensor(x));
}

/* Count items and bytes of results that are not tensors as operations, so limits also end a loop that copies them in
   each trip. */
static bool charge(struct onnx_call *call, double operations) {
    return !stop_counts() || stop_charge(operations, call->scope.node->op_type, call->fault);
}

bool onnx_output_list(struct onnx_call *call, int i, enum onnx_kind kind, int64_t n,
                      const struct onnx_value *items) {
    if (call->fault->set) return false;
    if (!charge(call, (double)n)) return false;
    return onnx_output_value(call, i, onnx_value_list(call->arena, kind, n, items, call->fault));
}

bool onnx_output_longer(struct onnx_call *call, int i, const struct onnx_list *list,
                        const struct onnx_value *item) {
    if (call->fault->set || !charge(call, (double)list->n + 1)) return false;
    return onnx_output_value(call, i, onnx_value_append(call->arena, list, item, call->fault));
}

bool onnx_output_strings(struct onnx_call *call, int i, int rank, const int64_t *shape,
                         const struct wire_bytes *items) {
    int64_t n = 1;
    if (call->fault->set) return false;
    for (int k = 0; k < rank; k++) n *= shape[k];
    double size = (double)n;
    for (int64_t k = 0; k < n; k++) size += (double)items[k].n;
    if (!charge(call, size)) return false;
    struct wire_bytes *kept = onnx_memory(call, n, sizeof *kept);
    for (int64_t k = 0; kept && k < n; k++) {
        uint8_t *bytes = memory_of(call, call->arena, (int64_t)items[k].n + 1, 1);
        if (!bytes) return false;
        if (items[k].n) memcpy(bytes, items[k].at, items[k].n);
        kept[k] = (struct wire_bytes){bytes, items[k].n};
    }
    return kept &&
           onnx_output_value(call, i, onnx_value_strings(call->arena, rank, shape, kept, call->fault));
}
