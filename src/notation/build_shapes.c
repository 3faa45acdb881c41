/* Notes of views and casts: operators on indices. */
#include <string.h>
#include "notation/build.h"
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"

static const struct layout *operand_layout(const struct writing *w, int64_t k) {
    return &node_of(w, k)->inputs[0]->layout;
}

/* True if node k is one number, or its operand is whole and has its shape, or is one number. */
bool note_same_whole(const struct writing *w, int64_t k) { return operand_facts(w, k, 0)->whole; }
bool note_single_whole(const struct writing *w, int64_t k) { return is_single(node_of(w, k)); }
bool note_spread_whole(const struct writing *w, int64_t k) {
    const ty_tensor *y = node_of(w, k), *x = y->inputs[0];
    bool same = shape_equal(x->layout.rank, x->layout.shape, y->layout.rank, y->layout.shape);
    return operand_facts(w, k, 0)->whole && (same || is_single(x));
}

struct note *note_same_build(struct writing *w, int64_t k, const struct place *at) {
    return build_at(w, k, 0, at);
}
struct note *note_spread_build(struct writing *w, int64_t k, const struct place *at) {
    return build_operand(w, k, 0, at);
}

struct note *note_cast_build(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *y = node_of(w, k), *x = y->inputs[0];
    struct note *operands[] = {build_at(w, k, 0, at),
                               note_word(&w->arena, NOTE_FUNCTION, ty_dtype_name(y->dtype))};
    bool part = dtype_is(x->dtype, CLASS_COMPLEX) && !dtype_is(y->dtype, CLASS_COMPLEX);
    if (part && !dtype_is(y->dtype, CLASS_BOOL))
        operands[0] = note_row(&w->arena, notation_of("real"), 1, operands);
    if (dtype_is(y->dtype, CLASS_BOOL))
        return note_pair(&w->arena, "ne", operands[0], note_integer(&w->arena, 0));
    const char *op = "(cast)";
    if (dtype_is(x->dtype, CLASS_BOOL)) op = "(truth)";
    if (dtype_is(y->dtype, CLASS_INTEGER) && dtype_is(x->dtype, CLASS_FLOAT | CLASS_COMPLEX)) op = "(trunc)";
    return note_row(&w->arena, notation_of(op), 2, operands);
}

/* ---- axes in another order ---- */

/* True if the axes of node k are exchanged: the transposition of a matrix. */
static bool is_transposition(const struct writing *w, int64_t k) {
    const ty_tensor *y = node_of(w, k);
    return y->layout.rank == 2 && ((const int32_t *)y->attr)[0] == 1;
}
bool note_permute_whole(const struct writing *w, int64_t k) {
    return note_single_whole(w, k) || (is_transposition(w, k) && operand_facts(w, k, 0)->whole);
}
struct note *note_permute_build(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *y = node_of(w, k);
    const int32_t *order = y->attr;
    struct note *index[TY_MAX_RANK];
    if (is_single(y)) return build_at(w, k, 0, &(struct place){at->bound, NULL});
    if (!at->index)
        return note_row(&w->arena, notation_of("(transpose)"), 1, (struct note *[]){build_at(w, k, 0, at)});
    for (int i = 0; i < y->layout.rank; i++) index[order[i]] = at->index[i];
    return build_at(w, k, 0, &(struct place){at->bound, index});
}

struct note *note_slice_build(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *y = node_of(w, k);
    const struct slice_attr *slice = y->attr;
    struct place here = build_single(w, y->layout.rank, at);
    struct note *index[TY_MAX_RANK];
    for (int i = 0; i < y->layout.rank && here.index; i++) index[i] = here.index[i];
    if (!here.index) return NULL;
    index[slice->axis] = note_index(&w->arena, index[slice->axis], slice->step, slice->start);
    return build_at(w, k, 0, &(struct place){at->bound, index});
}

struct note *note_diagonal_build(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *y = node_of(w, k);
    const int32_t *axes = y->attr; /* the two axes of the operand that the last of the result runs along */
    struct place here = build_single(w, y->layout.rank, at);
    struct note *index[TY_MAX_RANK];
    int rank = y->layout.rank + 1;
    if (!here.index) return NULL;
    for (int i = 0, from = 0; i < rank; i++)
        index[i] = i == axes[0] || i == axes[1] ? here.index[rank - 2] : here.index[from++];
    return build_at(w, k, 0, &(struct place){at->bound, index});
}

struct note *note_iota_build(struct writing *w, int64_t k, const struct place *at) {
    const ty_tensor *y = node_of(w, k);
    struct place here = build_single(w, y->layout.rank, at);
    return here.index ? here.index[*(const int32_t *)y->attr] : NULL; /* the attributes begin with the axis */
}

/* ---- axes split and joined ---- */

/* Return the row-major index over the axes [from, to) of `shape`. */
static struct note *joined(struct writing *w, const int64_t *shape, struct note *const *index, int from,
                           int to) {
    struct note *sum = note_integer(&w->arena, 0);
    int64_t stride = 1;
    for (int i = to - 1; i >= from && sum; stride *= shape[i--]) {
        if (shape[i] == 1) continue;
        struct note *part = note_index(&w->arena, index[i], stride, 0);
        sum = sum->kind == NOTE_NUMBER ? part : note_pair(&w->arena, "add", part, sum);
    }
    return sum;
}

/* Set index[from .. to) to the indices of the axes of `shape` that a row-major index over them has. */
static void split(struct writing *w, const int64_t *shape, struct note *linear, int from, int to,
                  struct note **index) {
    int64_t stride = 1, rest = 1;
    for (int i = from; i < to; i++) rest *= shape[i];
    for (int i = to - 1; i >= from; i--) {
        struct note *note = linear;
        if (stride > 1) note = note_pair(&w->arena, "floor_div", note, note_integer(&w->arena, stride));
        if (stride * shape[i] < rest)
            note = note_pair(&w->arena, "mod", note, note_integer(&w->arena, shape[i]));
        index[i] = shape[i] == 1 ? note_integer(&w->arena, 0) : note;
        stride *= shape[i];
    }
}

struct note *note_reshape_build(struct writing *w, int64_t k, const struct place *at) {
    const struct layout *to = &node_of(w, k)->layout, *from = operand_layout(w, k);
    struct note *index[TY_MAX_RANK];
    if (!at->index) return build_at(w, k, 0, at);
    for (int i = 0, j = 0; i < from->rank;) { /* groups of axes with as many elements in both shapes */
        int i0 = i, j0 = j;
        int64_t n = from->shape[i++], m = 1;
        while (j < to->rank && (m < n || to->shape[j] == 1)) {
            m *= to->shape[j++];
            while (n < m && i < from->rank) n *= from->shape[i++];
        }
        split(w, from->shape, joined(w, to->shape, at->index, j0, j), i0, i, index);
    }
    return build_at(w, k, 0, &(struct place){at->bound, index});
}
