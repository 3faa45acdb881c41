/* Padding and concatenation as selections: where(guard, shifted part, else). */
#include <tyto/create.h>
#include "base/number.h"
#include "compile/passes/guards.h"
#include "ops/core/attributes.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/core/row_op.h"

enum { MOST_PARTS = 4 }; /* each part is computed at all positions */

/* ---- supported kernels ---- */

/* True if k, a PAD kernel, extends its operand, without inner padding, and keeps an element of it along each
   axis. */
static bool pad_fits(const struct kernel *k) {
    const struct layout *x = &k->inputs[0].layout, *y = &k->outputs[0].layout;
    const ty_padding *p = k->attr;
    bool grows = false;
    for (int i = 0; i < x->rank; i++) {
        int64_t low = greater(p[i].low, 0), high = lesser(p[i].low + x->shape[i], y->shape[i]);
        if (p[i].inner || low >= high) return false;
        grows = grows || high - low < y->shape[i];
    }
    return grows;
}

/* Return the size of part number `part` of k along the axis of concatenation. */
static int64_t size_of(const struct kernel *k, int part) {
    return k->inputs[part].layout.shape[((const struct concat_attr *)k->attr)->axis];
}

/* Positions of the axis covered by parts so far: an interval. */
struct taken {
    int64_t low, high;
};

/* True if the parts of k, a CONCAT kernel, taken in order always cover one interval and none is empty; a
   single part must not cover all. */
static bool concat_fits(const struct kernel *k) {
    const struct concat_attr *attr = k->attr;
    struct taken t = {attr->start[0], attr->start[0] + size_of(k, 0)};
    if (k->ncore > MOST_PARTS) return false;
    for (int i = 0; i < k->ncore; i++) {
        int64_t low = attr->start[i], high = low + size_of(k, i);
        if (low == high || low > t.high || high < t.low) return false;
        t = (struct taken){lesser(low, t.low), greater(high, t.high)};
    }
    return k->ncore > 1 || t.low > 0 || t.high < attr->length;
}

bool guards_can_turn(const struct kernel *k) {
    const struct layout *y = &k->outputs[0].layout;
    if (k->program || k->noutputs != 1 || shape_size(y->rank, y->shape) < 2) return false;
    return k->kind == KERNEL_PAD ? pad_fits(k) : k->kind == KERNEL_CONCAT && concat_fits(k);
}

bool guards_part_is_large(const struct kernel *k, int i) {
    const struct layout *x = &k->inputs[i].layout, *y = &k->outputs[0].layout;
    int64_t stretch = 1;
    for (int axis = x->rank - 1; axis >= 0; axis--) {
        stretch *= lesser(x->shape[axis], y->shape[axis]);
        if (x->shape[axis] != y->shape[axis]) break;
    }
    return stretch >= GUARDS_LONG || 2 * shape_size(x->rank, x->shape) >= shape_size(y->rank, y->shape);
}

bool guards_overlap(const struct kernel *k) {
    const struct concat_attr *attr = k->attr;
    for (int i = 0; i < k->ncore; i++)
        for (int j = 0; j < i; j++)
            if (attr->start[i] < attr->start[j] + size_of(k, j) &&
                attr->start[j] < attr->start[i] + size_of(k, i))
                return true;
    return false;
}

/* ---- operands ---- */

/* Return the block of a scalar constant of this dtype, `value` 0 or (bool) true, added on first use. -1, with
   the fault set, on failure. */
static int constant(struct guards *g, ty_dtype dtype, double value) {
    int *block = value ? &g->truth : &g->zeros[dtype];
    if (*block >= 0) return *block;
    ty_scope *scope = ty_open();
    ty_tensor *leaf = ty_scalar(dtype, value);
    if (ty_ok(leaf))
        *block = flow_add_block(g->flow, BLOCK_CONSTANT, dtype, 1, leaf, g->fault);
    else
        fault_tensor(g->fault, leaf);
    ty_close(scope);
    return *block;
}

/* Make *out an operand of form's shape that reads the element at `offset` of `block` everywhere. False, with
   the fault set, on failure. */
static bool spread(struct guards *g, int block, int64_t offset, const struct operand *form,
                   struct operand *out) {
    *out = (struct operand){.slot = block, .dtype = g->flow->blocks[block].dtype};
    if (!layout_copy(&out->layout, &form->layout, &g->flow->arena))
        return fault_memory(g->fault, sizeof *out);
    for (int i = 0; i < out->layout.rank; i++) out->layout.strides[i] = 0;
    out->layout.offset = offset;
    return true;
}

/* Make *out a bool operand of form's shape that is true inside the box and false outside. False, with the
   fault set, on failure. */
static bool inside_of(struct guards *g, const struct guard *box, const struct operand *form,
                      struct operand *out) {
    int block = constant(g, TY_BOOL, 1);
    if (block < 0 || !spread(g, block, 0, form, out)) return false;
    struct guard *guard = guard_copy(form->layout.rank, NULL, box, &g->flow->arena);
    if (!guard) return fault_memory(g->fault, sizeof *guard);
    guard->free = false;
    out->guard = guard;
    return true;
}

/* Set *out to operand x in form's shape, with its element 0 at index at[] (one for each axis) and valid
   inside the box; recomputed there if that is better. False, with the fault set, on failure. */
static bool moved(struct guards *g, const struct operand *x, const int64_t *at, const struct guard *box,
                  const struct operand *form, struct operand *out) {
    *out = *x;
    if (!layout_copy(&out->layout, &form->layout, &g->flow->arena))
        return fault_memory(g->fault, sizeof *out);
    out->layout.offset = x->layout.offset;
    for (int i = 0; i < x->layout.rank; i++) {
        int64_t stride = x->layout.shape[i] > 1 ? x->layout.strides[i] : 0;
        out->layout.strides[i] = stride;
        out->layout.offset -= at[i] * stride;
    }
    if (!(out->guard = guard_copy(form->layout.rank, NULL, box, &g->flow->arena)))
        return fault_memory(g->fault, sizeof *box);
    guards_settle(g->flow, out);
    return guards_compute(g, out, form);
}

/* Return a copy of operand `form` that lies in `block` and has its dtype. */
static struct operand made(const struct guards *g, int block, const struct operand *form) {
    struct operand x = *form;
    x.slot = block;
    x.dtype = g->flow->blocks[block].dtype;
    return x;
}

/* Append an elementwise kernel that selects a inside the box and b outside, into block `to` (-1: a new one).
   *out is set to the operand of the result. False, with the fault set, on failure. */
static bool choose(struct guards *g, const struct guard *box, const struct operand *a,
                   const struct operand *b, int to, const struct operand *form, struct operand *out) {
    struct operand inputs[3] = {{0}, *a, *b};
    if (!inside_of(g, box, form, &inputs[0])) return false;
    int block = guards_map(g, ROW_OP(where), NULL, 0, 3, inputs, to, form);
    if (block >= 0) *out = made(g, block, form);
    return block >= 0;
}

/* ---- kernels ---- */

/* Set *box to a guard of form's shape that holds everywhere. */
static void box_everywhere(struct guard *box, const struct operand *form) {
    box->free = true;
    for (int i = 0; i < form->layout.rank; i++) {
        box->low[i] = 0;
        box->high[i] = form->layout.shape[i];
    }
}

/* Replace pad kernel k by kernels that select between the operand and the padding value. False, with the
   fault set, on failure. */
static bool turn_pad(struct guards *g, const struct kernel *k) {
    const struct operand *form = &k->outputs[0];
    const ty_padding *p = k->attr;
    int64_t low[TY_MAX_RANK], high[TY_MAX_RANK], at[TY_MAX_RANK];
    struct guard box = {true, low, high};
    struct operand x, value, result;
    for (int i = 0; i < form->layout.rank; i++) {
        at[i] = p[i].low;
        low[i] = greater(p[i].low, 0);
        high[i] = lesser(p[i].low + k->inputs[0].layout.shape[i], form->layout.shape[i]);
    }
    return moved(g, &k->inputs[0], at, &box, form, &x) &&
           spread(g, k->inputs[1].slot, k->inputs[1].layout.offset, form, &value) &&
           choose(g, &box, &x, &value, form->slot, form, &result);
}

/* Progress of a concatenation: the value and interval so far, and the next part. */
struct joined {
    const struct operand *form;
    int axis, last; /* index of the last part */
    struct operand value, part;
    struct taken taken, next;
    struct guard box;
    int64_t low[TY_MAX_RANK], high[TY_MAX_RANK];
};

/* Return a guard that holds in the interval t of the axis of concatenation; valid until the next call. */
static const struct guard *box_of(struct joined *j, struct taken t) {
    j->box = (struct guard){true, j->low, j->high};
    box_everywhere(&j->box, j->form);
    j->low[j->axis] = t.low;
    j->high[j->axis] = t.high;
    return &j->box;
}

/* Add the next part of a concatenation, j->part, to j->value: their sum where both are present, else a
   selection. `to` is the block of the final result, -1 if this is not the last part. False, with the fault
   set, on failure. */
static bool join(struct guards *g, struct joined *j, int to) {
    struct taken a = j->taken, b = j->next;
    struct operand sum = j->part;
    if (a.low < b.high && b.low < a.high) {
        struct operand both[2] = {j->value, j->part};
        bool all = a.low <= b.low && b.high <= a.high && b.low <= a.low && a.high <= b.high;
        int block = guards_map(g, ROW_OP(add), NULL, 0, 2, both, all ? to : -1, j->form);
        if (block < 0) return false;
        sum = made(g, block, j->form);
        if (all) {
            j->value = sum;
            return true;
        }
        bool within = a.low <= b.low && b.high <= a.high, around = b.low <= a.low && a.high <= b.high;
        if (!within && !choose(g, box_of(j, a), &sum, &j->part, around ? to : -1, j->form, &sum))
            return false;
        if (around) {
            j->value = sum;
            return true;
        }
    }
    return choose(g, box_of(j, b), &sum, &j->value, to, j->form, &j->value);
}

/* Set j->part to part i of concatenation k in the result's coordinates, and j->next to its interval along the
   axis. False, with the fault set, on failure. */
static bool next_part(struct guards *g, const struct kernel *k, struct joined *j, int i) {
    const struct concat_attr *attr = k->attr;
    int64_t at[TY_MAX_RANK] = {0};
    at[attr->axis] = attr->start[i];
    j->next = (struct taken){attr->start[i], attr->start[i] + size_of(k, i)};
    return moved(g, &k->inputs[i], at, box_of(j, j->next), j->form, &j->part);
}

/* Replace concatenation k by kernels that select or add its parts. False, with the fault set, on failure. */
static bool turn_concat(struct guards *g, const struct kernel *k) {
    const struct concat_attr *attr = k->attr;
    struct joined j = {.form = &k->outputs[0], .axis = attr->axis, .last = k->ncore - 1};
    struct taken all = {attr->length, 0};
    for (int i = 0; i < k->ncore; i++) {
        all.low = lesser(all.low, attr->start[i]);
        all.high = greater(all.high, attr->start[i] + size_of(k, i));
    }
    bool covers = all.low == 0 && all.high == attr->length;
    for (int i = 0; i < k->ncore; i++) {
        if (!next_part(g, k, &j, i)) return false;
        if (i == 0) {
            j.value = j.part;
            j.taken = j.next;
            continue;
        }
        if (!join(g, &j, covers && i == j.last ? j.form->slot : -1)) return false;
        j.taken = (struct taken){lesser(j.taken.low, j.next.low), greater(j.taken.high, j.next.high)};
    }
    struct operand zero;
    if (covers) return true;
    int block = constant(g, k->core_dtype, 0);
    return block >= 0 && spread(g, block, 0, j.form, &zero) &&
           choose(g, box_of(&j, all), &j.value, &zero, j.form->slot, j.form, &j.value);
}

bool guards_turn(struct guards *g, const struct kernel *k) {
    return k->kind == KERNEL_PAD ? turn_pad(g, k) : turn_concat(g, k);
}
