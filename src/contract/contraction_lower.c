/*
 * Lowers labels and layouts to typed dimensions.
 *
 * Each label is an affine form over dimensions, and each axis one over labels. A plain axis is its label; an
 * axis with a window is outer * stride + inner * dilation - low. Substitution gives each operand's strides
 * and offset. Operands of windows may overlap themselves, so a convolution needs neither a copy of its input
 * nor an operator of its own. A guard is made where padding is possible. Output windows are resolved first
 * (phases.c): in each phase two labels are forms over other dimensions.
 *
 * Types are those of Matthews, "High-performance tensor contraction without transposition" (SIAM J. Sci.
 * Comput. 40, 2018, section 2), with C for dimensions of all three operands (Springer and Bientinesi: a loop
 * over contractions). A dimension with stride 0 in an operand counts as absent there: a matmul with one
 * matrix for all batches is one tall matmul.
 */
#include "contract/phases.h"
#include "array/dtype.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/wide.h"
#include "contract/loops.h"
#include <string.h>

#define FAULT(code, ...) fault_set(l->fault, code, "contraction: " __VA_ARGS__)

enum { FORM_TERMS = 8, LABEL_COUNT = CONTRACT_WINDOW + CONTRACT_WINDOWS };
/* limit of a window's numbers, so that products of two fit 128 bits easily */
static const int64_t FARTHEST = (int64_t)1 << 47;

/* An affine form: the sum of coefficient[i] * index of dim[i], plus constant. */
struct lowered_form {
    int n, dim[FORM_TERMS];
    int64_t coefficient[FORM_TERMS], constant;
};

/* State of the lowering of one operator. */
struct lowering {
    const struct contract_attr *attr;
    const struct contract_operand *operands;
    struct arena *arena;
    struct fault *fault;
    int64_t size[LABEL_COUNT]; /* by plain label, 1 by default */
    /* in[side][label]: it is an axis of the side with size other than 1 */
    bool seen[LABEL_COUNT], in[3][LABEL_COUNT];
    bool kept[LABEL_COUNT]; /* by label: it is in the output */
    /* the current phase of each window; NULL: the window is on an input */
    const struct contract_phase *phase[CONTRACT_WINDOWS];
    struct lowered_form form[LABEL_COUNT]; /* by plain label, and by window on the output */
    ty_contraction *c;
};

static const char *const side_names[] = {"left", "right", "out"};

static const uint8_t *labels_of(const struct contract_attr *attr, int side, int *rank) {
    *rank = side == TY_LEFT ? attr->ra : side == TY_RIGHT ? attr->rb : attr->ro;
    return attr->labels + (side == TY_LEFT ? 0 : side == TY_RIGHT ? attr->ra : attr->ra + attr->rb);
}

/* ---- sizes ---- */

/* Merge a size of a label, found in operand `where`, with its known size, l->size[label]; they agree or one is
   1. False with the fault set on error. */
static bool meet_size(struct lowering *l, int label, int64_t size, const char *where) {
    l->seen[label] = true;
    if (size == 1 || l->size[label] == size) return true;
    if (l->size[label] != 1)
        return FAULT(E_SHAPE, "label %d has size %lld and, in %s, size %lld; sizes must match or be 1", label,
                     (long long)l->size[label], where, (long long)size);
    l->size[label] = size;
    return true;
}

/* Check the axes of an operand or of out against its labels, and merge their sizes. False with the fault set on
   error. */
static bool meet_axes(struct lowering *l, int side) {
    int rank;
    const uint8_t *labels = labels_of(l->attr, side, &rank);
    const struct layout *x = l->operands[side].layout;
    if (rank != x->rank)
        return FAULT(E_SHAPE, "%s has %d axes but %d labels", side_names[side], x->rank, rank);
    for (int i = 0; i < rank; i++) {
        if (labels[i] >= CONTRACT_WINDOW + l->attr->nwindows)
            return FAULT(E_ARGUMENT, "%s names window %d, but there are %d", side_names[side],
                         labels[i] - CONTRACT_WINDOW, l->attr->nwindows);
        l->in[side][labels[i]] |= x->shape[i] != 1;
        l->kept[labels[i]] |= side == TY_OUT;
        if (labels[i] < CONTRACT_WINDOW && !meet_size(l, labels[i], x->shape[i], side_names[side]))
            return false;
    }
    return true;
}

static bool is_far(int64_t n) { return n > FARTHEST || n < -FARTHEST; }

/* Check the numbers of window i, and merge the sizes of its labels. False with the fault set on error. */
static bool check_window(struct lowering *l, int i) {
    const struct contract_window *w = &l->attr->windows[i];
    if (w->stride < 1 || w->dilation == 0 || w->outer_size < 0 || w->inner_size < 0 || w->length < 0)
        return FAULT(E_SHAPE,
                     "window %d has stride %lld, dilation %lld, sizes %lld and %lld, length "
                     "%lld; expected stride 1 or more, dilation not 0, sizes 0 or more",
                     i, (long long)w->stride, (long long)w->dilation, (long long)w->outer_size,
                     (long long)w->inner_size, (long long)w->length);
    if (is_far(w->stride) || is_far(w->dilation) || is_far(w->low) || is_far(w->outer_size) ||
        is_far(w->inner_size) || is_far(w->length))
        return FAULT(E_LIMIT, "window %d has numbers beyond 2^47", i);
    if (w->outer == w->inner || w->outer >= CONTRACT_WINDOW || w->inner >= CONTRACT_WINDOW)
        return FAULT(E_ARGUMENT, "window %d moves along labels %d and %d; expected two plain labels", i,
                     w->outer, w->inner);
    return meet_size(l, w->outer, w->outer_size, "a window") &&
           meet_size(l, w->inner, w->inner_size, "a window");
}

/* ---- forms ---- */

/* Append a dimension of this size and return its index; -1 with the fault set if there are too many. */
static int add_dim(struct lowering *l, int64_t size) {
    if (l->c->ndims == TY_CONTRACTION_DIMS) {
        FAULT(E_LIMIT, "more than %d dimensions", TY_CONTRACTION_DIMS);
        return -1;
    }
    l->c->dims[l->c->ndims] = (ty_dim){.size = size};
    return l->c->ndims++;
}

static bool form_too_long(struct lowering *l) {
    return FAULT(E_LIMIT, "an axis depends on more than %d dimensions", FORM_TERMS);
}

/* Add factor * *from to *to, linear forms of dimensions' indices. False with the fault set on error. */
static bool form_add(struct lowering *l, struct lowered_form *to, const struct lowered_form *from,
                     int64_t factor) {
    for (int i = 0; i <= from->n; i++) {
        int64_t product, *place = &to->constant;
        if (i < from->n) {
            int j = 0;
            while (j < to->n && to->dim[j] != from->dim[i]) j++;
            if (j == FORM_TERMS) return form_too_long(l);
            if (j == to->n) to->dim[to->n++] = from->dim[i], to->coefficient[j] = 0;
            place = &to->coefficient[j];
        }
        if (!checked_mul(i < from->n ? from->coefficient[i] : from->constant, factor, &product) ||
            !checked_add(*place, product, place))
            return FAULT(E_LIMIT, "a stride times a window's stride or dilation is beyond 64 bits");
    }
    return true;
}

/* Add coefficient * index of dimension `dim` to the linear form *to. False with the fault set on error. */
static bool form_step(struct lowering *l, struct lowered_form *to, int dim, int64_t coefficient) {
    struct lowered_form one = {1, {dim}, {1}, 0};
    return form_add(l, to, &one, coefficient);
}

static bool form_plain(struct lowering *l, int label) {
    int dim = add_dim(l, l->size[label]);
    return dim >= 0 && form_step(l, &l->form[label], dim, 1);
}

/* Make a guard, 0 <= at < size, for the position that the linear form `at` gives on a side, unless it always
   holds. False with the fault set on error. */
static bool guard(struct lowering *l, ty_side side, const struct lowered_form *at, int64_t size) {
    ty_contraction *c = l->c;
    ty_guard made = {side, {-1, -1}, {0, 0}, at->constant, size};
    wide least = wide_of(at->constant), most = least;
    int n = 0;
    for (int i = 0; i < at->n; i++) {
        int64_t extent = c->dims[at->dim[i]].size, step = at->coefficient[i];
        if (extent == 0) return true;
        if (extent == 1 || step == 0) continue;
        if (n < 2) made.dim[n] = at->dim[i], made.coefficient[n] = step;
        n++;
        wide *end = step < 0 ? &least : &most;
        *end = wide_add(*end, wide_product(step, extent - 1));
    }
    if (!wide_less(least, wide_of(0)) && wide_less(most, wide_of(size))) return true;
    if (n > 2)
        return FAULT(E_LIMIT,
                     "padding of %s depends on %d dimensions; windows with shared labels "
                     "may depend on at most two",
                     side_names[side], n);
    if (c->nguards == TY_CONTRACTION_GUARDS)
        return FAULT(E_LIMIT, "more than %d axes with padding", TY_CONTRACTION_GUARDS);
    c->guards[c->nguards++] = made;
    return true;
}

/* Make guards, 0 <= at < size for a linear form, on the operands with the label, else on left. False with the
   fault set on error. */
static bool guard_label(struct lowering *l, int label, const struct lowered_form *at, int64_t size) {
    bool right = l->in[TY_RIGHT][label], left = l->in[TY_LEFT][label] || !right;
    return (!left || guard(l, TY_LEFT, at, size)) && (!right || guard(l, TY_RIGHT, at, size));
}

/* Set the linear forms of the labels of output window i over three new dimensions, q, p and t, by its present
   phase. Guards drop products whose outer or inner index is out of range. False with the fault set on error. */
static bool form_phase(struct lowering *l, int i) {
    const struct contract_window *w = &l->attr->windows[i];
    const struct contract_phase *phase = l->phase[i];
    struct lowered_form *place = &l->form[CONTRACT_WINDOW + i], *outer = &l->form[w->outer],
                        *inner = &l->form[w->inner];
    int q = add_dim(l, phase->outer), p = add_dim(l, phase->count), t = add_dim(l, phase->inner);
    if (q < 0 || p < 0 || t < 0) return false;
    place->constant = phase->base;
    inner->constant = phase->first;
    outer->constant = phase->shift;
    if (!form_step(l, place, q, w->stride) || !form_step(l, place, p, 1) ||
        !form_step(l, inner, t, phase->step) || !form_step(l, inner, p, phase->rise) ||
        !form_step(l, outer, q, 1) || !form_step(l, outer, t, -phase->back))
        return false;
    return guard_label(l, w->outer, outer, w->outer_size) && guard_label(l, w->inner, inner, w->inner_size);
}

/* Make the linear forms of all labels: phases of windows on the output, then a dimension for each other label.
   False with the fault set on error. */
static bool make_forms(struct lowering *l) {
    for (int label = 0; label < CONTRACT_WINDOW + l->attr->nwindows; label++)
        if (l->seen[label] || label >= CONTRACT_WINDOW) l->form[label] = (struct lowered_form){0};
    bool done[CONTRACT_WINDOW] = {false};
    for (int i = 0; i < l->attr->nwindows; i++)
        if (l->phase[i]) {
            if (!form_phase(l, i)) return false;
            done[l->attr->windows[i].outer] = done[l->attr->windows[i].inner] = true;
        }
    for (int label = 0; label < CONTRACT_WINDOW; label++)
        if (l->seen[label] && !done[label] && !form_plain(l, label)) return false;
    return true;
}

/* ---- strides ---- */

/* Add to *at, 0 before, the form of a position on an axis of `size` elements; guard windows. False with the
   fault set on error. */
static bool axis_form(struct lowering *l, int side, int label, int64_t size, struct lowered_form *at) {
    if (label < CONTRACT_WINDOW || side == TY_OUT) return form_add(l, at, &l->form[label], 1);
    const struct contract_window *w = &l->attr->windows[label - CONTRACT_WINDOW];
    if (size != w->length)
        return FAULT(E_SHAPE, "an axis of %s has size %lld; its window needs %lld", side_names[side],
                     (long long)size, (long long)w->length);
    at->constant = -w->low;
    return form_add(l, at, &l->form[w->outer], w->stride) &&
           form_add(l, at, &l->form[w->inner], w->dilation) && guard(l, (ty_side)side, at, w->length);
}

/* Compute the offset of a side and its stride along each dimension from its axes' linear forms. False with the
   fault set on error. */
static bool add_strides(struct lowering *l, int side) {
    int rank;
    const uint8_t *labels = labels_of(l->attr, side, &rank);
    const struct layout *x = l->operands[side].layout;
    struct lowered_form total = {.constant = x->offset};
    l->c->offset[side] = x->offset;
    for (int i = 0; i < rank; i++) {
        struct lowered_form at = {0};
        if (labels[i] < CONTRACT_WINDOW && x->shape[i] == 1) continue;
        if (!axis_form(l, side, labels[i], x->shape[i], &at)) return false;
        total = (struct lowered_form){0};
        if (!form_add(l, &total, &at, x->strides[i])) return false;
        for (int j = 0; j < total.n; j++) l->c->dims[total.dim[j]].stride[side] += total.coefficient[j];
        l->c->offset[side] += total.constant;
    }
    return true;
}

/* ---- types and order ---- */

/* True if dimension a is outside b: kept before summed, then by descending strides (of out if kept, of both
   operands if summed). */
static bool before(const ty_dim *a, const ty_dim *b) {
    if ((a->type == TY_DIM_K) != (b->type == TY_DIM_K)) return b->type == TY_DIM_K;
    if (a->type != TY_DIM_K)
        return contraction_magnitude(a->stride[TY_OUT]) > contraction_magnitude(b->stride[TY_OUT]);
    return contraction_magnitude(a->stride[TY_LEFT]) + contraction_magnitude(a->stride[TY_RIGHT]) >
           contraction_magnitude(b->stride[TY_LEFT]) + contraction_magnitude(b->stride[TY_RIGHT]);
}

/* Sort dimensions, outermost first: by stride in the output, summed ones last by their strides in the
   operands. */
static void sort(ty_contraction *c) {
    int place[TY_CONTRACTION_DIMS], now[TY_CONTRACTION_DIMS];
    for (int i = 0; i < c->ndims; i++) {
        ty_dim dim = c->dims[i];
        int j = i;
        for (; j > 0 && before(&dim, &c->dims[j - 1]); j--)
            c->dims[j] = c->dims[j - 1], place[j] = place[j - 1];
        c->dims[j] = dim, place[j] = i;
    }
    for (int i = 0; i < c->ndims; i++) now[place[i]] = i;
    for (int i = 0; i < c->nguards; i++)
        for (int j = 0; j < 2; j++)
            if (c->guards[i].dim[j] >= 0) c->guards[i].dim[j] = now[c->guards[i].dim[j]];
}

/* Set the type of each dimension: K if not kept, else by the operands that it steps; then sort them. */
static void set_types(struct lowering *l, const bool *kept) {
    ty_contraction *c = l->c;
    for (int i = 0; i < c->ndims; i++) {
        bool left = contraction_touches(c, TY_LEFT, i), right = contraction_touches(c, TY_RIGHT, i);
        c->dims[i].type = !kept[i] ? TY_DIM_K : left && right ? TY_DIM_C : right ? TY_DIM_N : TY_DIM_M;
    }
    sort(c);
}

static void find_kept(const struct lowering *l, bool *kept) {
    for (int label = 0; label < LABEL_COUNT; label++)
        for (int i = 0; l->kept[label] && i < l->form[label].n; i++) kept[l->form[label].dim[i]] = true;
}

/* Lower the present combination of phases into the contraction l->c. False with the fault set on error. */
static bool lower_part(struct lowering *l) {
    bool kept[TY_CONTRACTION_DIMS] = {false};
    l->c->primitive = TY_PRIMITIVE_SCALAR;
    for (int side = 0; side < 3; side++) l->c->dtype[side] = l->operands[side].dtype;
    l->c->sums = l->attr->sums ? (ty_dtype)(l->attr->sums - 1) : l->c->dtype[TY_OUT];
    if (!make_forms(l)) return false;
    for (int side = 0; side < 3; side++)
        if (!add_strides(l, side)) return false;
    find_kept(l, kept);
    set_types(l, kept);
    contraction_measure(l->c);
    return true;
}

/* ---- parts ---- */

static bool shares(const struct contract_window *a, const struct contract_window *b) {
    return a->outer == b->outer || a->outer == b->inner || a->inner == b->outer || a->inner == b->inner;
}

/* Return the number of elements of out at each position of window w's axis whose labels only the operand with
   the inner label has. Phases of other windows do not count. 0: both operands or none have the inner label. */
static int64_t beside_places(const struct lowering *l, const struct contract_window *w) {
    int64_t n = 1;
    ty_side with = l->in[TY_LEFT][w->inner] ? TY_LEFT : TY_RIGHT,
            without = with == TY_LEFT ? TY_RIGHT : TY_LEFT;
    if (l->in[TY_LEFT][w->inner] == l->in[TY_RIGHT][w->inner]) return 0;
    for (int label = 0; label < CONTRACT_WINDOW; label++)
        if (l->kept[label] && l->in[with][label] && !l->in[without][label] &&
            __builtin_mul_overflow(n, l->size[label], &n))
            return 0;
    return n;
}

/* Find the phases (residues modulo the stride) of window i if it is on the output, and multiply *count by their
   number. False with the fault set on error. */
static bool find_phases(struct lowering *l, int i, int64_t *count) {
    const struct contract_window *w = &l->attr->windows[i];
    int rank;
    const uint8_t *labels = labels_of(l->attr, TY_OUT, &rank);
    bool alone = false, ok;
    l->phase[i] = NULL;
    if (!l->kept[CONTRACT_WINDOW + i]) return true;
    for (int a = 0; a < rank; a++)
        if (labels[a] == CONTRACT_WINDOW + i && l->operands[TY_OUT].layout->shape[a] != w->length)
            return FAULT(E_SHAPE, "an axis of out has size %lld; its window needs %lld",
                         (long long)l->operands[TY_OUT].layout->shape[a], (long long)w->length);
    if (l->kept[w->outer] || l->kept[w->inner])
        return FAULT(E_SHAPE, "label %d of window %d is in the output next to the window's axis",
                     l->kept[w->outer] ? w->outer : w->inner, i);
    for (int j = 0; j < l->attr->nwindows; j++) {
        if (j == i || !shares(w, &l->attr->windows[j])) continue;
        alone = true;
        if (l->kept[CONTRACT_WINDOW + j])
            return FAULT(E_ARGUMENT, "windows %d and %d of the output share a label", i, j);
    }
    int64_t beside = beside_places(l, w), size = (int64_t)dtype_table[l->operands[TY_OUT].dtype].size;
    for (int j = i + 1; j < l->attr->nwindows; j++) /* inner axes with a single merged phase count too */
        if (l->phase[j] && !l->phase[j]->next && l->phase[j]->count <= INT32_MAX && beside <= INT32_MAX)
            beside *= l->phase[j]->count;
    l->phase[i] = contract_phases(w, alone, beside, size, l->arena, &ok);
    if (!ok) return fault_memory(l->fault, sizeof(struct contract_phase));
    int64_t n = 0;
    for (const struct contract_phase *p = l->phase[i]; p; p = p->next) n++;
    return checked_mul(*count, n, count) || FAULT(E_LIMIT, "too many phases of windows");
}

/* Advance l->phase[] to the next combination of phases; first[] are the first of each window. The last
   window's phase changes fastest. */
static void next_part(struct lowering *l, const struct contract_phase *const *first) {
    for (int i = l->attr->nwindows - 1; i >= 0; i--) {
        if (!l->phase[i]) continue;
        l->phase[i] = l->phase[i]->next;
        if (l->phase[i]) return;
        l->phase[i] = first[i];
    }
}

/* ---- parts without products ---- */

/* If part c has a K of size 0 and so no products, reduce it in place to its output dimensions and one such K,
   and return true. It then stores zeros. Return false, with c unchanged, if it has products. */
static bool keep_out(ty_contraction *c) {
    int n = 0;
    bool empty = false;
    for (int i = 0; i < c->ndims; i++) empty = empty || (c->dims[i].type == TY_DIM_K && c->dims[i].size == 0);
    if (!empty) return false;
    for (int i = 0; i < c->ndims; i++)
        if (c->dims[i].type != TY_DIM_K && c->dims[i].size != 1)
            c->dims[n++] = (ty_dim){TY_DIM_M, c->dims[i].size, {0, 0, c->dims[i].stride[TY_OUT]}};
    c->dims[n++] = (ty_dim){TY_DIM_K, 0, {0, 0, 0}};
    c->ndims = n;
    c->nguards = 0;
    c->offset[TY_LEFT] = c->offset[TY_RIGHT] = 0;
    contraction_measure(c);
    return true;
}

static bool equal(const ty_dim *a, const ty_dim *b) {
    return a->type == b->type && a->size == b->size && a->stride[TY_OUT] == b->stride[TY_OUT];
}

/* Merge part `second`, of zeros, into `first` if both together are one strided region. False, with nothing
   changed, if they are not. */
static bool join_zeros(ty_contraction *first, const ty_contraction *second) {
    const ty_contraction *more = first->ndims < second->ndims ? second : first,
                         *less = more == first ? second : first;
    int64_t between = second->offset[TY_OUT] - first->offset[TY_OUT];
    int extra = more->ndims - less->ndims, at = 0;
    if (extra > 1 || more->ndims == TY_CONTRACTION_DIMS) return false;
    while (at < less->ndims && equal(&more->dims[at], &less->dims[at])) at++;
    if (extra == 0 && at < less->ndims) return false;
    for (int i = at; i < less->ndims; i++)
        if (!equal(&more->dims[i + extra], &less->dims[i])) return false;
    ty_dim step = extra ? more->dims[at] : (ty_dim){TY_DIM_M, 1, {0, 0, between}};
    if (between != step.stride[TY_OUT] * (more == first ? step.size : 1)) return false;
    step.size++;
    if (more == second) memcpy(first->dims, second->dims, (size_t)second->ndims * sizeof *first->dims);
    first->ndims = less->ndims + 1;
    first->dims[extra ? at : first->ndims - 1] = step;
    sort(first);
    contraction_measure(first);
    return true;
}

/* Count the part just made. *zeros tells if the part before it is of zeros, and becomes true if this one is. If
   both are, and that is the previous phase of the last window (`neighbour`), merge them if possible. */
static void take_phase(struct contraction_parts *parts, bool neighbour, bool *zeros) {
    ty_contraction *made = &parts->items[parts->n];
    bool before = *zeros;
    *zeros = keep_out(made);
    if (!(*zeros && before && neighbour && join_zeros(made - 1, made))) parts->n++;
}

/* Check sizes and windows, and find the phases; *count is the number of their combinations. False with the fault
   set on error. */
static bool start(struct lowering *l, int64_t *count) {
    if (l->attr->nwindows < 0 || l->attr->nwindows > CONTRACT_WINDOWS)
        return FAULT(E_LIMIT, "%d windows; expected at most %d", l->attr->nwindows, CONTRACT_WINDOWS);
    for (int i = 0; i < LABEL_COUNT; i++) l->size[i] = 1;
    for (int side = 0; side < 3; side++)
        if (!meet_axes(l, side)) return false;
    for (int i = 0; i < l->attr->nwindows; i++)
        if (!check_window(l, i)) return false;
    for (int i = l->attr->nwindows - 1; i >= 0; i--)
        if (!find_phases(l, i, count)) return false;
    return true;
}

/* Lower all combinations of phases into parts. False with the fault set on error. */
static bool lower_parts(struct lowering *l, struct contraction_parts *parts) {
    const struct contract_phase *first[CONTRACT_WINDOWS];
    int64_t count = 1;
    if (!start(l, &count)) return false;
    for (int i = 0; i < CONTRACT_WINDOWS; i++) first[i] = l->phase[i];
    if (count > INT32_MAX || !(parts->items = arena_array(l->arena, (size_t)count, sizeof *parts->items)))
        return fault_memory(l->fault, sizeof *parts->items);
    int last = l->attr->nwindows - 1;
    while (last >= 0 && !first[last]) last--;
    bool zeros = false;
    for (int64_t i = 0; i < count; i++, next_part(l, first)) {
        l->c = &parts->items[parts->n];
        /* the previous contents were merged into another part */
        if (i > parts->n) *l->c = (ty_contraction){0};
        if (!lower_part(l)) return false;
        if (last < 0)
            parts->n++;
        else
            take_phase(parts, l->phase[last] != first[last], &zeros);
    }
    return true;
}

/* Lower labels to typed dimensions, windows to strides and guards, into *parts. False with the fault set on
   error. Scratch memory is not in the arena, which a kernel keeps. */
bool contraction_lower(struct contraction_parts *parts, const struct contract_attr *attr,
                       const struct contract_operand operands[3], struct arena *arena, struct fault *fault) {
    struct lowering *l = mem_alloc(sizeof *l);
    *parts = (struct contraction_parts){0};
    if (!l) return fault_memory(fault, sizeof *l);
    l->attr = attr;
    l->operands = operands;
    l->arena = arena;
    l->fault = fault;
    bool done = lower_parts(l, parts);
    mem_free(l);
    return done;
}
