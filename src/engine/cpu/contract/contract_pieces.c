/*
 * Computes windows without multiplying their padding: left in place, or a copy that is mostly padding
 * (contract_is_padded). A guard couples rows with a dimension of K. The longer of the two, usually pixels, falls into
 * stretches whose elements have the same valid range in the other. In an image the first lines lack the first taps,
 * most lines have all, the last ones lack the last. One stretch of each guard makes a piece, a box without padding
 * with the steps of the box around it. Pieces are made with the plan, for each position of the walk with other
 * guards.
 *
 * The order of a row's sum must not depend on how rows are cut for threads. Stretches of rows change nothing: terms
 * are those inside the guard, in the order of K. Stretches of K (the gradient of a kernel) are those of all rows.
 * Several pieces may then add to one row, which starts at zero.
 */
#include <string.h>
#include "base/machine/cache.h"
#include "contract/loops.h"
#include "contract/narrow.h"
#include "engine/cpu/contract/contract_run.h"

/* A guard's box dimensions, -1 for a loop: `along` has the stretches, `across` the ranges. begin and end bound the
   indices of `across` that are considered. */
struct guard_dims {
    int along, across;
    int64_t along_coefficient, across_coefficient, low, size, begin, end;
};

/* True if a guard of left, or uneven steps, make the pieces of boxes differ between steps of the loop. */
static bool is_cut_by(const struct contract_plan *p, int loop) {
    for (int g = 0; g < p->c->nguards; g++) {
        const ty_guard *guard = &p->c->guards[g];
        if (guard->side == TY_LEFT &&
            (guard->dim[0] == p->loops[loop].dim || guard->dim[1] == p->loops[loop].dim))
            return true;
    }
    return p->loops[loop].uneven;
}

/* Return 0 or 1, the index in guard->dim of the dimension that has this type; -1 if neither has. */
static int place_of(const ty_contraction *c, const ty_guard *guard, ty_dim_type type) {
    for (int i = 0; i < 2; i++)
        if (guard->dim[i] >= 0 && c->dims[guard->dim[i]].type == type) return i;
    return -1;
}

static bool is_in_box(const struct contract_plan *p, int dim) {
    for (int d = 0; d < p->ndims; d++)
        if (p->dims[d].dim == dim) return true;
    return false;
}

/* Return true if a walk meets few enough different lists of pieces (parts of boxes without padding) to keep them
   all. With `sums` (pieces cut K) only K loops count, so that the number of threads does not decide whether left is
   read in place. */
static bool are_few(const struct contract_plan *p, bool sums) {
    enum { MOST = 1 << 12 };
    double n = 1;
    for (int l = 0; l < p->nloops; l++)
        if (is_cut_by(p, l) && (!sums || p->loops[l].summed)) n *= (double)p->loops[l].trips;
    return n <= MOST;
}

bool contract_pieces_show(const struct contract_plan *p) {
    return contraction_is_narrow(p->c) && !contraction_parts_sums(p->c);
}

bool contract_pieces_can(const struct contract_plan *p) {
    const ty_contraction *c = p->c;
    bool used[TY_CONTRACTION_DIMS] = {false}, sums = false;
    for (int g = 0; g < c->nguards; g++) {
        const ty_guard *guard = &c->guards[g];
        if (guard->side != TY_LEFT) continue;
        int row = place_of(c, guard, TY_DIM_M), sum = place_of(c, guard, TY_DIM_K);
        for (int i = 0; i < 2; i++) {
            int64_t reach;
            if (guard->dim[i] < 0) continue;
            if (used[guard->dim[i]] || (i != row && i != sum)) return false;
            if (__builtin_mul_overflow(c->dims[guard->dim[i]].size, 4 * guard->coefficient[i], &reach))
                return false;
            used[guard->dim[i]] = true;
        }
        if (sum < 0 || (!contraction_guard_parts_sums(c, guard) && !is_in_box(p, guard->dim[sum])))
            return false;
        sums = sums || contraction_guard_parts_sums(c, guard);
    }
    return p->parts == 1 && (contract_pieces_show(p) || are_few(p, sums));
}

/* ---- pieces of one box ---- */

struct pieces_making {
    struct contract_plan *p;
    const struct contract_box *around;
    int nguards;
    struct guard_dims guards[TY_CONTRACTION_GUARDS];
    int64_t first[TY_CONTRACTION_DIMS + 4], size[TY_CONTRACTION_DIMS + 4];
    struct contract_pieces *pieces; /* list NULL: count only */
    struct arena *arena;
};

/* Set *first and *end to the half-open range *first .. *end - 1 of indices of g->across inside the guard, for
   index `at` of g->along. Both are 0 if none is inside. */
static void places_of(const struct guard_dims *g, int64_t at, int64_t *first, int64_t *end) {
    *first = g->begin;
    *end = g->end;
    contraction_keep_inside(g->low + at * g->along_coefficient, g->across_coefficient, g->size, first, end);
    if (*end <= *first) *first = *end = 0;
}

/* Return the number of elements of the box along dimension d; 1 if d is -1, which stands for a loop. */
static int64_t extent_of(const struct pieces_making *m, int d) { return d < 0 ? 1 : m->around->size[d]; }

static void set_range(struct pieces_making *m, int d, int64_t first, int64_t n) {
    if (d >= 0) m->first[d] = first, m->size[d] = n;
}

/* Add the piece m->first[], m->size[] of the box to m->pieces, or only count it if that has no list yet. False
   if out of memory. */
static bool add_piece(struct pieces_making *m) {
    int n = m->pieces->n++;
    if (!m->pieces->list) return true;
    struct contract_piece *piece = &m->pieces->list[n];
    *piece = (struct contract_piece){.box = contract_box_once(m->p, m->size, m->around, m->arena)};
    for (int d = 0; d < m->p->ndims; d++) {
        piece->left += m->first[d] * m->around->step[d][CONTRACT_LEFT];
        piece->right += m->first[d] * m->around->step[d][CONTRACT_RIGHT];
        piece->out += m->first[d] * m->around->step[d][CONTRACT_OUT];
    }
    return piece->box != NULL;
}

/* Cut the box along the guards from index `guard` on, and add the piece of each combination of their stretches. A
   stretch is a range of indices of `along` with the same valid range of `across`. Return false if out of memory. */
static bool add_pieces(struct pieces_making *m, int guard) {
    if (guard == m->nguards) return add_piece(m);
    const struct guard_dims *g = &m->guards[guard];
    int64_t all = extent_of(m, g->along), first, end, next, next_end;
    for (int64_t i = 0, n; i < all; i += n) {
        places_of(g, i, &first, &end);
        for (n = 1; i + n < all; n++) {
            places_of(g, i + n, &next, &next_end);
            if (next != first || next_end != end) break;
        }
        first = greater(first, 0);
        end = lesser(end, extent_of(m, g->across));
        if (m->pieces->adds && end <= first) continue;
        set_range(m, g->along, i, n);
        set_range(m, g->across, first, greater(end - first, 0));
        if (!add_pieces(m, guard + 1)) return false;
    }
    return true;
}

/* ---- of all boxes ---- */

/* List in m->guards the guards of left at walk w, with the dimensions that they cut. */
static void list_guards(struct pieces_making *m, const struct box_walk *w) {
    struct seen_guard seen[TY_CONTRACTION_GUARDS];
    const ty_contraction *c = m->p->c;
    contract_see_guards(m->p, w, CONTRACT_LEFT, seen);
    m->nguards = 0;
    for (int g = 0; g < c->nguards; g++) {
        const ty_guard *guard = &c->guards[g];
        if (guard->side != TY_LEFT) continue;
        bool sums = contraction_guard_parts_sums(c, guard);
        int i = place_of(c, guard, sums ? TY_DIM_K : TY_DIM_M),
            j = place_of(c, guard, sums ? TY_DIM_M : TY_DIM_K);
        const struct seen_guard *from = &seen[m->nguards];
        struct guard_dims *to = &m->guards[m->nguards++];
        *to = (struct guard_dims){.along = -1, .across = from->dim[j], .low = from->low, .size = from->size};
        to->across_coefficient = from->coefficient[j];
        if (i >= 0) to->along = from->dim[i], to->along_coefficient = from->coefficient[i];
        int64_t before = sums ? contract_first_of(m->p, w, guard->dim[j]) : 0;
        to->begin = -before;
        to->end = sums ? c->dims[guard->dim[j]].size - before : m->around->size[to->across];
        m->pieces->adds = m->pieces->adds || sums;
    }
}

/* Return the plan's box with the sizes of walk w, from which pieces are cut; NULL on failure. Sets m->size. */
static const struct contract_box *around_of(struct pieces_making *m, const struct box_walk *w) {
    contract_sizes(m->p, w, m->size);
    return contract_box_once(m->p, m->size, NULL, m->arena);
}

static double terms_of(const struct contract_plan *p, const struct contract_box *box) {
    double n = 1;
    for (int d = 0; d < p->ndims; d++) n *= (double)box->size[d];
    return n;
}

/* Move the piece with most terms to the front if the order is free: while it is computed, data that all pieces read
   comes into cache. */
static void put_largest_first(const struct contract_plan *p, struct contract_pieces *pieces) {
    int largest = 0;
    for (int i = 1; i < pieces->n && !pieces->adds && !p->lanes; i++)
        if (terms_of(p, pieces->list[i].box) > terms_of(p, pieces->list[largest].box)) largest = i;
    if (largest == 0) return;
    struct contract_piece first = pieces->list[largest];
    pieces->list[largest] = pieces->list[0];
    pieces->list[0] = first;
}

/* Make the pieces of the box at walk w into *pieces: count them, then list them. False if out of memory. */
static bool make_at(struct pieces_making *m, const struct box_walk *w, struct contract_pieces *pieces) {
    const struct contract_plan *p = m->p;
    m->around = around_of(m, w);
    if (!m->around) return false;
    *pieces = (struct contract_pieces){.around = m->around};
    m->pieces = pieces;
    list_guards(m, w);
    for (int d = 0; d < p->ndims; d++) m->first[d] = 0, m->size[d] = m->around->size[d];
    if (!add_pieces(m, 0)) return false;
    pieces->list = arena_array(m->arena, (size_t)pieces->n + 1, sizeof *pieces->list);
    pieces->n = 0;
    if (!pieces->list || !add_pieces(m, 0)) return false;
    put_largest_first(p, pieces);
    return true;
}

/* Give each list of pieces that walks reach an index: set the change of the counter AT_PIECES by each loop. Return
   the number of lists. */
static int64_t number_pieces(struct contract_plan *p) {
    int64_t n = 1;
    for (int l = p->nloops - 1; l >= 0; l--) {
        p->loops[l].moves[AT_PIECES] = is_cut_by(p, l) ? n : 0;
        if (!is_cut_by(p, l)) continue;
        n *= p->loops[l].trips;
    }
    return n;
}

bool contract_pieces_make(struct contract_plan *p, struct arena *arena, struct fault *fault) {
    int64_t n = number_pieces(p);
    struct pieces_making m = {.p = p, .arena = arena};
    p->pieces = arena_array(arena, (size_t)n, sizeof *p->pieces);
    bool ok = p->pieces != NULL;
    for (int64_t i = 0; ok && i < n; i++) {
        struct box_walk w;
        p->pieces[i] = (struct contract_pieces){.n = 0};
        if (walk_to(p, &w, AT_PIECES, i)) ok = make_at(&m, &w, &p->pieces[i]);
    }
    return ok || fault_memory(fault, (size_t)n * sizeof *p->pieces);
}

bool contract_is_streamed(const struct contract_plan *p) {
    enum { TAPS = 16, RUN = 512 }; /* bytes of channels; with fewer, longer calls are faster */
    int64_t extent[TY_CONTRACTION_DIMS];
    if (!p->lanes || p->lane >= 0 || p->side[CONTRACT_LEFT].kind != TY_PACK_NONE) return false;
    if (contract_box_count(p, TY_DIM_K) > TAPS || !contraction_is_window(p->c, TY_LEFT)) return false;
    if (contract_box_count(p, TY_DIM_C) * p->side[CONTRACT_LEFT].element < RUN) return false;
    for (int d = 0; d < p->c->ndims; d++) extent[d] = p->c->dims[d].size;
    double left = contraction_footprint(p->c, TY_LEFT, extent) * (double)p->side[CONTRACT_LEFT].element;
    double out = contraction_footprint(p->c, TY_OUT, extent) * (double)p->out_bytes;
    return cache_jumped((size_t)(left + out));
}
