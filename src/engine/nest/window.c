/* Pooling and the adjoint of windows: POOL, UNPOOL, POOL_TAKE, WINDOW_ADD. */
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"
#include "ops/core/op.h"

/* A pooled axis in a nest. */
struct pooled {
    const struct pool_window *window;
    int axis, out, tap; /* axis of the outputs, its dim, and the dim of taps */
    int inside;         /* register: index in x; NEST_NONE if it is always inside */
    int64_t bound;      /* of that index */
    int padded;         /* register: index in x with its padding; NEST_NONE if it is not needed */
};

/* ---- adaptive windows ---- */

/* Add a temporary of n elements and the nest that fills it: (i * times + add) / by. */
static int quotients(struct lowering *l, int64_t n, int64_t times, int64_t add, int64_t by) {
    int slot = lower_temporary(l, TY_I64, n);
    struct draft *d = nest_begin(l, "ends of adaptive windows", 1, &n, 0);
    int a = nest_index(d, add, 0, times), b = nest_bits(d, TY_I64, (uint64_t)by);
    ty_nest_write *write =
        nest_write(d, slot, TY_I64, 0, nest_op(d, false, "floor_div", TY_I64, TY_I64, a, b, NEST_NONE));
    if (write) nest_step(&write->to, 0, 1);
    nest_end(d);
    return slot;
}

/* Slots of the first and last + 1 elements of adaptive windows: `windows` of them over `length` elements. */
struct ends {
    int begin, end;
};
static struct ends adaptive_ends(struct lowering *l, int64_t windows, int64_t length) {
    return (struct ends){quotients(l, windows, length, 0, windows),
                         quotients(l, windows, length, length + windows - 1, windows)};
}

/* Bound dim `tap`, which counts elements, by the ends of the window at dim `out`. */
static void bound_by(struct draft *d, struct ends ends, int out, int tap) {
    int slots[] = {ends.begin, ends.end}, reads[2];
    for (int i = 0; i < 2; i++) {
        reads[i] = nest_read(d, slots[i], TY_I64, 0);
        nest_step(nest_read_of(d, reads[i]), out, 1);
    }
    if (d->l->failed) return;
    d->dims[tap].begin = reads[0];
    d->dims[tap].end = reads[1];
}

/* ---- maxima, sums, means ---- */

/* Return the register of i * stride + t * dilation + offset. */
static int tap_index(struct draft *d, const struct pooled *p, int64_t offset) {
    int r = nest_index(d, offset, p->out, p->window->stride);
    nest_step(nest_read_of(d, r), p->tap, p->window->dilation);
    return r;
}

/* Add strides of x along a pooled axis to an access that counts `stride` for each index of x. */
static void step_along(struct draft *d, int read, const struct pooled *p, int64_t stride) {
    ty_nest_access *to = nest_read_of(d, read);
    const struct pool_window *w = p->window;
    if (!to) return;
    if (!w->size) {
        nest_step(to, p->tap, stride);
        return;
    }
    nest_step(to, p->out, w->stride * stride);
    nest_step(to, p->tap, w->dilation * stride);
    to->offset -= w->low * stride;
}

/* Note where the taps of p are inside of x, and of x with padding. */
static void find_inside(struct draft *d, struct pooled *p, bool counts) {
    const struct pool_window *w = p->window;
    int64_t last = w->windows > 0 ? (w->windows - 1) * w->stride + (w->size - 1) * w->dilation - w->low : 0;
    p->inside = p->padded = NEST_NONE;
    if (!w->size || (w->low <= 0 && last < w->length)) return;
    p->inside = tap_index(d, p, -w->low);
    p->bound = w->length;
    if (counts && last >= w->length + w->high) p->padded = tap_index(d, p, 0);
}

/* Return the bool register that is true if all taps are inside, with padding if `padded`; NEST_NONE: they always
   are. */
static int all_inside(struct draft *d, int n, const struct pooled *p, bool padded) {
    ty_nest_term terms[POOL_AXES];
    int count = 0;
    for (int k = 0; k < n; k++) {
        int64_t bound = padded ? p[k].window->length + p[k].window->low + p[k].window->high : p[k].bound;
        int read = padded ? p[k].padded : p[k].inside;
        if (read != NEST_NONE) terms[count++] = (ty_nest_term){.read = read, .bound = bound};
    }
    return count ? nest_inside(d, count, terms) : NEST_NONE;
}

/* Read x at the taps. */
static int read_taps(struct draft *d, const struct pool_attr *attr, const struct pooled *p) {
    const struct operand *x = &d->l->k->inputs[0];
    int r = nest_read(d, lower_input(d->l, 0), x->dtype, x->layout.offset);
    for (int i = 0; i < x->layout.rank; i++) {
        bool windowed = i >= attr->axis && i < attr->axis + attr->axes;
        if (windowed)
            step_along(d, r, &p[i - attr->axis], x->layout.strides[i]);
        else if (x->layout.shape[i] != 1)
            nest_step(nest_read_of(d, r), i, x->layout.strides[i]);
    }
    for (int k = 0; k < attr->axes; k++)
        if (p[k].inside != NEST_NONE)
            nest_term(d, nest_read_of(d, r), (ty_nest_term){.read = p[k].inside, .bound = p[k].bound});
    return r;
}

/* Add the dims of taps.  Sums go along the last pooled axis last, as rows are joined first; places need row-major
   order. */
static void add_taps(struct draft *d, const struct pool_attr *attr, struct pooled *p,
                     const struct ends *ends) {
    bool places = attr->kind == POOL_INDEX;
    for (int n = 0; n < attr->axes; n++) {
        int k = places ? n : n == 0 ? attr->axes - 1 : n - 1;
        const struct pool_window *w = &attr->window[k];
        p[k] = (struct pooled){.window = w, .axis = attr->axis + k, .out = attr->axis + k};
        p[k].tap = nest_dim(d, w->size ? w->size : w->length, TY_NEST_FOLD);
        if (!w->size) bound_by(d, ends[k], p[k].out, p[k].tap);
    }
}

/* Return the register of the row-major index of the tap in the plane of x. */
static int place_of(struct draft *d, const struct pool_attr *attr, const struct pooled *p) {
    int r = nest_index(d, 0, -1, 0);
    int64_t stride = 1;
    for (int k = attr->axes - 1; k >= 0; stride *= attr->window[k--].length) step_along(d, r, &p[k], stride);
    return r;
}

/* Return the register of the sum divided by the number of elements that count. */
static int mean_of(struct draft *d, const struct pool_attr *attr, const struct pooled *p, int sum, int sums,
                   ty_dtype work) {
    if (attr->divisor != 0)
        return nest_op(d, true, "div", work, work, sum, nest_constant(d, work, attr->divisor), NEST_NONE);
    (void)sums;
    bool padding = attr->count_padding;
    int when = all_inside(d, attr->axes, p, padding);
    ty_nest_fold count = {.kind = TY_NEST_SUM, .dtype = TY_I64};
    int n = nest_fold(d, count, nest_bits(d, TY_I64, 1), 0, when), zero = nest_bits(d, TY_I64, 0);
    int empty = nest_op(d, true, "eq", TY_I64, TY_BOOL, n, zero, NEST_NONE);
    int divisor = nest_op(d, true, "where", TY_I64, TY_I64, empty, nest_bits(d, TY_I64, 1), n);
    return nest_op(d, true, "div", work, work, sum, nest_cast(d, true, divisor, TY_I64, work), NEST_NONE);
}

static void lower_values(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct pool_attr *attr = k->attr;
    const struct operand *x = &k->inputs[0];
    struct pooled p[POOL_AXES];
    struct ends ends[POOL_AXES] = {{0}};
    for (int i = 0; i < attr->axes; i++)
        if (!attr->window[i].size)
            ends[i] = adaptive_ends(l, attr->window[i].windows, attr->window[i].length);
    struct draft *d = nest_over_outputs(l, "pool", attr->axes);
    if (!d) return;
    bool maxima = attr->kind == POOL_MAX || attr->kind == POOL_INDEX;
    ty_dtype work = dtype_table[maxima ? x->dtype : k->core_dtype].computed;
    add_taps(d, attr, p, ends);
    for (int i = 0; i < attr->axes; i++)
        find_inside(d, &p[i], attr->kind == POOL_MEAN && attr->count_padding);
    int when = all_inside(d, attr->axes, p, false);
    int value = nest_cast(d, false, read_taps(d, attr, p), x->dtype, work);
    ty_nest_fold fold = {.kind = attr->kind == POOL_MAX     ? TY_NEST_MAX
                                 : attr->kind == POOL_INDEX ? TY_NEST_ARGMAX
                                                            : TY_NEST_SUM,
                         .dtype = work};
    d->fixed = !maxima && attr->axes > 1;
    fold.spans = d->fixed;
    int second = attr->kind == POOL_INDEX ? place_of(d, attr, p) : 0;
    int result = nest_fold(d, fold, value, second, when);
    if (attr->kind == POOL_MEAN) result = mean_of(d, attr, p, result, 0, work);
    nest_deliver(d, nest_cast(d, true, result, attr->kind == POOL_INDEX ? TY_I64 : work, k->core_dtype));
    nest_end(d);
}

/* ---- SPREAD: each element of x sums the windows that it is in ---- */

/* Add a read of the windows with a tap at the element: window (x + low - t * dilation) / stride for tap t. */
static void lower_spread(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct pool_attr *attr = k->attr;
    const struct operand *g = &k->inputs[0];
    struct ends ends[POOL_AXES] = {{0}};
    ty_nest_term terms[POOL_AXES];
    int n = 0, taps[POOL_AXES];
    for (int i = 0; i < attr->axes; i++)
        if (!attr->window[i].size)
            ends[i] = adaptive_ends(l, attr->window[i].length, attr->window[i].windows);
    struct draft *d = nest_over_outputs(l, "spread windows", attr->axes);
    if (!d) return;
    for (int i = 0; i < attr->axes; i++) {
        int axis = i == 0 ? attr->axes - 1 : i - 1;
        const struct pool_window *w = &attr->window[axis];
        taps[axis] = nest_dim(d, w->size ? w->size : w->windows, TY_NEST_FOLD);
        if (!w->size) {
            bound_by(d, ends[axis], attr->axis + axis, taps[axis]);
            continue;
        }
        /* rows are added for taps in descending order, columns in ascending order */
        bool back = axis < attr->axes - 1;
        int64_t first = back ? (w->size - 1) * w->dilation : 0;
        int r = nest_index(d, w->low - first, attr->axis + axis, 1);
        nest_step(nest_read_of(d, r), taps[axis], back ? w->dilation : -w->dilation);
        terms[n++] = (ty_nest_term){.read = r,
                                    .exact = true,
                                    .bound = w->windows ? (w->windows - 1) * w->stride + 1 : 0,
                                    .divide = w->stride,
                                    .stride = g->layout.strides[attr->axis + axis]};
    }
    int r = nest_read(d, lower_input(l, 0), g->dtype, g->layout.offset);
    for (int i = 0; i < g->layout.rank; i++) {
        bool windowed = i >= attr->axis && i < attr->axis + attr->axes;
        if (windowed && !attr->window[i - attr->axis].size)
            nest_step(nest_read_of(d, r), taps[i - attr->axis], g->layout.strides[i]);
        if (!windowed && g->layout.shape[i] != 1) nest_step(nest_read_of(d, r), i, g->layout.strides[i]);
    }
    for (int t = 0; t < n; t++) nest_term(d, nest_read_of(d, r), terms[t]);
    ty_dtype work = dtype_table[k->core_dtype].computed;
    ty_nest_fold fold = {.kind = TY_NEST_SUM, .dtype = work, .spans = attr->axes > 1};
    d->fixed = attr->axes > 1;
    int when = n ? nest_inside(d, n, terms) : NEST_NONE;
    int result = nest_fold(d, fold, nest_cast(d, false, r, g->dtype, work), 0, when);
    nest_deliver(d, nest_cast(d, true, result, work, k->core_dtype));
    nest_end(d);
}

void lower_pool(struct lowering *l) {
    const struct pool_attr *attr = l->k->attr;
    (attr->kind == POOL_SPREAD ? lower_spread : lower_values)(l);
}

/* ---- places in a plane ---- */

/* Add terms to an access of layout x for a place in the plane of its windowed axes; -1 is outside. */
static void add_plane(struct draft *d, ty_nest_access *to, const struct layout *x, int read) {
    const struct pool_attr *attr = d->l->k->attr;
    int64_t volume = shape_size(attr->axes, x->shape + attr->axis), below = 1;
    for (int i = attr->axis + attr->axes - 1; i >= attr->axis; below *= x->shape[i--]) {
        if (volume == 0) below = 1;
        nest_term(d, to,
                  (ty_nest_term){.read = read,
                                 .bound = volume,
                                 .divide = below,
                                 .modulo = i == attr->axis ? 0 : x->shape[i],
                                 .stride = x->strides[i]});
    }
}

static bool is_windowed(const struct pool_attr *attr, int i) {
    return i >= attr->axis && i < attr->axis + attr->axes;
}

void lower_fill_zero(struct lowering *l, int slot, ty_dtype dtype, const struct layout *out) {
    struct draft *d = nest_begin(l, "fill with zeros", out->rank, out->shape, 0);
    ty_nest_write *write = nest_write(d, slot, dtype, 0, nest_constant(d, dtype, 0));
    if (write) nest_along(d, &write->to, out, NULL);
    nest_end(d);
}

void lower_unpool(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct pool_attr *attr = k->attr;
    const struct operand *g = &k->inputs[0];
    ty_dtype work = dtype_table[k->core_dtype].computed;
    struct layout out;
    int slot;
    lower_check_input(l, 1, -1, shape_size(attr->axes, k->outputs[0].layout.shape + attr->axis));
    bool apart = lower_whole(l, work, &slot, &out);
    lower_fill_zero(l, slot, work, &out);
    struct draft *d = nest_begin(l, "add at places", g->layout.rank, g->layout.shape, 0);
    if (!d) return;
    int place = nest_read_input(d, 1, NULL),
        value = nest_cast(d, false, nest_read_input(d, 0, NULL), g->dtype, work);
    ty_nest_write *write = nest_write(d, slot, work, out.offset, value);
    for (int i = 0; write && i < out.rank; i++) {
        if (is_windowed(attr, i))
            d->dims[i].role = TY_NEST_ORDERED;
        else if (out.shape[i] != 1)
            nest_step(&write->to, i, out.strides[i]);
    }
    if (write) {
        write->store = TY_NEST_ADD;
        add_plane(d, &write->to, &out, place);
    }
    nest_end(d);
    if (apart) lower_deliver(l, slot, work);
}

void lower_pool_take(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct pool_attr *attr = k->attr;
    const struct operand *x = &k->inputs[0];
    lower_check_input(l, 1, -1, shape_size(attr->axes, x->layout.shape + attr->axis));
    struct draft *d = nest_over_outputs(l, "take places", 0);
    if (!d) return;
    int place = nest_read_input(d, 1, NULL), r = nest_read(d, lower_input(l, 0), x->dtype, x->layout.offset);
    for (int i = 0; i < x->layout.rank; i++)
        if (!is_windowed(attr, i) && x->layout.shape[i] != 1)
            nest_step(nest_read_of(d, r), i, x->layout.strides[i]);
    add_plane(d, nest_read_of(d, r), &x->layout, place);
    nest_deliver(d, r);
    nest_end(d);
}

/* ---- WINDOW_ADD ---- */

/* Element p sums g at window (p - r * dilation) / stride, for taps r in ascending order. */
void lower_window_add(struct lowering *l) {
    const struct kernel *k = l->k;
    const struct window_attr *attr = k->attr;
    const struct operand *g = &k->inputs[0];
    const struct layout *x = &g->layout;
    int64_t windows = x->shape[attr->axis];
    struct draft *d = nest_over_outputs(l, "add windows", 1);
    if (!d) return;
    int tap = nest_dim(d, attr->size, TY_NEST_FOLD), at = nest_index(d, 0, attr->axis, 1);
    nest_step(nest_read_of(d, at), tap, -attr->dilation);
    ty_nest_term term = {.read = at,
                         .exact = attr->stride > 1,
                         .bound = windows ? (windows - 1) * attr->stride + 1 : 0,
                         .divide = attr->stride,
                         .stride = x->strides[attr->axis]};
    int when = nest_inside(d, 1, &term), r = nest_read(d, lower_input(l, 0), g->dtype, x->offset);
    for (int i = 0; i < x->rank - 1; i++)
        if (i != attr->axis && x->shape[i] != 1) nest_step(nest_read_of(d, r), i, x->strides[i]);
    nest_step(nest_read_of(d, r), tap, x->strides[x->rank - 1]);
    nest_term(d, nest_read_of(d, r), term);
    ty_dtype work = dtype_table[k->core_dtype].computed;
    int result = nest_fold(d, (ty_nest_fold){.kind = TY_NEST_SUM, .dtype = work},
                           nest_cast(d, false, r, g->dtype, work), 0, when);
    nest_deliver(d, nest_cast(d, true, result, work, k->core_dtype));
    nest_end(d);
}
