/*
 * Reference executor: runs the loops as written and the box element by element. Guards are tested at each
 * element, and sums are in the widest type and stored at the end. Packing, spans and primitives are ignored.
 * Slow, but an oracle for the coverage of loops.
 */
#include "array/dtype.h"
#include "base/checked.h"
#include "base/wide.h"
#include "contract/loops.h"

enum { SUMS = 3, PLACES = 4 }; /* the sums' own offset, after those of left, right and out */

/* An accumulator; the dtype decides which member is used. */
struct sum {
    int64_t i;
    long double real, imaginary;
};

/* A prepared configuration. */
struct interpreted {
    const ty_contraction *c;
    struct sum *sums;
    int64_t nsums, row[TY_CONTRACTION_DIMS]; /* strides in sums[]: row-major over the kept dimensions */
};

/* State of one run: the current block and index by dimension. */
struct walker {
    const struct interpreted *plan;
    const char *data[2];
    int64_t begin[TY_CONTRACTION_DIMS], extent[TY_CONTRACTION_DIMS], index[TY_CONTRACTION_DIMS];
    struct interpreted_place {
        int64_t begin, extent, at; /* range of the loop's dimension outside the loop; at: indices done */
    } places[TY_CONTRACTION_LOOPS];
};

/* Return the stride of a dimension in an operand (`place` is its side) or, for SUMS, in the buffer of sums. */
static int64_t stride_of(const struct interpreted *p, int dim, int place) {
    return place == SUMS ? p->row[dim] : p->c->dims[dim].stride[place];
}

/* True if a guard of this side fails at index[], one index per dimension: the element is padding. */
static bool is_padding(const ty_contraction *c, int side, const int64_t *index) {
    for (int i = 0; i < c->nguards; i++) {
        const ty_guard *g = &c->guards[i];
        wide at = wide_of(g->low);
        if (g->side != (ty_side)side) continue;
        for (int j = 0; j < 2; j++)
            if (g->dim[j] >= 0) at = wide_add(at, wide_product(index[g->dim[j]], g->coefficient[j]));
        if (!wide_within(at, 0, g->size - 1)) return true;
    }
    return false;
}

/* Return element `at` (an offset in elements) of a side, or 0 if the present index is in its padding. */
static struct element operand(const struct walker *w, int side, int64_t at) {
    const ty_contraction *c = w->plan->c;
    struct element e = {0};
    if (is_padding(c, side, w->index)) return e;
    e = element_load(c->dtype[side], w->data[side] + at * (int64_t)dtype_table[c->dtype[side]].size);
    if (dtype_is(c->dtype[side], CLASS_INTEGER | CLASS_BOOL))
        e.z = c->dtype[side] == TY_U64 ? (long double)(uint64_t)e.i : (long double)e.i;
    return e;
}

/* Add a b to *sum by the rules of `dtype`: or of a and b for bool, modulo 2^64 for integers, in long double else. */
static void multiply_add(ty_dtype dtype, struct sum *sum, struct element a, struct element b) {
    long double ar = __real__ a.z, ai = __imag__ a.z, br = __real__ b.z, bi = __imag__ b.z;
    if (dtype == TY_BOOL) {
        sum->i |= a.i & b.i;
    } else if (dtype_is(dtype, CLASS_INTEGER)) {
        sum->i = (int64_t)((uint64_t)sum->i + (uint64_t)a.i * (uint64_t)b.i);
    } else if (dtype_is(dtype, CLASS_COMPLEX)) {
        sum->real += ar * br - ai * bi;
        sum->imaginary += ar * bi + ai * br;
    } else {
        sum->real += ar * br;
    }
}

/* Advance the walker to the next index of its box, skipping dimensions of K if kept_only, and the offsets at[]
   of operands and sums with it. False at the end, with indices and offsets back at the first. */
static bool next_point(struct walker *w, int64_t at[PLACES], bool kept_only) {
    for (int d = w->plan->c->ndims - 1; d >= 0; d--) {
        if (kept_only && w->plan->c->dims[d].type == TY_DIM_K) continue;
        int64_t back = w->index[d] + 1 < w->begin[d] + w->extent[d] ? -1 : w->extent[d] - 1;
        w->index[d] -= back;
        for (int s = 0; s < PLACES; s++) at[s] -= back * stride_of(w->plan, d, s);
        if (back < 0) return true;
    }
    return false;
}

static bool is_empty(const struct walker *w, bool kept_only) {
    for (int d = 0; d < w->plan->c->ndims; d++)
        if (w->extent[d] <= 0 && !(kept_only && w->plan->c->dims[d].type == TY_DIM_K)) return true;
    return false;
}

/* Set the walker's index to the first of its box, and at[] to the offsets of operands and sums there. */
static void start_box(struct walker *w, int64_t at[PLACES]) {
    for (int s = 0; s < PLACES; s++) {
        at[s] = s < SUMS ? w->plan->c->offset[s] : 0;
        for (int d = 0; d < w->plan->c->ndims; d++) at[s] += w->begin[d] * stride_of(w->plan, d, s);
    }
    for (int d = 0; d < w->plan->c->ndims; d++) w->index[d] = w->begin[d];
}

/* Add all products of the box to its sums. */
static void run_box(struct walker *w) {
    int64_t at[PLACES];
    if (is_empty(w, false)) return;
    start_box(w, at);
    do {
        multiply_add(w->plan->c->sums, &w->plan->sums[at[SUMS]], operand(w, TY_LEFT, at[TY_LEFT]),
                     operand(w, TY_RIGHT, at[TY_RIGHT]));
    } while (next_point(w, at, false));
}

/* Begin the next step of loop `level`, setting begin and extent of its dimension. False if no step is left, with
   the loop's whole range restored. */
static bool next_step(struct walker *w, int level) {
    const ty_loop *loop = &w->plan->c->loops[level];
    struct interpreted_place *p = &w->places[level];
    bool through = p->at >= p->extent;
    int64_t left = p->extent - p->at;
    w->begin[loop->dim] = through ? p->begin : p->begin + p->at;
    w->extent[loop->dim] = through ? p->extent : left < loop->step ? left : loop->step;
    p->at += through ? 0 : loop->step;
    return !through;
}

static void enter(struct walker *w, int level) {
    int dim = w->plan->c->loops[level].dim;
    w->places[level] = (struct interpreted_place){w->begin[dim], w->extent[dim], 0};
}

/* Walk the loops and run each box; iterative. */
static void walk(struct walker *w) {
    int n = contraction_walked(w->plan->c), level = 0;
    if (n == 0)
        run_box(w);
    else
        enter(w, 0);
    while (n > 0 && level >= 0) {
        if (!next_step(w, level)) {
            level--;
        } else if (level + 1 < n) {
            enter(w, ++level);
        } else {
            run_box(w);
        }
    }
}

/* Convert all sums and store them in out. */
static void store(struct walker *w, char *out) {
    const ty_contraction *c = w->plan->c;
    ty_dtype widest = dtype_is(c->sums, CLASS_INTEGER | CLASS_BOOL) ? (c->sums == TY_BOOL ? TY_BOOL : TY_I64)
                      : dtype_is(c->sums, CLASS_COMPLEX)            ? TY_C128
                                                                    : TY_F64;
    if (dtype_is(c->sums, CLASS_UNSIGNED)) widest = TY_U64;
    int64_t at[PLACES], size = (int64_t)dtype_table[c->dtype[TY_OUT]].size;
    if (is_empty(w, true)) return;
    start_box(w, at);
    do {
        const struct sum *sum = &w->plan->sums[at[SUMS]];
        struct element e = {.i = sum->i};
        __real__ e.z = sum->real;
        __imag__ e.z = sum->imaginary;
        element_store(c->dtype[TY_OUT], out + at[TY_OUT] * size, widest, e);
    } while (next_point(w, at, true));
}

/* Allocate the interpreter's state for contraction c and its sums in the arena; set *prepared to the state and *bytes
   to the size of the sums. False with the fault set on error. */
static bool prepare(const ty_contraction *c, void **prepared, int64_t *bytes, struct arena *arena,
                    struct fault *fault) {
    struct interpreted *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    *prepared = p;
    p->c = c;
    p->nsums = 1;
    for (int d = c->ndims - 1; d >= 0; d--) {
        if (c->dims[d].type == TY_DIM_K) continue;
        p->row[d] = p->nsums;
        if (!checked_mul(p->nsums, c->dims[d].size, &p->nsums))
            return fault_set(fault, E_LIMIT, "contraction: out has more than 2^63 elements");
    }
    p->sums = arena_array(arena, (size_t)p->nsums, sizeof *p->sums);
    *bytes = p->sums ? p->nsums * (int64_t)sizeof *p->sums : 0;
    return p->sums || fault_memory(fault, (size_t)p->nsums);
}

/* Compute the contraction of `prepared` (see prepare) on left and right into out, three buffers of elements.
   Always true. */
static bool run(void *prepared, const void *left, const void *right, void *out, struct fault *fault) {
    const struct interpreted *p = prepared;
    struct walker w = {.plan = p, .data = {left, right}};
    (void)fault;
    for (int d = 0; d < p->c->ndims; d++) w.extent[d] = p->c->dims[d].size;
    for (int64_t i = 0; i < p->nsums; i++) p->sums[i] = (struct sum){0};
    walk(&w);
    store(&w, out);
    return true;
}

static void machine(const ty_contraction *c, int threads, struct contract_machine *m) {
    contract_machine_usual(m, c->sums, threads);
}

const struct contraction_runner contraction_interpreted = {"ref", machine, prepare, run};
