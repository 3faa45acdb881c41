/*
 * Packing: copies an operand's box, with permuted axes, into the order in which the kernel reads it. copy.h moves
 * blocks as whole cache lines and transposes them in registers. Elements of other dtypes are then widened or
 * expanded. Right with contiguous columns is packed by the kernels (contract_carry.c).
 *
 * Guards make some positions count as zero. In PANELS the copy steps through one of a guard's two dimensions; along
 * the other the positions inside the guard are an interval, so each step is a smaller copy into zeros. A FOOTPRINT
 * joins both into one axis of touched positions, copied once with zeros around, and both dimensions step along it. So
 * a 3 x 3 window moves each pixel once, not nine times.
 */
#include <stdlib.h>
#include <string.h>
#include "contract/loops.h"
#include "engine/cpu/contract/contract_run.h"

/* Return the bytes of one element in the copy that packs a side; for a complex left a whole complex number. */
static int64_t unit_of(const struct contract_plan *p, int side) {
    return side == CONTRACT_LEFT && p->parts > 1 ? p->side[side].element : p->side[side].packed;
}

/* Complex rows of right in a panel, and complex numbers in each. */
struct complex_rows {
    int64_t rows, columns;
};

/* Return the rows (K) and columns (N) of right's box, or of one panel of it, as a matrix of complex
   numbers. */
static struct complex_rows complex_rows_of(const struct contract_plan *p, const struct contract_box *box) {
    struct complex_rows r = {1, 1};
    for (int d = 0; d < p->ndims - 2; d++) {
        r.rows *= p->dims[d].type == TY_DIM_K && p->dims[d].packed[CONTRACT_RIGHT] ? box->size[d] : 1;
        r.columns *= p->dims[d].type == TY_DIM_N && !p->dims[d].panel ? box->size[d] : 1;
    }
    return r;
}

/* Return the step of dimension d, in elements, in the destination of the copy that packs a side: packed memory, or
   dense complex rows that are expanded later. */
static int64_t step_of(const struct contract_plan *p, const struct contract_box *box, int side, int d) {
    int64_t step = box->step[d][side];
    if (side == CONTRACT_LEFT || p->parts == 1) return step / unit_of(p, side);
    struct complex_rows r = complex_rows_of(p, box);
    if (p->dims[d].panel) return r.rows * r.columns;
    if (p->dims[d].type == TY_DIM_N) return step / p->side[side].element;
    return step / (2 * box->step[p->ndims - 2][side]) * r.columns;
}

/* Return the dimension of K that is cut into groups, which the kernel multiplies at once; -1 if there is none. */
static int grouped_dim(const struct contract_plan *p) {
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].group > 1) return d;
    return -1;
}

/* Return the number of k's in the last group of the box if it is incomplete; 0 if it is full or there are no
   groups. */
static int64_t rest_of(const struct contract_plan *p, const struct contract_box *box) {
    int d = grouped_dim(p);
    return d < 0 ? 0 : box->size[d] % p->dims[d].group;
}

/* Append to b the axes of n elements of dimension d: whole groups, or one incomplete group. `stride` is that of an
   element in memory, `step` that of a group in packed memory, both in elements. */
static void add_axes(struct move_box *b, const struct box_dim *d, int64_t n, int64_t stride, int64_t step) {
    int64_t group = lesser(n, d->group);
    if (n > group) move_axis(b, n / group, stride * group, step);
    if (group > 1) move_axis(b, group, stride, 1);
}

/* Plan the copy that packs sizes[d] elements of each dimension d of a side into *plan. */
static void plan_side(const struct contract_plan *p, const struct contract_box *box, int side,
                      const int64_t *sizes, struct move_plan *plan) {
    struct move_box b;
    b.rank = 0;
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].dim >= 0 && box->step[d][side] && sizes[d] != 1)
            add_axes(&b, &p->dims[d], sizes[d], p->dims[d].stride[side], step_of(p, box, side, d));
    move_prepare(plan, &b, p->side[side].element, false);
    plan->copy.staged = false; /* packed rows are laid out to use different cache sets */
}

void contract_box_places(const struct contract_plan *p, const struct contract_box *box,
                         const struct box_walk *w, struct move_box *to) {
    for (int d = 0; d < p->ndims; d++) {
        const struct box_dim *dim = &p->dims[d];
        if (dim->dim < 0 || dim->type == TY_DIM_K) continue;
        bool on = w && contract_waits_along(p, dim->dim);
        if (on && dim->panel) continue;
        int64_t n = on ? w->place[contract_loop_inside(p, dim->dim)].extent : box->size[d];
        if (n > 1) move_axis(to, n, box->step[d][CONTRACT_OUT] / p->out_bytes, dim->stride[CONTRACT_OUT]);
    }
}

bool contract_box_packs(const struct contract_plan *p, int side) {
    return p->side[side].kind != TY_PACK_NONE && !p->side[side].guarded;
}

bool contract_box_stores(const struct contract_plan *p) {
    return p->waits && !p->together && !p->body && !p->narrow;
}

void contract_box_copies(const struct contract_plan *p, struct contract_box *box) {
    for (int side = CONTRACT_LEFT; side <= CONTRACT_RIGHT; side++)
        if (box->copy[side] && !rest_of(p, box)) plan_side(p, box, side, box->size, box->copy[side]);
    if (!box->place) return;
    struct move_box b;
    b.rank = 0;
    contract_box_places(p, box, NULL, &b);
    move_prepare(box->place, &b, p->out_bytes, p->bypass);
}

/* ---- guards ---- */

int64_t contract_first_of(const struct contract_plan *p, const struct box_walk *w, int dim) {
    int64_t first = 0;
    for (int l = 0; l < p->nloops; l++)
        if (p->loops[l].dim == dim) first += w->place[l].position;
    return first;
}

static int dim_of(const struct contract_plan *p, int dim) {
    for (int d = 0; dim >= 0 && d < p->ndims; d++)
        if (p->dims[d].dim == dim) return d;
    return -1;
}

int contract_see_guards(const struct contract_plan *p, const struct box_walk *w, int side,
                        struct seen_guard *seen) {
    int n = 0;
    for (int g = 0; g < p->c->nguards; g++) {
        const ty_guard *guard = &p->c->guards[g];
        if ((int)guard->side != side) continue;
        struct seen_guard *s = &seen[n++];
        *s = (struct seen_guard){.low = guard->low, .size = guard->size};
        for (int i = 0; i < 2; i++) {
            s->dim[i] = dim_of(p, guard->dim[i]);
            s->coefficient[i] = guard->coefficient[i];
            if (guard->dim[i] >= 0) s->low += contract_first_of(p, w, guard->dim[i]) * guard->coefficient[i];
        }
    }
    return n;
}

struct walked {
    int n, dim[TY_CONTRACTION_GUARDS];
    int64_t index[TY_CONTRACTION_GUARDS];
};

static int walked_place(const struct walked *t, int dim) {
    for (int i = 0; i < t->n; i++)
        if (t->dim[i] == dim) return i;
    return -1;
}

/* Set first[d] and size[d] to the range first[d] .. first[d] + size[d] - 1 of the box along each dimension d
   inside all n guards, outside which elements count as 0. Dimensions in t are fixed at t's indices. Return false
   if the range is empty. */
static bool part_of(const struct contract_box *box, int ndims, const struct seen_guard *seen, int n,
                    const struct walked *t, int64_t *first, int64_t *size) {
    int64_t end[TY_CONTRACTION_DIMS + 4];
    for (int d = 0; d < ndims; d++) {
        int place = walked_place(t, d);
        first[d] = place < 0 ? 0 : t->index[place];
        end[d] = place < 0 ? box->size[d] : first[d] + 1;
    }
    for (int g = 0; g < n; g++) {
        int free = seen[g].dim[0], still = seen[g].dim[1];
        int64_t low = seen[g].low + (still < 0 ? 0 : first[still] * seen[g].coefficient[1]);
        if (free >= 0)
            contraction_keep_inside(low, seen[g].coefficient[0], seen[g].size, &first[free], &end[free]);
        else if (low < 0 || low >= seen[g].size)
            return false;
    }
    for (int d = 0; d < ndims; d++) {
        size[d] = end[d] - first[d];
        if (size[d] <= 0) return false;
    }
    return true;
}

/* Pack the part of a side's box that begins at first[] and has size[] elements, with no incomplete group in it.
   `from` and `to` are the box's first elements in memory and in the copy, stage is scratch. */
static void copy_even(const struct contract_plan *p, const struct contract_box *box, int side,
                      const char *from, char *to, const int64_t *first, const int64_t *size, char *stage) {
    struct move_plan plan;
    int64_t written = unit_of(p, side);
    if (p->side[side].widen || (p->parts > 1 && side == CONTRACT_RIGHT)) written = p->side[side].element;
    plan_side(p, box, side, size, &plan);
    for (int d = 0; d < p->ndims; d++) {
        if (p->dims[d].dim < 0 || !p->dims[d].packed[side]) continue;
        from += first[d] * p->dims[d].stride[side] * p->side[side].element;
        to += first[d] / p->dims[d].group * step_of(p, box, side, d) * written;
    }
    move_run(&plan, from, to, stage);
}

/* Pack the part of a side's box that begins at first[] and has size[] elements: whole groups of k's, then the
   incomplete one. `from` and `to` are the box's first elements in memory and in the copy, stage is scratch.
   Changes first[] and size[]. */
static void copy_part(const struct contract_plan *p, const struct contract_box *box, int side,
                      const char *from, char *to, int64_t *first, int64_t *size, char *stage) {
    int64_t rest = rest_of(p, box);
    int d = grouped_dim(p);
    if (rest) size[d] -= rest;
    if (!rest || size[d]) copy_even(p, box, side, from, to, first, size, stage);
    if (!rest) return;
    first[d] += size[d];
    size[d] = rest;
    copy_even(p, box, side, from, to, first, size, stage);
}

/* Pack a box of which elements outside the guards count as 0, by one copy for each index of the guards' second
   dimensions. Reads from `from`; stage is scratch. Writes only elements inside the guards, so the caller fills
   `to` with zeros before. */
static void copy_guarded(const struct contract_plan *p, const struct contract_box *box, int side,
                         const struct box_walk *w, const char *from, char *to, char *stage) {
    struct seen_guard seen[TY_CONTRACTION_GUARDS];
    struct walked t = {0};
    int64_t first[TY_CONTRACTION_DIMS + 4], size[TY_CONTRACTION_DIMS + 2];
    int n = contract_see_guards(p, w, side, seen);
    for (int g = 0; g < n; g++)
        if (seen[g].dim[1] >= 0 && walked_place(&t, seen[g].dim[1]) < 0) t.dim[t.n++] = seen[g].dim[1];
    for (int i = 0;;) {
        if (part_of(box, p->ndims, seen, n, &t, first, size))
            copy_part(p, box, side, from, to, first, size, stage);
        for (i = t.n - 1; i >= 0; i--) {
            if (++t.index[i] < box->size[t.dim[i]]) break;
            t.index[i] = 0;
        }
        if (i < 0) return;
    }
}

/* ---- footprints ---- */

/* Return the index in seen[n] of the guard (condition for valid elements) that dimension d of the box belongs to;
   -1 if none. */
static int guard_of(const struct seen_guard *seen, int n, int d) {
    for (int g = 0; g < n; g++)
        if (seen[g].dim[0] == d || seen[g].dim[1] == d) return g;
    return -1;
}

/* An axis of a footprint: a dimension of the box, groups of one, or all positions that a guard's two dimensions
   touch. */
struct print_axis {
    int dim, guard;
    int64_t size, stride; /* stride: elements in memory */
    int64_t step;         /* bytes, packed */
    int64_t first, end;   /* range of positions inside the guard */
};

/* Move the axis along which the kernel reads contiguously to the end of axes[count], the innermost position. No
   change if the side has no such axis when packed. */
static void put_innermost(const struct contract_plan *p, int side, const struct seen_guard *seen,
                          struct print_axis *axes, int count) {
    int unit = p->ndims - 1, place = 0;
    ty_dim_type type = p->lanes ? TY_DIM_C : TY_DIM_N;
    while (unit >= 0 && p->dims[unit].type != type) unit--;
    if (unit < 0 || !p->dims[unit].packed[side]) return;
    for (; place < count; place++) {
        int guard = axes[place].guard;
        if (axes[place].dim == unit) break;
        if (guard >= 0 && (seen[guard].dim[0] == unit || seen[guard].dim[1] == unit)) break;
    }
    if (place == count) return;
    struct print_axis x = axes[place];
    for (; place + 1 < count; place++) axes[place] = axes[place + 1];
    axes[count - 1] = x;
}

/* List the axes of a side's footprint in axes[], those of n guards and of single dimensions, by descending
   stride. Only the axis along which the kernel reads contiguously is always last. Return their number. */
static int list_axes(const struct contract_plan *p, const struct contract_box *box, int side,
                     const struct seen_guard *seen, int n, struct print_axis *axes) {
    int count = 0;
    for (int g = 0; g < n; g++) {
        struct print_axis axis = {.dim = -1, .guard = g, .size = 1};
        for (int i = 0; i < 2; i++) {
            int d = seen[g].dim[i];
            if (d < 0) continue;
            axis.size += (box->size[d] - 1) * llabs(seen[g].coefficient[i]);
            axis.stride = p->dims[d].stride[side] / seen[g].coefficient[i];
        }
        axes[count++] = axis;
    }
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].packed[side] && guard_of(seen, n, d) < 0)
            axes[count++] = (struct print_axis){.dim = d,
                                                .guard = -1,
                                                .size = steps_of(&p->dims[d], box->size[d]),
                                                .stride = p->dims[d].stride[side] * p->dims[d].group};
    for (int i = 1; i < count; i++) /* memory order, largest stride outermost */
        for (int j = i; j > 0 && llabs(axes[j].stride) > llabs(axes[j - 1].stride); j--) {
            struct print_axis x = axes[j];
            axes[j] = axes[j - 1];
            axes[j - 1] = x;
        }
    put_innermost(p, side, seen, axes, count);
    return count;
}

/* Set the packed step of each of `count` axes in bytes, the last one innermost, and return the bytes of a side's
   footprint. Rows that vectors or tiles step along are padded to an odd number of cache lines, to use all sets
   evenly. */
static int64_t step_axes(const struct contract_plan *p, int side, struct print_axis *axes, int count) {
    enum { SHORT = 128 };
    int64_t bytes = p->side[side].packed * p->types.group;
    int innermost = p->ndims - 1;
    while (innermost >= 0 && p->dims[innermost].type != TY_DIM_K) innermost--;
    for (int i = count - 1; i >= 0; i--) {
        axes[i].step = bytes;
        bytes *= axes[i].size;
        bool down = p->lanes ? i == count - 1 : i > 0 && axes[i - 1].dim >= 0 && axes[i - 1].dim == innermost;
        if (down && bytes > SHORT && bytes % (2 * CACHE_LINE) == 0 && !p->side[side].widen)
            bytes += CACHE_LINE;
    }
    return bytes;
}

void contract_footprint_lay(const struct contract_plan *p, struct contract_box *box, int side) {
    struct seen_guard seen[TY_CONTRACTION_GUARDS];
    struct print_axis axes[TY_CONTRACTION_DIMS + 4];
    struct box_walk nowhere;
    for (int l = 0; l < p->nloops; l++) nowhere.place[l].position = 0;
    int n = contract_see_guards(p, &nowhere, side, seen), count = list_axes(p, box, side, seen, n, axes);
    box->length[side] = step_axes(p, side, axes, count);
    for (int i = 0; i < count; i++)
        if (axes[i].dim >= 0) box->step[axes[i].dim][side] = axes[i].step;
    box->corner[side] = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; axes[i].guard >= 0 && k < 2; k++) {
            const struct seen_guard *guard = &seen[axes[i].guard];
            int d = guard->dim[k];
            if (d < 0) continue;
            box->step[d][side] = guard->coefficient[k] * axes[i].step;
            if (guard->coefficient[k] < 0) box->corner[side] -= (box->size[d] - 1) * box->step[d][side];
        }
}

/* Write zeros outside the range first .. end-1 of each of `count` axes, for the positions inside the ranges of the
   outer axes. `to` is the packed position 0. */
static void clear_around(const struct print_axis *axis, int count, char *to) {
    if (count == 0) return;
    memset(to, 0, (size_t)(axis->first * axis->step));
    memset(to + axis->end * axis->step, 0, (size_t)((axis->size - axis->end) * axis->step));
    for (int64_t i = axis->first; i < axis->end && count > 1; i++)
        clear_around(axis + 1, count - 1, to + i * axis->step);
}

/* Set axis->first and axis->end to the range first .. end - 1 of positions inside the axis's guard; others count
   as 0. Return the position, relative to the box's first element, at which the axis begins. rest: elements of an
   incomplete group copied by itself; 0: the full groups. */
static int64_t find_good(const struct contract_plan *p, const struct contract_box *box,
                         const struct seen_guard *seen, struct print_axis *axis, int64_t rest) {
    int64_t lowest = 0;
    axis->first = 0;
    axis->end = axis->size;
    if (axis->guard < 0) {
        int64_t full = box->size[axis->dim] / p->dims[axis->dim].group;
        if (!rest) axis->end = full;
        if (rest && axis->dim == grouped_dim(p)) axis->first = full;
        return 0;
    }
    const struct seen_guard *guard = &seen[axis->guard];
    int64_t apart = 0; /* stride of the positions read; 1: maybe all are read */
    for (int k = 0; k < 2; k++) {
        if (guard->dim[k] < 0) continue;
        apart = apart ? 1 : llabs(guard->coefficient[k]);
        if (guard->coefficient[k] < 0) lowest += (box->size[guard->dim[k]] - 1) * guard->coefficient[k];
    }
    contraction_keep_inside(guard->low + lowest, 1, guard->size, &axis->first, &axis->end);
    if (apart > 1 && axis->end > axis->first) { /* memory may end after the last position that is read */
        axis->first = ceil_div(axis->first, apart) * apart;
        axis->end = greater(axis->first, (axis->end - 1) / apart * apart + 1);
    }
    return lowest;
}

/* Pack a side's box from `from` to `to` as a FOOTPRINT, each touched element once: copy all valid positions at
   once, with zeros around them. rest: k's of the incomplete group to copy; 0: copy the full groups. stage is
   scratch. */
static void copy_places(const struct contract_plan *p, const struct contract_box *box, int side,
                        const struct box_walk *w, const char *from, char *to, char *stage, int64_t rest) {
    struct seen_guard seen[TY_CONTRACTION_GUARDS];
    struct print_axis axes[TY_CONTRACTION_DIMS + 4];
    struct move_plan plan;
    struct move_box b;
    int n = contract_see_guards(p, w, side, seen), count = list_axes(p, box, side, seen, n, axes);
    int64_t element = p->side[side].element, bytes = step_axes(p, side, axes, count);
    int cleared = 0, grouped = grouped_dim(p);
    bool any = true;
    char *corner = to;
    b.rank = 0;
    for (int i = 0; i < count; i++) {
        struct print_axis *axis = &axes[i];
        int64_t lowest = find_good(p, box, seen, axis, rest), step = axis->step / p->side[side].packed;
        axis->step = step * element;
        if (axis->end - axis->first < axis->size) cleared = i + 1;
        any = any && axis->first < axis->end;
        move_axis(&b, axis->end - axis->first, axis->stride, step);
        from += (lowest + axis->first) * axis->stride * element;
        to += axis->first * axis->step;
    }
    if (!any && !rest) memset(corner, 0, (size_t)(bytes / p->side[side].packed * element));
    if (!any) return;
    if (!rest) clear_around(axes, cleared, corner);
    if (grouped >= 0) move_axis(&b, rest ? rest : p->types.group, p->dims[grouped].stride[side], 1);
    move_prepare(&plan, &b, element, false);
    move_run(&plan, from, to, stage);
}

static void copy_footprint(const struct contract_plan *p, const struct contract_box *box, int side,
                           const struct box_walk *w, const char *from, char *to, char *stage) {
    int64_t rest = rest_of(p, box);
    copy_places(p, box, side, w, from, to, stage, 0);
    if (rest) copy_places(p, box, side, w, from, to, stage, rest);
}

/* ---- slots ---- */

/* Pack a side's box at address `from` to `to`, by the method that its kind and guards need; stage is scratch. */
static void copy_side(const struct contract_plan *p, const struct contract_box *box, int side,
                      const struct box_walk *w, const char *from, char *to, char *stage) {
    if (p->side[side].kind == TY_PACK_FOOTPRINT) {
        copy_footprint(p, box, side, w, from, to, stage);
    } else if (p->side[side].guarded || rest_of(p, box)) {
        bool raw = p->side[side].widen || (p->parts > 1 && side == CONTRACT_RIGHT);
        memset(to, 0, (size_t)(raw ? p->side[side].raw : box->length[side]));
        copy_guarded(p, box, side, w, from, to, stage);
    } else {
        move_run(box->copy[side], from, to, stage);
    }
}

/* Expand dense complex rows of right to the real matrix that the kernel multiplies, panel by panel. */
static void expand(const struct contract_plan *p, const struct contract_box *box, const char *from,
                   char *to) {
    struct complex_rows r = complex_rows_of(p, box);
    int64_t pitch = box->step[p->ndims - 2][CONTRACT_RIGHT], panels = 1, panel = 0;
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].panel) panels = box->size[d], panel = box->step[d][CONTRACT_RIGHT];
    for (int64_t i = 0; i < panels; i++)
        p->kernels->expand[p->inner](r.rows, r.columns, to + i * panel, pitch,
                                     from + i * r.rows * r.columns * p->side[CONTRACT_RIGHT].element);
}

void contract_pack_box(const struct contract_plan *p, const struct contract_box *box, int side,
                       const struct box_walk *w, const char *from, char *to, char *raw, char *stage) {
    if (box->empty) return; /* an operand without elements must not be read */
    const struct contract_side *x = &p->side[side];
    bool expands = p->parts > 1 && side == CONTRACT_RIGHT;
    copy_side(p, box, side, w, from, x->widen || expands ? raw : to, stage);
    if (expands) expand(p, box, raw, to);
    if (x->widen) x->widen(box->length[side] / x->packed, to, raw, NULL, NULL);
}

char *contract_whole(const struct contract_call *call, int side, int64_t slot) {
    const struct contract_side *x = &call->plan->side[side];
    return (x->kept ? call->kept : call->shared) + call->plan->whole_at[side] + slot * x->bytes;
}

const char *contract_pack(const struct contract_call *call, struct contract_scratch *s, int side,
                          const struct box_walk *w, const struct contract_box *box) {
    const struct contract_plan *p = call->plan;
    const struct contract_side *x = &p->side[side];
    const char *from = (side == CONTRACT_LEFT ? call->left : call->right) + w->at[AT_LEFT + side];
    if (x->kind == TY_PACK_NONE) return from;
    int64_t slot = w->at[SLOT_LEFT + side], number = w->at[BOX_LEFT + side];
    if (x->kind == TY_PACK_WHOLE) return contract_whole(call, side, slot) + box->corner[side];
    char *to = s->packed[side] + slot * x->bytes;
    if (s->box_of[side][slot] != number) {
        contract_pack_box(p, box, side, w, from, to, s->raw, s->stage);
        s->box_of[side][slot] = number;
    }
    return to + box->corner[side];
}
