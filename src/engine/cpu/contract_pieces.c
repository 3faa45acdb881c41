/*
 * A window that is read where it lies.  Where a guard couples rows with a dimension of K, the rows of a box fall into
 * stretches that meet the same places of K inside the guard: the first lines of an image without the first taps, most
 * of them with all, the last ones without the last.  With a stretch of each guard the box is cut into pieces without
 * padding: boxes of their own, whose steps are those of the box around them.  Each is a list of blocks and batches as
 * any box is, made when the plan is, for each place where the walk meets another guard.
 *
 * What a row sums up in which order does not depend on how rows are cut: the terms inside the guards, in the order of
 * K.
 */
#include <string.h>
#include "engine/cpu/contract_plan.h"

/* A guard's dimensions in the box: rows (-1: none, they are loops) and what is summed. */
struct guard_dims {
    int row, sum;
    int64_t row_coefficient, sum_coefficient, low, size;
};

static bool is_cut_by(const struct contract_plan *p, int loop) {
    for (int g = 0; g < p->c->nguards; g++) {
        const ty_guard *guard = &p->c->guards[g];
        if (guard->side == TY_LEFT && (guard->dim[0] == p->loops[loop].dim || guard->dim[1] == p->loops[loop].dim))
            return true;
    }
    return p->loops[loop].uneven;
}

bool contract_pieces_can(const struct contract_plan *p) {
    bool used[TY_CONTRACTION_DIMS] = {false};
    for (int g = 0; g < p->c->nguards; g++) {
        const ty_guard *guard = &p->c->guards[g];
        int rows = 0, sums = 0;
        if (guard->side != TY_LEFT) continue;
        for (int i = 0; i < 2; i++) {
            int d = guard->dim[i];
            if (d < 0) continue;
            ty_dim_type type = p->c->dims[d].type;
            if (used[d] || type == TY_DIM_C || type == TY_DIM_N) return false;
            used[d] = true;
            rows += type == TY_DIM_M;
            for (int b = 0; b < p->ndims && type == TY_DIM_K; b++) sums += p->dims[b].dim == d;
        }
        if (rows > 1 || sums != 1) return false;
    }
    return p->parts == 1;
}

/* ---- pieces of one box ---- */

struct making {
    struct contract_plan *p;
    const struct contract_box *around;
    int nguards;
    struct guard_dims guards[TY_CONTRACTION_GUARDS];
    int64_t first[TY_CONTRACTION_DIMS + 4], size[TY_CONTRACTION_DIMS + 4];
    struct contract_pieces *pieces; /* list NULL: they are only counted */
    struct arena *arena;
};

/* The places of K that a row meets; none: 0, 0. */
static void places_of(const struct making *m, const struct guard_dims *g, int64_t row, int64_t *first, int64_t *end) {
    *first = 0;
    *end = m->around->size[g->sum];
    contract_keep_inside(g->low + row * g->row_coefficient, g->sum_coefficient, g->size, first, end);
    if (*end <= *first) *first = *end = 0;
}

/* A box of the plan's with these sizes, inside the same box. */
static const struct contract_box *box_of(struct making *m) {
    struct contract_plan *p = m->p;
    for (struct contract_made *made = p->made; made; made = made->next)
        if (made->around == m->around && !memcmp(made->box->size, m->size, (size_t)p->ndims * sizeof *m->size))
            return made->box;
    struct contract_made *made = arena_alloc(m->arena, sizeof *made);
    const struct contract_box *box = contract_box_of(p, m->size, m->around, m->arena);
    if (!made || !box) return NULL;
    *made = (struct contract_made){p->made, m->around, box};
    p->made = made;
    return box;
}

static bool add_piece(struct making *m) {
    int n = m->pieces->n++;
    if (!m->pieces->list) return true;
    struct contract_piece *piece = &m->pieces->list[n];
    *piece = (struct contract_piece){.box = box_of(m)};
    for (int d = 0; d < m->p->ndims; d++) {
        piece->left += m->first[d] * m->around->step[d][CONTRACT_LEFT];
        piece->right += m->first[d] * m->around->step[d][CONTRACT_RIGHT];
        piece->out += m->first[d] * m->around->step[d][CONTRACT_OUT];
    }
    return piece->box != NULL;
}

/* Each stretch of a guard's rows with each of the guards after it. */
static bool add_pieces(struct making *m, int guard) {
    if (guard == m->nguards) return add_piece(m);
    const struct guard_dims *g = &m->guards[guard];
    int64_t rows = g->row < 0 ? 1 : m->around->size[g->row], first, end, next, next_end;
    for (int64_t i = 0, n; i < rows; i += n) {
        places_of(m, g, i, &first, &end);
        for (n = 1; i + n < rows; n++) {
            places_of(m, g, i + n, &next, &next_end);
            if (next != first || next_end != end) break;
        }
        if (g->row >= 0) m->first[g->row] = i, m->size[g->row] = n;
        m->first[g->sum] = first, m->size[g->sum] = end - first;
        if (!add_pieces(m, guard + 1)) return false;
    }
    return true;
}

/* ---- of all boxes ---- */

static void list_guards(struct making *m, const struct walk *w) {
    struct seen_guard seen[TY_CONTRACTION_GUARDS];
    m->nguards = contract_see_guards(m->p, w, CONTRACT_LEFT, seen);
    for (int g = 0; g < m->nguards; g++) {
        struct guard_dims *to = &m->guards[g];
        *to = (struct guard_dims){.row = -1, .low = seen[g].low, .size = seen[g].size};
        for (int i = 0; i < 2; i++) {
            int d = seen[g].dim[i];
            if (d >= 0 && m->p->dims[d].type == TY_DIM_K)
                to->sum = d, to->sum_coefficient = seen[g].coefficient[i];
            else if (d >= 0)
                to->row = d, to->row_coefficient = seen[g].coefficient[i];
        }
    }
}

/* The box around the pieces where the walk is. */
static const struct contract_box *around_of(struct making *m, const struct walk *w) {
    contract_sizes(m->p, w, m->size);
    if (!memcmp(m->size, m->p->full->size, (size_t)m->p->ndims * sizeof *m->size)) return m->p->full;
    m->around = NULL;
    return box_of(m);
}

static bool make_at(struct making *m, const struct walk *w, struct contract_pieces *pieces) {
    const struct contract_plan *p = m->p;
    m->around = pieces->around = around_of(m, w);
    if (!m->around) return false;
    list_guards(m, w);
    m->pieces = pieces;
    for (int d = 0; d < p->ndims; d++) m->first[d] = 0, m->size[d] = m->around->size[d];
    *pieces = (struct contract_pieces){.around = m->around};
    if (!add_pieces(m, 0)) return false;
    pieces->list = arena_array(m->arena, (size_t)pieces->n + 1, sizeof *pieces->list);
    pieces->n = 0;
    return pieces->list && add_pieces(m, 0);
}

int64_t contract_pieces_number(struct contract_plan *p) {
    int64_t n = 1;
    for (int l = p->nloops - 1; l >= 0; l--) {
        p->loops[l].moves[AT_PIECES] = is_cut_by(p, l) ? n : 0;
        if (!is_cut_by(p, l)) continue;
        if (__builtin_mul_overflow(n, p->loops[l].trips, &n)) return INT64_MAX;
    }
    return n;
}

bool contract_pieces_make(struct contract_plan *p, struct arena *arena, struct fault *fault) {
    int64_t n = contract_pieces_number(p);
    struct making m = {.p = p, .arena = arena};
    p->pieces = arena_array(arena, (size_t)n, sizeof *p->pieces);
    bool ok = p->pieces != NULL;
    for (int64_t i = 0; ok && i < n; i++) {
        struct walk w;
        p->pieces[i] = (struct contract_pieces){.n = 0};
        if (walk_to(p, &w, AT_PIECES, i)) ok = make_at(&m, &w, &p->pieces[i]);
    }
    return ok || fault_memory(fault, (size_t)n * sizeof *p->pieces);
}
