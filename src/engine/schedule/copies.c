/* Copies of operands that sums read often. */
#include <stdlib.h>
#include <string.h>

#include "engine/schedule/change.h"
#include "engine/schedule/tile.h"

enum { AXES = 16, TERMS = 4 };

/* Axis of a copy: dims of the nest step along it. */
struct axis {
    int64_t size;
    int64_t step;  /* of the operand for each index */
    int64_t first; /* value of the guard's index at index 0 */
    int term;      /* guard, -1: none */
};
/* A copy of read `read` of a nest. */
struct copy {
    int read, n;
    struct axis axis[AXES];
    int of[AXES];        /* by dim of the nest: its axis, -1: none */
    int64_t times[AXES]; /* and how far it steps */
};

/* ---- what to copy ---- */

static double product_of_sizes(const ty_nest *n) {
    double product = 1;
    for (int d = 0; d < n->ndims; d++) product *= (double)n->dims[d].size;
    return product;
}
static double size_of(const struct copy *c) {
    double size = 1;
    for (int i = 0; i < c->n; i++) size *= (double)c->axis[i].size;
    return size;
}

/* Add the axis of guard j of a read, along which the dims of its index step.  False if it is no plain guard. */
static bool add_guard(const ty_nest *n, struct copy *c, int j) {
    const ty_nest_access *a = &n->reads[c->read];
    const ty_nest_term *term = &a->terms[j];
    const ty_nest_access *index = &n->reads[term->read];
    struct axis axis = {.term = j, .first = index->offset};
    int64_t last = index->offset;
    bool plain = index->slot == TY_NEST_INDEX && !index->nterms && !term->stride && !term->wrap &&
                 !term->exact && term->divide == 1 && !term->modulo && c->n < AXES;
    for (int d = 0; plain && d < n->ndims; d++) {
        int64_t stride = index->strides[d], reach = stride * (n->dims[d].size - 1);
        if (!stride) continue;
        int64_t step = a->strides[d] / stride;
        plain = step * stride == a->strides[d] && (!axis.step || axis.step == step) && c->of[d] < 0 && step;
        axis.step = step;
        c->of[d] = c->n, c->times[d] = stride;
        *(stride < 0 ? &axis.first : &last) += reach;
    }
    axis.size = last - axis.first + 1;
    c->axis[c->n++] = axis;
    return plain;
}
/* Order axes by their steps, the longest one first. */
static void sort_axes(const ty_nest *n, struct copy *c) {
    for (int i = 1; i < c->n; i++)
        for (int k = i; k > 0 && llabs(c->axis[k - 1].step) < llabs(c->axis[k].step); k--) {
            struct axis axis = c->axis[k];
            c->axis[k] = c->axis[k - 1], c->axis[k - 1] = axis;
            for (int d = 0; d < n->ndims; d++) {
                if (c->of[d] == k)
                    c->of[d] = k - 1;
                else if (c->of[d] == k - 1)
                    c->of[d] = k;
            }
        }
}
/* Return a copy of read k that has no axes yet. */
static struct copy copy_of(int k) {
    struct copy c = {.read = k};
    for (int d = 0; d < AXES; d++) c.of[d] = -1;
    return c;
}
/* Add an axis along which dim d of the nest steps. */
static void add_axis(const ty_nest *n, struct copy *c, int d) {
    c->of[d] = c->n, c->times[d] = 1;
    c->axis[c->n++] =
        (struct axis){.size = n->dims[d].size, .step = n->reads[c->read].strides[d], .term = -1};
}
/* Describe a copy of read k without its guards.  False if it has none, or others than plain ones, or a copy costs much:
   USES is how often an element must be read. */
static bool without_guards(const ty_nest *n, int k, struct copy *c) {
    enum { USES = 16 };
    const ty_nest_access *a = &n->reads[k];
    *c = copy_of(k);
    if (a->slot < 0 || !a->nterms || a->nterms > TERMS || a->late || n->ndims > AXES) return false;
    for (int j = 0; j < a->nterms; j++)
        if (!add_guard(n, c, j)) return false;
    for (int d = 0; d < n->ndims; d++) {
        if (c->of[d] >= 0 || !a->strides[d]) continue;
        if (c->n == AXES) return false;
        add_axis(n, c, d);
    }
    sort_axes(n, c);
    return size_of(c) >= 1 && size_of(c) < 0x1p31 && product_of_sizes(n) >= USES * size_of(c);
}
/* ---- making copies ---- */

static int64_t *strides_room(struct change *change, int n) { return change_room(change, n, sizeof(int64_t)); }

/* Return the dim of a copy's nest for axis i: all but the last one read the operand in the order of memory. */
static int dim_of(const struct copy *c, int i) {
    int dim = 0;
    if (i == c->n - 1) return i;
    for (int k = 0; k < c->n - 1; k++) {
        int64_t more = llabs(c->axis[k].step) - llabs(c->axis[i].step);
        dim += more > 0 || (!more && k < i);
    }
    return dim;
}
/* Add the step that makes a copy in a new temporary; return its slot. */
static int add_copy(struct change *change, const ty_nest *n, const struct copy *c, int64_t below[AXES]) {
    const ty_nest_access *a = &n->reads[c->read];
    ty_nest *to = change_room(change, 1, sizeof *to);
    ty_nest_dim *dims = change_room(change, c->n, sizeof *dims);
    ty_nest_access *reads = change_room(change, TERMS, sizeof *reads);
    ty_nest_term *terms = change_room(change, TERMS, sizeof *terms);
    ty_nest_write *write = change_room(change, 1, sizeof *write);
    int slot = 0, nreads = 0;
    int64_t *from = strides_room(change, c->n), *dense = strides_room(change, c->n), size = 1;
    if (change->failed) return slot;
    ty_nest_access read = *a;
    read.strides = from, read.terms = terms, read.nterms = 0;
    for (int i = c->n - 1; i >= 0; i--) {
        const struct axis *axis = &c->axis[i];
        int d = dim_of(c, i);
        dims[d] = (ty_nest_dim){axis->size, TY_NEST_PARALLEL, -1, -1};
        from[d] = axis->step, dense[d] = below[i] = size;
        size *= axis->size;
        if (axis->term < 0) continue;
        const ty_nest_term *term = &a->terms[axis->term];
        int64_t *one = strides_room(change, c->n);
        if (!one) return slot;
        one[d] = 1;
        read.offset += axis->step * (axis->first - n->reads[term->read].offset);
        reads[nreads] =
            (ty_nest_access){.slot = TY_NEST_INDEX, .dtype = TY_I64, .offset = axis->first, .strides = one};
        terms[read.nterms] = *term;
        terms[read.nterms++].read = nreads++;
    }
    reads[nreads] = read;
    slot = change_temporary(change, a->dtype, size);
    *write = (ty_nest_write){.to = {.slot = slot, .dtype = a->dtype, .strides = dense},
                             .value = (uint16_t)nreads,
                             .when = TY_NEST_ALWAYS,
                             .second = TY_NEST_ALWAYS};
    *to = (ty_nest){.name = "copy an operand", .ndims = c->n, .nreads = nreads + 1, .nwrites = 1};
    to->dims = dims, to->reads = reads, to->writes = write;
    change_step(change, (ty_nest_step){.nest = to});
    return slot;
}
/* Return a nest whose read takes the copy. */
static const ty_nest *with_copy(struct change *change, const ty_nest *n, const struct copy *c) {
    int64_t below[AXES], *strides = strides_room(change, n->ndims);
    int slot = add_copy(change, n, c, below);
    ty_nest *to = change_room(change, 1, sizeof *to);
    ty_nest_access *reads = change_room(change, n->nreads, sizeof *reads);
    if (change->failed) return n;
    memcpy(reads, n->reads, (size_t)n->nreads * sizeof *reads);
    ty_nest_access *a = &reads[c->read];
    *a = (ty_nest_access){.slot = slot, .dtype = a->dtype, .strides = strides};
    for (int d = 0; d < n->ndims; d++)
        if (c->of[d] >= 0) strides[d] = below[c->of[d]] * c->times[d];
    for (int i = 0; i < c->n; i++) {
        const struct axis *axis = &c->axis[i];
        if (axis->term < 0) continue;
        const ty_nest_term *term = &n->reads[c->read].terms[axis->term];
        a->offset += below[i] * (n->reads[term->read].offset - axis->first);
    }
    *to = *n;
    to->reads = reads;
    return to;
}

/* ---- panels ---- */

/* Dims of a nest in a new order, one of them in two. */
struct split {
    int n, of[AXES];
    int64_t size[AXES], times[AXES];
};
static void add_dim(struct split *s, int of, int64_t size, int64_t times) {
    s->of[s->n] = of, s->size[s->n] = size, s->times[s->n++] = times;
}
static const int64_t *split_strides(struct change *change, const struct split *s, const int64_t *strides) {
    int64_t *to = strides_room(change, s->n);
    for (int i = 0; to && i < s->n; i++) to[i] = strides[s->of[i]] * s->times[i];
    return to;
}
/* Return the number of elements that a read takes. */
static double read_size(const ty_nest *n, const ty_nest_access *a) {
    double size = 1;
    for (int d = 0; d < n->ndims; d++)
        if (a->strides[d]) size *= (double)n->dims[d].size;
    return size;
}
/* Return a nest whose columns are tiles, then lanes.  If read `copied` has many elements, rows of one panel follow
   each other, as it stays in the second cache.  Else columns do, as results then lie side by side (`./dev bench opencl`: sums of
   100 products, 6272 x 1024 of them, took 13 ms instead of 17). */
static ty_nest *split_columns(struct change *change, const ty_nest *n, const struct tile *t, int copied) {
    enum { NEAR = 1 << 17 }; /* elements of half the second cache */
    struct split s = {0};
    int outer = outer_dims(n);
    bool few = read_size(n, &n->reads[copied]) <= NEAR;
    for (int d = 0; d < outer; d++)
        if (d != t->column && d != t->row) add_dim(&s, d, n->dims[d].size, 1);
    if (few) add_dim(&s, t->row, n->dims[t->row].size, 1);
    add_dim(&s, t->column, n->dims[t->column].size / t->lanes, t->lanes);
    if (!few) add_dim(&s, t->row, n->dims[t->row].size, 1);
    add_dim(&s, t->column, t->lanes, 1);
    for (int d = outer; d < n->ndims; d++) add_dim(&s, d, n->dims[d].size, 1);
    ty_nest *to = change_room(change, 1, sizeof *to);
    ty_nest_dim *dims = change_room(change, s.n, sizeof *dims);
    ty_nest_access *reads = change_room(change, n->nreads, sizeof *reads);
    ty_nest_write *writes = change_room(change, n->nwrites, sizeof *writes);
    if (change->failed) return to;
    for (int i = 0; i < s.n; i++) dims[i] = n->dims[s.of[i]], dims[i].size = s.size[i];
    memcpy(reads, n->reads, (size_t)n->nreads * sizeof *reads);
    memcpy(writes, n->writes, (size_t)n->nwrites * sizeof *writes);
    for (int k = 0; k < n->nreads; k++) reads[k].strides = split_strides(change, &s, reads[k].strides);
    for (int k = 0; k < n->nwrites; k++)
        writes[k].to.strides = split_strides(change, &s, writes[k].to.strides);
    *to = *n;
    to->ndims = s.n, to->dims = dims, to->reads = reads, to->writes = writes;
    return to;
}
/* True if read k of a nest is the vector that the rows of its tile share, and copying it pays: USES is how often an
   element is used, 8 times as often as it is read; ELEMENTS exceed the first cache; PRODUCTS take 1 ms, against 0.1 for
   another launch and the copy (`./dev bench opencl`: products of 256 took 320 us without panels, 510 with them).  If
   lanes load its elements one by one, or steps are no launches, LANES products suffice (128 x 128 x 128: 180 us without
   panels, 66 with them). */
static bool wants_panels(const ty_nest *n, int k, const struct tile *t, bool launches) {
    enum { USES = 32, ELEMENTS = 8192, PRODUCTS = 1 << 26, LANES = 1 << 20 };
    const ty_nest_access *a = &n->reads[k];
    double size = read_size(n, a);
    bool vector = t->form[k] != TILE_SCALAR && a->slot >= 0 && a->dtype == t->dtype && !a->nterms && !a->late;
    return vector && n->ndims + 1 < AXES && t->row >= 0 && n->dims[t->column].size % t->lanes == 0 &&
           size >= ELEMENTS && size < 0x1p31 && product_of_sizes(n) >= USES * size &&
           product_of_sizes(n) >= (t->form[k] == TILE_LANES || !launches ? LANES : PRODUCTS);
}
/* Return a nest whose read k lies in panels: for each tile of columns, what the FOLD dims read, one vector after
   another. */
static const ty_nest *with_panels(struct change *change, const ty_nest *n, int k) {
    struct copy c = copy_of(k);
    int lanes = outer_dims(n) - 1;
    for (int i = 0; i <= n->ndims; i++) { /* the lanes come last */
        int d = i == n->ndims ? lanes : i;
        if (i != lanes && n->reads[k].strides[d]) add_axis(n, &c, d);
    }
    return with_copy(change, n, &c);
}

/* ---- lists ---- */

static bool no_vectors(const ty_nest_instr *in) {
    (void)in;
    return false;
}
/* True if all folds of a nest are sums of products. */
static bool is_product(const ty_nest *n) {
    bool is = n->nfolds > 0;
    for (int i = 0; i < n->nfolds; i++) is = is && n->folds[i].kind == TY_NEST_DOT;
    return is;
}
const ty_nest *change_copies(struct change *change, const ty_nest *n) {
    if (!is_product(n)) return n;
    for (int k = 0; k < n->nreads && !change->failed; k++) {
        struct copy c;
        if (without_guards(n, k, &c) && change_fits(change, n->reads[k].dtype, size_of(&c)))
            n = with_copy(change, n, &c);
    }
    struct tile t = tile_of(n, change->lanes, 1, no_vectors);
    for (int k = 0; k < n->nreads && t.lanes && !change->failed; k++)
        if (wants_panels(n, k, &t, change->launches) &&
            change_fits(change, n->reads[k].dtype, read_size(n, &n->reads[k])))
            return with_panels(change, split_columns(change, n, &t, k), k);
    return n;
}
