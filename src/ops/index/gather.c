/* Gather: elements of x at indices known only at run time.  The attribute (attributes.h) relates the axes of x, of
   the index tensors and of the result.  So one operator covers NumPy's take, take_along_axis and advanced indexing,
   and ONNX's Gather, GatherElements and GatherND.  Its adjoint is scatter_add. */
#include <stdio.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/core/reach.h"
#include "ops/shape/batch.h"
#include "ops/index/index.h"
#include "ops/shape/arrange.h"

bool infer_places(struct infer *in, const struct gather_attr *attr, int first) {
    uint64_t moves = 0;
    int indexed = 0;
    if (in->ninputs < first)
        return infer_fault(in, E_ARGUMENT, "%d operands; expected at least %d", in->ninputs, first);
    if (attr->rank < 0 || attr->rank > TY_MAX_RANK || attr->end < 0 || attr->end > attr->rank)
        return infer_fault(in, E_SHAPE,
                           "a space of %d axes, the first %d of which are the index tensors', is none",
                           attr->rank, attr->end);
    if (attr->labels && (attr->mode < 0 || attr->mode >= INDEX_WORDS))
        return infer_fault(in, E_ARGUMENT, "the words %d of its fault are none of %d", attr->mode,
                           INDEX_WORDS);
    for (int t = first; t < in->ninputs; t++)
        if (in->inputs[t]->layout.rank > attr->end)
            return infer_fault(in, E_LIMIT, "an index of rank %d has more than %d axes",
                               in->inputs[t]->layout.rank, attr->end);
    for (int i = 0; i < in->inputs[0]->layout.rank; i++) {
        int axis = attr->axis[i], t = axis - GATHER_INDEXED;
        if (axis < GATHER_INDEXED ? axis >= attr->rank || moves >> axis & 1 : t != indexed)
            return infer_fault(in, E_SHAPE,
                               "axis %d moves with axis %d of the space, or is indexed by tensor %d", i, axis,
                               t);
        if (axis < GATHER_INDEXED)
            moves |= (uint64_t)1 << axis;
        else
            indexed++;
    }
    return indexed == in->ninputs - first ||
           infer_fault(in, E_SHAPE, "%d index tensors for %d indexed axes", in->ninputs - first, indexed);
}

/* Broadcast the shapes of index tensors inputs[first..] into the sizes space[] of the axes that end before
   attr->end; sizes not known yet must be 1 on entry. False, with the fault set, if a tensor is not of
   integers or they do not broadcast. */
static bool infer_block(struct infer *in, const struct gather_attr *attr, int first, int64_t *space) {
    for (int t = first; t < in->ninputs; t++) {
        const struct layout *index = &in->inputs[t]->layout;
        if (!dtype_is(in->inputs[t]->dtype, CLASS_INTEGER))
            return infer_fault(in, E_DTYPE, "an index must be of an integer dtype, not %s",
                               ty_dtype_name(in->inputs[t]->dtype));
        for (int i = 0; i < index->rank; i++) {
            int64_t *size = &space[attr->end - index->rank + i];
            if (index->shape[i] == 1 || index->shape[i] == *size) continue;
            if (*size != 1)
                return infer_fault(in, E_SHAPE, "the index tensors do not broadcast: sizes %lld and %lld",
                                   (long long)*size, (long long)index->shape[i]);
            *size = index->shape[i];
        }
    }
    return true;
}

/* Set the result of gather in *in: x's dtype and the shape of the space. False, with the fault set, if an
   index is invalid or an indexed axis is empty. */
static bool infer(struct infer *in) {
    const struct gather_attr *attr = in->attr;
    in->rank = attr->rank;
    if (in->rank > TY_MAX_RANK) return infer_fits(in);
    if (!infer_places(in, attr, 1)) return false;
    const struct layout *x = &in->inputs[0]->layout;
    in->dtype = in->inputs[0]->dtype;
    for (int d = 0; d < in->rank; d++) in->shape[d] = 1;
    if (!infer_block(in, attr, 1, in->shape)) return false;
    for (int i = 0; i < x->rank; i++) {
        if (attr->axis[i] >= GATHER_INDEXED) continue;
        int64_t *size = &in->shape[attr->axis[i]];
        if (x->shape[i] != 1 && *size != 1 && x->shape[i] != *size)
            return infer_fault(in, E_SHAPE,
                               "axis %d has %lld elements, but the index has %lld; only size 1 broadcasts", i,
                               (long long)x->shape[i], (long long)*size);
        if (*size == 1) *size = x->shape[i];
    }
    bool empty = false; /* tested by size, because the product might overflow */
    for (int d = 0; d < in->rank; d++) empty = empty || in->shape[d] == 0;
    for (int i = 0; i < x->rank && !empty; i++)
        if (attr->axis[i] >= GATHER_INDEXED && x->shape[i] == 0)
            return infer_fault(in, E_INDEX, "axis %d is empty: every index is out of bounds", i);
    return true;
}

/* Gradient rule of gather: return the gradient of operand i of y, given g, that of y. For x (0) g is added
   into zeros of x's shape, at the indices; NULL for an index (i > 0). */
static ty_tensor *vjp(ty_tensor *y, ty_tensor *g, int i) {
    if (i) return NULL;
    ty_tensor *x = y->inputs[0];
    ty_tensor *zeros = ty_broadcast(ty_scalar(ty_dtype_of(g), 0), ty_rank(x), ty_shape(x));
    return scatter_at(zeros, g, TY_SCATTER_ADD, y->attr, y->ninputs - 1, y->inputs + 1);
}

struct gather_attr index_batch(const struct gather_attr *attr, int rank, bool moves) {
    struct gather_attr many = *attr;
    many.rank++;
    many.end++;
    for (int i = rank - 1; i >= 0; i--) {
        int axis = attr->axis[i];
        many.axis[i + moves] = (uint8_t)(axis < GATHER_INDEXED ? axis + 1 : axis);
    }
    if (moves) many.axis[0] = 0;
    return many;
}

ty_tensor *index_many(const struct batch *b, int i, int end) {
    return b->batched[i] ? batch_align(b->x[i], end) : b->x[i];
}

/* Batch rule of gather: return the result with a leading axis of examples; an x or index without batch axis
   is shared by all examples. Poison on failure. */
static ty_tensor *batch(const struct batch *b) {
    const struct gather_attr *attr = b->y->attr;
    struct gather_attr many = index_batch(attr, b->y->inputs[0]->layout.rank, b->batched[0]);
    ty_tensor *index[INDEX_MAX_INPUTS];
    for (int i = 1; i < b->y->ninputs; i++) index[i - 1] = index_many(b, i, attr->end);
    return gather_at(b->x[0], &many, b->y->ninputs - 1, index);
}

bool index_known(const ty_tensor *y, int first) {
    for (int i = first; i < y->ninputs; i++)
        if (y->inputs[i]->promise && y->inputs[i]->varies) return false;
    return true;
}

/* Reach rule of gather for operand i of y, sets *r: it only moves elements of x if the index is known;
   otherwise everything depends on the indexed axes. Indices (i > 0) have no derivative. */
static void reach(ty_tensor *y, int i, struct reach *r) {
    const struct gather_attr *attr = y->attr;
    const struct layout *x = &y->inputs[0]->layout;
    if (i) r->kind = REACH_NOTHING;
    if (!i && index_known(y, 1)) r->kind = REACH_MOVES;
    for (int k = 0; k < x->rank && !i; k++)
        if (attr->axis[k] < GATHER_INDEXED && x->shape[k] == y->layout.shape[attr->axis[k]])
            r->axis[k] = reach_same(attr->axis[k]);
}

ATTRIBUTES_OF(, gather_attributes, sizeof(struct gather_attr), FIELD(struct gather_attr, mode, VARIANT),
              FIELD(struct gather_attr, rank, INT), FIELD(struct gather_attr, end, INT),
              FIELD_MANY(struct gather_attr, axis, "axis", BYTE, .many = FIELD_RANK),
              FIELD(struct gather_attr, labels, FLAG));

const struct op op_gather = {.name = "gather",
                             .kind = KERNEL_GATHER,
                             .arity = -1,
                             .infer = infer,
                             .vjp = vjp,
                             .jvp = jvp_linear,
                             .batch = batch,
                             .reach = reach,
                             .no_gradient = {NULL, "integer", "integer"},
                             .attributes = &gather_attributes,
                             .row = -1,
                             .onnx = "Gather",
                             .doc = "elements at indices along one or more axes"};

ty_tensor *gather_at(ty_tensor *x, const struct gather_attr *attr, int n, ty_tensor *const *index) {
    ty_tensor *inputs[INDEX_MAX_INPUTS] = {x};
    struct gather_attr own = *attr;
    if (!own.labels) own.mode = 0;
    memcpy(inputs + 1, index, sizeof *index * (size_t)n);
    return record(&op_gather, &own, sizeof own, n + 1, inputs);
}

ty_tensor *gather_space(ty_tensor *x, const struct gather_attr *attr, int n, ty_tensor *const *index,
                        int64_t *space) {
    ty_tensor *inputs[INDEX_MAX_INPUTS] = {x}, *bad;
    struct fault fault = {0};
    memcpy(inputs + 1, index, sizeof *index * (size_t)n);
    if ((bad = first_poison(n + 1, inputs))) return bad;
    struct infer in = {.op = &op_gather, .attr = attr, .attr_bytes = sizeof *attr, .fault = &fault};
    in.ninputs = n + 1;
    in.inputs = inputs;
    if (!infer(&in) || !infer_fits(&in)) return tensor_fault(&fault);
    memcpy(space, in.shape, sizeof *space * (size_t)in.rank);
    return NULL;
}

/* Return the attributes for one index tensor, of rank index_rank, on `axis` of a tensor of this rank: the
   axes of the index replace that axis. */
static struct gather_attr along(int rank, int axis, int index_rank) {
    struct gather_attr attr = {.rank = rank - 1 + index_rank, .end = axis + index_rank};
    for (int i = 0; i < rank; i++) attr.axis[i] = (uint8_t)(i < axis ? i : i - 1 + index_rank);
    attr.axis[axis] = GATHER_INDEXED;
    return attr;
}

ty_tensor *refuse_index(const char *name, ty_tensor *x) {
    if (!ty_ok(x)) return tensor_share_in(name, x);
    if (dtype_is(ty_dtype_of(x), CLASS_INTEGER)) return NULL;
    return refuse(name, 1, &x, E_DTYPE, "an index must be of an integer dtype, not %s",
                  ty_dtype_name(ty_dtype_of(x)));
}

ty_tensor *ty_gather(ty_tensor *x, ty_tensor *index, int axis) {
    ty_tensor *operands[] = {x, index}, *bad = first_poison(2, operands);
    int rank = bad ? 0 : ty_rank(x), at = axis_normal(axis, rank);
    if (bad) return bad;
    if (at < 0 || at >= rank) return refuse_axis_of("gather", 2, operands, axis, rank);
    struct gather_attr attr = along(rank, at, ty_rank(index));
    return gather_at(x, &attr, 1, &index);
}

/* Check slices g of scatter_add against their index: its axes must have the sizes of those of g from `axis`
   on. `axis` and `size` are axis and size of the indexed axis of the result. Return poison, or NULL if all
   fits. */
static ty_tensor *refuse_slices(ty_tensor *g, ty_tensor *index, int axis, int64_t size) {
    ty_tensor *operands[] = {g, index};
    int n = ty_rank(index), rank = ty_rank(g) - n + 1;
    if (!dtype_is(ty_dtype_of(index), CLASS_INTEGER))
        return refuse("scatter_add", 2, operands, E_DTYPE, "an index must be of an integer dtype, not %s",
                      ty_dtype_name(ty_dtype_of(index)));
    if (rank < 1)
        return refuse("scatter_add", 2, operands, E_SHAPE,
                      "the slices have rank %d, less than the index's %d", ty_rank(g), n);
    if (axis < 0 || axis >= rank) return refuse_axis_of("scatter_add", 2, operands, axis, rank);
    if (!shape_equal(n, ty_shape(g) + axis, n, ty_shape(index)))
        return refuse("scatter_add", 2, operands, E_SHAPE,
                      "the slices' axes from %d on must have the index's sizes", axis);
    if (size < 0)
        return refuse("scatter_add", 2, operands, E_ARGUMENT, "size %lld is negative", (long long)size);
    return NULL;
}

ty_tensor *ty_scatter_add(ty_tensor *g, ty_tensor *index, int axis, int64_t size) {
    ty_tensor *operands[] = {g, index}, *bad = first_poison(2, operands);
    if (bad) return bad;
    int n = ty_rank(index), rank = ty_rank(g) - n + 1, at = axis_normal(axis, rank);
    if (rank > TY_MAX_RANK)
        return refuse("scatter_add", 2, operands, E_SHAPE, "the result would have %d axes", rank);
    bad = refuse_slices(g, index, at, size);
    if (bad) return bad;
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(g)[i < at ? i : i - 1 + n];
    shape[at] = size;
    if (dtype_is(ty_dtype_of(g), CLASS_BOOL))
        return refuse("scatter_add", 2, operands, E_DTYPE, "bool cannot be added; use ty_cast");
    struct gather_attr attr = along(rank, at, n);
    ty_scope *scope = ty_open();
    ty_tensor *zeros = ty_broadcast(ty_scalar(ty_dtype_of(g), 0), rank, shape);
    return leave(scope, scatter_at(zeros, g, TY_SCATTER_ADD, &attr, 1, &index));
}

ty_tensor *ty_one_hot(ty_tensor *index, int64_t depth, ty_dtype dtype) {
    ty_tensor *bad = refuse_index("one_hot", index);
    if (bad) return bad;
    if (depth < 0)
        return refuse("one_hot", 1, &index, E_ARGUMENT, "depth %lld is negative", (long long)depth);
    if (!dtype_valid(dtype)) return refuse_dtype_of("one_hot", 1, &index, dtype);
    int64_t shape[TY_MAX_RANK];
    int rank = ty_rank(index);
    if (rank == TY_MAX_RANK)
        return refuse("one_hot", 1, &index, E_SHAPE, "the result would have %d axes", rank + 1);
    if (rank) memcpy(shape, ty_shape(index), sizeof *shape * (size_t)rank);
    shape[rank] = depth;
    struct composite c = composite_open_plain(NULL, ty_size(index), 1, &index);
    ty_tensor *places = ty_iota(TY_I64, 1, &depth, 0);
    /* Broadcast before the cast, so that the index is cast where it is compared. */
    ty_tensor *each = ty_cast(ty_broadcast(ty_expand(index, -1), rank + 1, shape), TY_I64);
    return composite_close(c, ty_cast(ty_eq(each, places), dtype));
}

ty_tensor *index_flat(ty_tensor *x) {
    int64_t size = ty_size(x);
    return ty_ok(x) ? reshape_like(x, 1, &size) : x;
}

/* Return zeros (i64) of the index's shape, by a gather that fails for indices outside of an axis of `size`;
   it reads zeros that take no memory. `labels` refuses negative indices; `words` is the wording of the fault. */
static ty_tensor *looked_up(ty_tensor *index, int64_t size, bool labels, enum index_words words) {
    struct gather_attr attr = along(1, 0, ty_rank(index));
    attr.labels = labels;
    attr.mode = words;
    return gather_at(ty_broadcast(ty_scalar(TY_I64, 0), 1, &size), &attr, 1, &index);
}

/* Return labels as i64, with the same shape; computing the result fails unless all are in 0 .. classes-1.
   They are converted to unsigned, so that negative ones become too large, and checked by a gather. Poison on
   failure. */
ty_tensor *labels_checked(ty_tensor *labels, int64_t classes) {
    ty_tensor *label = ty_cast(labels, TY_I64);
    return ty_add(label, looked_up(ty_cast(label, TY_U64), classes, true, WORDS_LABEL));
}

ty_tensor *rows_numbered(ty_tensor *x, ty_tensor *index) {
    ty_tensor *operands[] = {x, index}, *bad = first_poison(2, operands);
    if (bad) return bad;
    struct gather_attr attr = along(ty_rank(x), 0, ty_rank(index));
    attr.labels = true;
    attr.mode = WORDS_ROW;
    ty_scope *scope = ty_open();
    ty_tensor *number = ty_cast(index, TY_U64);
    return leave(scope, gather_at(x, &attr, 1, &number));
}

ty_tensor *none_of(ty_tensor *wrong, enum index_words words) {
    ty_tensor *count = ty_sum(ty_cast(wrong, TY_I64), TY_ALL);
    return looked_up(ty_cast(count, TY_U64), 1, true, words);
}

bool index_outside(int words, int64_t value, const char *place, int64_t size, struct fault *fault) {
    static const struct {
        const char *what, *range;
    } rows[INDEX_WORDS] = {
#define WORDS(name, what, range) {what, range},
#include "ops/index/words.def"
    };
    const char *what = rows[words].what, *range = rows[words].range;
    if (range)
        return fault_set(fault, E_DOMAIN, "%lld of the %s are out of range; expected %s", (long long)value,
                         what, range);
    return fault_set(fault, E_INDEX, "%s %lld at [%s] is out of bounds; expected 0..%lld", what,
                     (long long)value, place, (long long)size - 1);
}

bool index_refused(const struct kernel *k, int input, const int64_t *at, int64_t value, int axis,
                   int64_t size, struct fault *fault) {
    const struct gather_attr *attr = k->attr;
    bool large = dtype_is(k->inputs[input].dtype, CLASS_UNSIGNED);
    char number[24], place[256] = "";
    size_t used = 0;
    for (int i = 0; i < k->inputs[input].layout.rank && used < sizeof place - 24; i++)
        used += (size_t)snprintf(place + used, sizeof place - used, "%s%lld", i ? "," : "", (long long)at[i]);
    if (attr->labels) return index_outside(attr->mode, value, place, size, fault);
    snprintf(number, sizeof number, large ? "%llu" : "%lld", (long long)value);
    return fault_set(fault, E_INDEX,
                     "%s: index %s at [%s] is out of bounds for axis %d of size %lld: expected %lld..%lld",
                     k->op->name, number, place, axis, (long long)size, large ? 0LL : -(long long)size,
                     (long long)size - 1);
}

ty_tensor *index_checked(ty_tensor *index, int64_t size) {
    ty_tensor *bad = first_poison(1, &index);
    if (bad) return bad;
    ty_scope *scope = ty_open();
    ty_tensor *zero = looked_up(index, size, false, WORDS_LABEL), *i = ty_cast(index, TY_I64);
    return leave(scope, ty_add(ty_where(ty_lt(i, ty_int(0)), ty_add(i, ty_int(size)), i), zero));
}
