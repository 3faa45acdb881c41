/* Helpers of the structural operators: axes, shapes as attributes, error results, scopes of composites. */
#include "ops/core/structure.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void shape_attr_fill(struct shape_attr *attr, ty_dtype dtype, int rank, const int64_t *shape) {
    attr->dtype = (int32_t)dtype;
    attr->rank = rank > 0 && rank <= TY_MAX_RANK && !shape ? NO_SHAPE : rank > NO_SHAPE ? rank : NO_SHAPE + 1;
    if (attr->rank > 0 && rank <= TY_MAX_RANK) memcpy(attr->shape, shape, sizeof *shape * (size_t)rank);
}

size_t shape_attr_bytes(const struct shape_attr *attr, size_t before) {
    size_t sizes = attr->rank > 0 && attr->rank <= TY_MAX_RANK ? (size_t)attr->rank : 0;
    return before + offsetof(struct shape_attr, shape) + sizes * sizeof(int64_t);
}

bool infer_fits(struct infer *in) {
    char words[WORDS];
    if (in->rank == NO_SHAPE) return infer_fault(in, E_ARGUMENT, "the shape is NULL");
    if (in->rank < 0 || in->rank > TY_MAX_RANK)
        return infer_fault(in, E_ARGUMENT, "a result of %d axes is out of range; expected 0..%d", in->rank,
                           TY_MAX_RANK);
    for (int i = 0; i < in->rank; i++)
        if (in->shape[i] < 0)
            return infer_fault(in, E_ARGUMENT, "size %lld of axis %d in %s is negative",
                               (long long)in->shape[i], i, shape_words(words, in->rank, in->shape));
    return true;
}

bool infer_computed(struct infer *in, ty_dtype dtype) {
    char words[WORDS];
    in->dtype = dtype;
    if (dtype_valid(dtype)) return true;
    dtype_refusal(words, sizeof words, (int)dtype);
    return infer_fault(in, E_ARGUMENT, "%s", words);
}

ty_tensor *refuse_dtype_of(const char *name, int n, ty_tensor *const *operands, ty_dtype dtype) {
    char words[WORDS];
    dtype_refusal(words, sizeof words, (int)dtype);
    return refuse(name, n, operands, E_ARGUMENT, "%s", words);
}

ty_tensor *refuse_stored(const char *name, int n, ty_tensor *const *operands) {
    for (int i = 0; i < n; i++) {
        ty_dtype dtype = ty_ok(operands[i]) ? tensor_resolve(operands[i])->dtype : TY_F32;
        if (dtype_stored(dtype))
            return refuse(name, n, operands, E_DTYPE, "%s is for storage alone; ty_cast it first",
                          ty_dtype_name(dtype));
    }
    return NULL;
}

bool infer_shape(struct infer *in, const struct shape_attr *attr) {
    if (!infer_computed(in, (ty_dtype)attr->dtype)) return false;
    in->rank = attr->rank;
    if (in->rank > 0 && in->rank <= TY_MAX_RANK)
        memcpy(in->shape, attr->shape, sizeof *in->shape * (size_t)in->rank);
    return infer_fits(in);
}

uint64_t axes_bits(ty_axes axes, int rank) {
    uint64_t bits = 0;
    for (int i = 0; i < rank; i++)
        if ((axes.mask >> i & 1) || (axes.last >> (rank - 1 - i) & 1)) bits |= (uint64_t)1 << i;
    return bits;
}

int axis_normal(int axis, int rank) { return axis < 0 && rank > 0 && axis >= -rank ? axis + rank : axis; }

bool infer_axis(struct infer *in, int axis, int rank) {
    if (axis >= 0 && axis < rank) return true;
    if (rank == 0)
        return infer_fault(in, E_INDEX, "axis %d is out of bounds: a 0-d tensor has no axes", axis);
    return infer_fault(in, E_INDEX, "axis %d is out of bounds; expected %d..%d", axis, -rank, rank - 1);
}

void infer_like(struct infer *in, const ty_tensor *x) {
    in->dtype = x->dtype;
    in->rank = x->layout.rank;
    memcpy(in->shape, x->layout.shape, sizeof *in->shape * (size_t)in->rank);
}

char *shape_words(char *out, int rank, const int64_t *shape) {
    size_t n = 0;
    out[n++] = '[';
    for (int i = 0; i < rank && n < WORDS - 24; i++)
        n += (size_t)snprintf(out + n, WORDS - n, i ? ",%lld" : "%lld", (long long)shape[i]);
    out[n++] = ']';
    out[n] = 0;
    return out;
}

void text_axes(struct text *t, uint64_t mask) {
    const char *between = "(";
    for (int i = 0; i < 64; i++) {
        if (!(mask >> i & 1)) continue;
        text_add(t, "%s%d", between, i);
        between = ", ";
    }
    text_add(t, "%s)", mask ? "" : "(");
}

ty_tensor *refuse(const char *name, int n, ty_tensor *const *operands, ty_code code, const char *format,
                  ...) {
    char reason[512];
    ty_tensor *bad = first_poison_in(name, n, operands);
    if (bad) return bad;
    va_list args;
    va_start(args, format);
    text_format(reason, sizeof reason, format, args);
    va_end(args);
    struct fault fault = {0};
    struct op op = {.name = name, .row = -1};
    struct infer in = {.op = &op, .ninputs = n, .inputs = operands, .fault = &fault};
    infer_fault(&in, code, "%s", reason);
    return tensor_fault_on(&fault, name, n, operands);
}

ty_tensor *refuse_missing(const char *name, int64_t n, const void *array, const char *what) {
    if (n <= 0 || array) return NULL;
    return refuse(name, 0, NULL, E_ARGUMENT, "the array of %lld %s is NULL", (long long)n, what);
}

ty_tensor *refuse_axis_of(const char *name, int n, ty_tensor *const *operands, int axis, int rank) {
    struct fault fault = {0};
    struct op op = {.name = name, .row = -1};
    struct infer in = {.op = &op, .ninputs = n, .inputs = operands, .fault = &fault};
    infer_axis(&in, axis, rank);
    return tensor_fault_on(&fault, name, n, operands);
}

ty_tensor *refuse_axis(const char *name, ty_tensor *x, int axis) {
    return refuse_axis_of(name, 1, &x, axis, ty_rank(x));
}

/* Return the number of an axis in the set that a tensor of this rank does not have, as the caller wrote it:
   the highest, or the lowest if all are negative. *outside is true; if there is no such axis it is false, and
   0 is returned. */
static int axis_outside(ty_axes axes, int rank, bool *outside) {
    uint64_t beyond = rank < 64 ? UINT64_MAX << rank : 0;
    uint64_t mask = axes.mask == UINT64_MAX ? 0 : axes.mask & beyond, last = axes.last & beyond;
    *outside = mask || last;
    if (mask) return 63 - __builtin_clzll(mask);
    return last ? __builtin_clzll(last) - 64 : 0;
}

/* Return poison if an axis is in the set by its number from the front and by that from the end, else NULL. */
static ty_tensor *refuse_repeated(const char *name, ty_tensor *x, ty_axes axes, int rank) {
    if (axes.mask == UINT64_MAX || !axes.last) return NULL;
    for (int i = 0; i < rank; i++)
        if (axes.mask >> i & axes.last >> (rank - 1 - i) & 1)
            return refuse(name, 1, &x, E_ARGUMENT, "axis %d is given twice: as %d, too", i, i - rank);
    return NULL;
}

ty_tensor *refuse_axes(const char *name, ty_tensor *x, ty_axes axes) {
    bool outside;
    int rank = ty_rank(x), axis = axis_outside(axes, rank, &outside);
    if (!ty_ok(x)) return NULL;
    if (!outside) return refuse_repeated(name, x, axes, rank);
    if (axis == 63 || axis == -64)
        return refuse(name, 1, &x, E_INDEX, "an axis of %d or above is out of bounds; expected %d..%d", axis,
                      -rank, rank - 1);
    return refuse_axis(name, x, axis);
}

ty_tensor *leave(ty_scope *scope, ty_tensor *result) {
    if (!scope)
        return tensor_of(result); /* too many open scopes: all tensors stayed in the innermost
                                     one */
    result = ty_keep(result);
    ty_close(scope);
    return result;
}

/* ---- messages of inner functions ---- */

enum { /* a bit for each code of faults of arguments and their elements */
       OF_ARGUMENTS = 1 << E_SHAPE | 1 << E_DTYPE | 1 << E_INDEX | 1 << E_ARGUMENT | 1 << E_DOMAIN |
                      1 << E_SINGULAR | 1 << E_NOT_CONVERGED
};

/* Return the end of the operands at the beginning of "OPERANDS: reason", exclusive; NULL if there is no tensor, as in
   "out of memory".  Names of operands, in quotes, may have colons. */
static const char *operands_end(const char *at) {
    bool quoted = false, tensor = false;
    for (; *at; at++) {
        quoted ^= *at == '\'';
        tensor |= *at == '[';
        if (!quoted && at[0] == ':' && at[1] == ' ') return tensor ? at : NULL;
    }
    return NULL;
}

/* Return the length of the shape, with its brackets, in a description of a tensor, and set *shape to it. */
static size_t shape_in(const char *description, const char **shape) {
    *shape = description + strcspn(description, "[");
    return strcspn(*shape, "]");
}

/* Return true if the operands up to `end` are one of the shape of `x`, a description, and constants of no axes. */
static bool is_operand(const char *operands, const char *end, const char *x) {
    const char *inner, *outer;
    size_t n = shape_in(operands, &inner);
    if (inner + n >= end || n != shape_in(x, &outer) || memcmp(inner, outer, n) != 0) return false;
    for (const char *at = inner + n; at < end; at++)
        if (*at == '[' && at[1] != ']') return false;
    return true;
}

ty_tensor *poison_as(const char *name, const ty_tensor *x, ty_tensor *poison) {
    char one[160];
    const char *error = ty_error(poison);
    size_t n = strspn(error, "abcdefghijklmnopqrstuvwxyz_0123456789");
    const char *end = !strncmp(error + n, " of ", 4) ? operands_end(error + n + 4) : NULL;
    /* Before ": " may stand another word than a function, such as an engine or "interrupted", but for faults of
       arguments.  "trap: sum made nan ...", of an engine, names the operator that the user looks for. */
    ty_code code = ty_error_code(poison);
    bool arguments = OF_ARGUMENTS >> code & 1 && strncmp(error, "trap: ", 6) != 0;
    bool named = n && (end || (arguments && !strncmp(error + n, ": ", 2)));
    if (fault_names(error, name)) return poison;
    if (!named || code == E_USER) return ty_poison_code(code, "%s: %s", name, error);
    const char *rest = error + n + (end ? 4 : 2);
    tensor_describe_into(one, sizeof one, x);
    if (end && is_operand(rest, end, one)) {
        struct fault fault = {0};
        ty_tensor *operand = (ty_tensor *)x;
        fault_set(&fault, code, "%s of %s: %s", name, one, end + 2);
        return tensor_fault_on(&fault, name, 1, &operand);
    }
    return ty_poison_code(code, "%s: %s", name, rest);
}

ty_tensor *leave_as(const char *name, ty_scope *scope, ty_tensor *x, ty_tensor *result) {
    bool null = tensor_of(result) == &tensor_null; /* no function has been named yet */
    if (null) return leave(scope, ty_poison_code(ty_error_code(result), "%s: %s", name, ty_error(result)));
    bool ours = ty_ok(x) && !ty_ok(result) && !result->immortal;
    return leave(scope, ours ? poison_as(name, tensor_resolve(x), result) : result);
}

ty_tensor *as_floating(ty_tensor *x) {
    return ty_ok(x) ? ty_cast(x, dtype_table[ty_dtype_of(x)].floating) : tensor_share(x);
}
