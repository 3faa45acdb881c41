/*
 * Lays out a box of given sizes as blocks of rows and columns for the kernel and a list of batches. Each operand has a
 * constant step for every dimension of the box. Neighbouring dimensions fuse into a run if all sides concerned step
 * evenly through both (the fusion of TBLIS); in packed memory nearly all fuse. Rows and columns are cut inside runs.
 * Of K the innermost run is the depth of a batch; the others make the list (Georganas et al., IPDPS 2020).
 */
#include <string.h>
#include "contract/narrow.h"
#include "engine/cpu/contract/contract_box.h"

enum { ROWS_MOST = 28 }; /* rows of a call at most: every call prefetches a few lines */
enum { L = 1 << CONTRACT_LEFT, R = 1 << CONTRACT_RIGHT, O = 1 << CONTRACT_OUT, S = 1 << CONTRACT_SOURCE };

/* The dimensions of one type, fused over the sides of a mask; outermost first. */
struct runs {
    int n;
    struct run {
        int64_t size, step[CONTRACT_PLACES];
    } run[TY_CONTRACTION_DIMS + 4];
};

static bool fuses(const struct run *outer, const int64_t *step, int64_t size, int sides) {
    for (int s = 0; s < CONTRACT_PLACES; s++)
        if ((sides >> s & 1) && outer->step[s] != step[s] * size) return false;
    return true;
}

/* Fill *r with the dimensions of `type`, fused over `sides`, a bit mask; at least one run, of size 1. */
static void fuse(struct runs *r, const struct contract_plan *p, const struct contract_box *box,
                 ty_dim_type type, int sides) {
    int innermost = p->ndims - 1;
    while (innermost >= 0 && p->dims[innermost].type != type) innermost--;
    r->n = 0;
    if (type == TY_DIM_M || type == TY_DIM_K) innermost = p->ndims;
    if (type == TY_DIM_K && p->dot >= 0) innermost = p->ndims - 1;
    for (int d = 0; d < p->ndims;
         d++) { /* the innermost columns stay, even with size 1: they are the contiguous ones */
        int64_t size = steps_of(&p->dims[d], box->size[d]);
        if (p->dims[d].type != type || (size == 1 && d != innermost)) continue;
        struct run *last = r->run + r->n - 1;
        if (r->n > 0 && fuses(last, box->step[d], size, sides)) {
            last->size *= size;
        } else {
            last = &r->run[r->n++];
            last->size = size;
        }
        memcpy(last->step, box->step[d], sizeof last->step);
    }
    if (r->n == 0) r->run[r->n++] = (struct run){.size = 1};
}

static int64_t outer_count(const struct runs *r) {
    int64_t n = 1;
    for (int i = 0; i < r->n - 1; i++) n *= r->run[i].size;
    return n;
}

/* Set at[side] to the byte offset of index i (0-based, row-major) in all runs but the innermost. */
static void outer_at(const struct runs *r, int64_t i, int64_t at[CONTRACT_PLACES]) {
    memset(at, 0, CONTRACT_PLACES * sizeof *at);
    for (int k = r->n - 2; k >= 0; k--) {
        int64_t index = i % r->run[k].size;
        i /= r->run[k].size;
        for (int s = 0; s < CONTRACT_PLACES; s++) at[s] += index * r->run[k].step[s];
    }
}

static int64_t count_of(const struct contract_plan *p, const int64_t *size, ty_dim_type type) {
    int64_t n = 1;
    for (int d = 0; d < p->ndims; d++) n *= p->dims[d].type == type ? size[d] : 1;
    return n;
}

/* Lay out the packed dimensions of a type contiguously, innermost last: set their steps, the innermost to `bytes`.
   Return the bytes of one whole layout. Includes dimensions that only repeat data if the kernel reads along them. */
static int64_t lay_type(const struct contract_plan *p, struct contract_box *box, int side, ty_dim_type type,
                        int64_t bytes) {
    for (int d = p->ndims - 1; d >= 0; d--) {
        bool panel = p->dims[d].panel && side == CONTRACT_RIGHT;
        if (p->dims[d].type != type || panel || !p->dims[d].packed[side]) continue;
        box->step[d][side] = bytes;
        bytes *= steps_of(&p->dims[d], box->size[d]);
    }
    return bytes;
}

/* Return the pitch of packed rows: an odd number of cache lines, or `bytes` if at most `brief`. */
static int64_t pitch_of(int64_t bytes, int64_t brief) {
    return bytes <= brief ? bytes : (ceil_div(bytes, CACHE_LINE) | 1) * CACHE_LINE;
}

/* Lay out the memory in which a side of a box is packed: set its steps and its length in bytes. */
static void lay_packed(const struct contract_plan *p, struct contract_box *box, int side) {
    enum { VECTORS = 128, SINGLES = 512 }; /* bytes; single elements need no alignment */
    ty_dim_type free = side == CONTRACT_LEFT ? TY_DIM_M : TY_DIM_N;
    ty_dim_type inner = p->lanes                                              ? TY_DIM_C
                        : side == CONTRACT_RIGHT || p->side[side].rows_inside ? free
                                                                              : TY_DIM_K;
    int64_t bytes = lay_type(p, box, side, inner, p->side[side].packed * p->types.group);
    int64_t brief = inner == TY_DIM_K ? SINGLES : VECTORS;
    if (!p->lanes && !(p->panels && side == CONTRACT_RIGHT))
        bytes = pitch_of(bytes, brief); /* so that an incomplete group fits a slot, too */
    bytes = lay_type(p, box, side, inner == TY_DIM_K ? free : TY_DIM_K, bytes);
    if (p->lanes) bytes = lay_type(p, box, side, free, bytes);
    for (int d = 0; d < p->ndims && side == CONTRACT_RIGHT; d++)
        if (p->dims[d].panel) {
            /* a row of all panels uses different sets; one panel, which may be incomplete, fits a slot of several */
            if (box->size[d] > 1) bytes = pitch_of(bytes, VECTORS);
            box->step[d][side] = bytes;
            bytes *= box->size[d];
        }
    box->length[side] = bytes;
}

static void lay_in_place(const struct contract_plan *p, struct contract_box *box, int side, int64_t bytes) {
    int place = side == CONTRACT_RIGHT && p->side[side].kind != TY_PACK_NONE ? CONTRACT_SOURCE : side;
    for (int d = 0; d < p->ndims; d++)
        box->step[d][place] = p->dims[d].dim < 0 ? (p->dims[d].stride[side] ? p->inner_bytes : 0)
                                                 : p->dims[d].stride[side] * p->dims[d].group * bytes;
}

/* Set the steps of a box on all sides, by how each is packed or read in place. */
static void lay(const struct contract_plan *p, struct contract_box *box) {
    for (int side = CONTRACT_LEFT; side <= CONTRACT_RIGHT; side++) {
        ty_packing kind = p->side[side].kind;
        if (kind == TY_PACK_NONE)
            lay_in_place(p, box, side, p->side[side].element);
        else if (kind == TY_PACK_FOOTPRINT)
            contract_footprint_lay(p, box, side);
        else
            lay_packed(p, box, side);
    }
    if (p->side[CONTRACT_RIGHT].kind == TY_PACK_PANELS)
        lay_in_place(p, box, CONTRACT_RIGHT, p->side[CONTRACT_RIGHT].element);
    if (p->waits)
        contract_waiting_lay(p, box->step);
    else
        lay_in_place(p, box, CONTRACT_OUT, p->out_bytes);
}

/* Memory that a box is made in: an arena, or a buffer that is large enough. */
struct room {
    struct arena *arena;
    char *at;
    bool failed;
};

static void *take(struct room *room, int64_t n, size_t size) {
    void *here = room->arena ? arena_array(room->arena, (size_t)n, size) : room->at;
    room->failed = room->failed || !here;
    if (!room->arena) room->at += round_up(n * (int64_t)size, 16);
    return here;
}

/* Cut every run of rows into nearly equal blocks of at most `high` tiles of `tile` units, and list the blocks in
   box->rows. A unit is `each` rows. Sets room->failed if out of memory. */
static void cut_rows(struct contract_box *box, const struct runs *r, int64_t tile, int64_t high, int64_t each,
                     struct room *room) {
    const struct run *inner = &r->run[r->n - 1];
    int64_t n = ceil_div(inner->size, tile), longest = ceil_div(n, ceil_div(n, high)) * tile;
    int64_t rows = 0, at[CONTRACT_PLACES], outer = outer_count(r);
    box->rows = take(room, outer * ceil_div(inner->size, longest), sizeof *box->rows);
    for (int64_t i = 0; box->rows && i < outer; i++, rows += inner->size) {
        outer_at(r, i, at);
        for (int64_t first = 0; first < inner->size; first += longest)
            box->rows[box->nrows++] = (struct box_rows){
                at[CONTRACT_LEFT] + first * inner->step[CONTRACT_LEFT],
                box->out_rows ? 0 : at[CONTRACT_OUT] + first * inner->step[CONTRACT_OUT],
                (int32_t)((rows + first) * each), (int32_t)(lesser(longest, inner->size - first) * each), 0};
    }
}

/* Cut runs r of columns into blocks of at most `width`, in box->columns; sets room->failed if out of memory. */
static void cut_columns(struct contract_box *box, const struct runs *r, int64_t width, struct room *room) {
    const struct run *inner = &r->run[r->n - 1];
    int64_t at[CONTRACT_PLACES], outer = outer_count(r);
    box->columns = take(room, outer * ceil_div(inner->size, width), sizeof *box->columns);
    for (int64_t i = 0; box->columns && i < outer; i++) {
        outer_at(r, i, at);
        for (int64_t j = 0; j < inner->size; j += width)
            box->columns[box->ncolumns++] =
                (struct box_columns){at[CONTRACT_LEFT] + j * inner->step[CONTRACT_LEFT],
                                     at[CONTRACT_RIGHT] + j * inner->step[CONTRACT_RIGHT],
                                     at[CONTRACT_OUT] + j * inner->step[CONTRACT_OUT],
                                     at[CONTRACT_SOURCE] + j * inner->step[CONTRACT_SOURCE],
                                     (int32_t)lesser(width, inner->size - j)};
    }
}

/* Return the byte offsets of all rows (M) in the memory of `side`, as an array in `room`; NULL if that fails. */
static int64_t *list_rows(const struct contract_plan *p, const struct contract_box *box, int side,
                          struct room *room) {
    struct runs r;
    fuse(&r, p, box, TY_DIM_M, 1 << side);
    const struct run *inner = &r.run[r.n - 1];
    int64_t at[CONTRACT_PLACES], n = 0, outer = outer_count(&r);
    int64_t *rows = take(room, outer * inner->size, sizeof *rows);
    for (int64_t i = 0; rows && i < outer; i++) {
        outer_at(&r, i, at);
        for (int64_t j = 0; j < inner->size; j++) rows[n++] = at[side] + j * inner->step[side];
    }
    return rows;
}

static void list_batches(struct contract_box *box, const struct runs *r, struct room *room) {
    int64_t at[CONTRACT_PLACES];
    box->left_at = take(room, box->batches, sizeof *box->left_at);
    box->right_at = take(room, box->batches, sizeof *box->right_at);
    for (int64_t b = 0; !room->failed && b < box->batches; b++) {
        outer_at(r, b, at);
        box->left_at[b] = at[CONTRACT_LEFT];
        box->right_at[b] = at[CONTRACT_RIGHT];
    }
}

/* Return true if the kernel can pack right while it multiplies, in blocks of `width` columns contiguous in memory.
   Both lists of runs must give the same blocks: `all` is evenly spaced in memory, too, `columns` only when packed. */
static bool may_pack(const struct contract_plan *p, const struct contract_box *box,
                     const struct runs *columns, const struct runs *all, int width) {
    const struct contract_side *x = &p->side[CONTRACT_RIGHT];
    const struct run *run = &all->run[all->n - 1];
    struct runs k;
    if (x->kind != TY_PACK_PANELS || x->widen || x->guarded || p->lanes || p->pieced) return false;
    if (p->parts > 1 || p->types.group > 1) return false;
    fuse(&k, p, box, TY_DIM_K, L | R | S);
    if (k.n > 1 || !k.run[0].step[CONTRACT_RIGHT]) return false;
    if (run->size % width && run->size != columns->run[columns->n - 1].size) return false;
    return run->step[CONTRACT_SOURCE] == x->element;
}

/* Find the kernels for all sizes of a box's blocks. False if none exists or, with room->failed, if out of memory. */
static bool find_kernels(const struct contract_plan *p, struct contract_box *box, const struct runs *m,
                         const struct runs *k, struct room *room) {
    const int64_t *row = m->run[m->n - 1].step, *depth = k->run[k->n - 1].step;
    enum { SHORT = 64 }; /* code is generated for each depth up to this, and for several sums */
    int32_t chains = box->depth > INT32_MAX ? 1 : contraction_chains(p->c);
    struct brgemm_shape shape = {.left = p->types.left,
                                 .right = p->types.right,
                                 .out = p->types.out,
                                 .depth = box->depth <= SHORT || chains > 1 ? (int32_t)box->depth : 0,
                                 .group = p->types.group,
                                 .line = box->line,
                                 .left_line = box->line ? m->run[m->n - 2].step[CONTRACT_LEFT] : 0,
                                 .left_row = row[CONTRACT_LEFT],
                                 .left_step = depth[CONTRACT_LEFT],
                                 .right_step = depth[CONTRACT_RIGHT],
                                 .out_row = box->out_rows ? BRGEMM_ROWS : row[CONTRACT_OUT],
                                 .chains = chains,
                                 .left_columns = p->types.left_columns,
                                 .right_single = p->types.right_single,
                                 .soon_often = p->bypass};
    int32_t rows[2] = {box->rows[0].count, 0}, columns[2] = {box->columns[0].count, 0};
    for (int i = 0; i < box->nrows; i++)
        if (box->rows[i].count != rows[0]) rows[1] = box->rows[i].count;
    for (int j = 0; j < box->ncolumns; j++)
        if (box->columns[j].count != columns[0]) columns[1] = box->columns[j].count;
    contract_carry_lay(box, depth[CONTRACT_SOURCE]);
    int ways = box->carries ? 4 : box->packs ? 2 : 1;
    struct brgemm *kernels[BRGEMM_TOGETHER];
    struct brgemm_shape shapes[BRGEMM_TOGETHER];
    int n = 0;
    box->kernel = take(room, ways, sizeof *box->kernel);
    for (int packs = 0; packs < ways && box->kernel; packs++) {
        bool copies = packs & CONTRACT_COPIES;
        shape.right_step = depth[copies ? CONTRACT_SOURCE : CONTRACT_RIGHT];
        shape.copy_step = copies ? depth[CONTRACT_RIGHT] : 0;
        shape.carries = packs & CONTRACT_CARRIES;
        for (int i = 0; i < (copies ? 1 : 2); i++)
            for (int j = 0; j < (shape.carries ? 1 : 2); j++) {
                shape.rows = rows[i];
                shape.columns = columns[j];
                if (!rows[i] || !columns[j]) continue;
                kernels[n] = &box->kernel[packs][i][j];
                shapes[n++] = shape;
            }
    }
    return box->kernel && brgemm_find_all(n, kernels, shapes);
}

/* Set m to runs of rows even in left and out if long; else to those in left, with out's rows listed. */
static void choose_rows(const struct contract_plan *p, struct contract_box *box, struct runs *m,
                        struct room *room) {
    enum { ENOUGH = 64 };
    struct runs both;
    fuse(m, p, box, TY_DIM_M, L);
    fuse(&both, p, box, TY_DIM_M, L | O);
    const struct run *inner = &both.run[both.n - 1];
    if (inner->size >= ENOUGH || inner->size == m->run[m->n - 1].size) {
        *m = both;
        return;
    }
    box->out_rows = list_rows(p, box, CONTRACT_OUT, room);
}

/* Set `columns` to the runs of columns evenly spaced in right and out; for LANES append the vectors inside them. */
static void list_columns(const struct contract_plan *p, const struct contract_box *box,
                         struct runs *columns) {
    struct runs lanes;
    fuse(columns, p, box, TY_DIM_N, R | O);
    if (!p->lanes) return;
    fuse(&lanes, p, box, TY_DIM_C, L | R | O);
    for (int i = 0; i < lanes.n; i++) columns->run[columns->n++] = lanes.run[i];
}

/* Set up a box of LANES (sums of elementwise products) of complex numbers: rows, columns and the loop. */
static void make_lanes(const struct contract_plan *p, struct contract_box *box, struct room *room) {
    struct runs columns;
    list_columns(p, box, &columns);
    box->left_rows = list_rows(p, box, CONTRACT_LEFT, room);
    box->out_rows = list_rows(p, box, CONTRACT_OUT, room);
    cut_columns(box, &columns, greater(1, columns.run[columns.n - 1].size), room);
    box->vectors = p->kernels->lanes[p->inner];
}

/* Return true if vectors run along K (runs k), for all boxes of the plan. */
static bool is_dots(const struct contract_plan *p, const struct runs *k) {
    const int64_t *step = k->run[k->n - 1].step;
    return p->dot >= 0 && step[CONTRACT_LEFT] == (int64_t)dtype_table[p->types.left].size &&
           step[CONTRACT_RIGHT] == p->inner_bytes;
}

static void make_dots(const struct contract_plan *p, struct contract_box *box, struct room *room) {
    box->left_rows = list_rows(p, box, CONTRACT_LEFT, room);
    box->out_rows = list_rows(p, box, CONTRACT_OUT, room);
    box->columns = take(room, 1, sizeof *box->columns);
    if (box->columns) box->columns[box->ncolumns++] = (struct box_columns){.count = (int32_t)box->depth};
    box->vectors = p->kernels->dots[p->types.left];
}

/* Return true if a register tile may hold rows of several runs of m: out's are evenly spaced, or listed. */
static bool may_join(const struct contract_box *box, const struct runs *m) {
    if (m->n < 2) return false;
    const struct run *line = &m->run[m->n - 1], *next = line - 1;
    return line->size > 1 &&
           (box->out_rows || next->step[CONTRACT_OUT] == line->step[CONTRACT_OUT] * line->size);
}

/* Choose blocks, *rows by *width, in which the kernel can pack right while it multiplies, and return true. Return
   false unless the runs of columns in memory, `sources`, are whole tiles, so that no tile gets lower. */
static bool choose_packing(const struct contract_plan *p, const struct contract_box *box,
                           const struct runs *columns, const struct runs *sources, int *rows, int *width) {
    int64_t run = sources->run[sources->n - 1].size;
    int high, wide, usual;
    if (may_pack(p, box, columns, sources, *width)) return true;
    if (!box->run) return false;
    contract_usual_tile(&p->types, &high, &usual);
    contract_tile(p, box->run, greater(box->line, 1), run, &high, &wide);
    if (run % usual || !may_pack(p, box, columns, sources, wide)) return false;
    *rows = high, *width = wide;
    return true;
}

/* Choose the blocks of rows and columns of a box; m becomes its runs of rows. */
static void make_blocks(const struct contract_plan *p, struct contract_box *box, struct runs *m,
                        struct room *room) {
    struct runs n, sources;
    int rows, columns;
    list_columns(p, box, &n);
    choose_rows(p, box, m, room);
    box->row_step = m->run[m->n - 1].step[CONTRACT_OUT];
    box->line = 0;
    int64_t line = box->run = m->run[m->n - 1].size;
    contract_tile(p, line, 1, n.run[n.n - 1].size, &rows, &columns);
    struct runs lines = *m;
    if (may_join(box, m)) {
        int joined, width;
        int64_t all = line * m->run[m->n - 2].size;
        contract_tile(p, all, line, n.run[n.n - 1].size, &joined, &width);
        if (joined > line && joined > rows) {
            box->line = line;
            box->run = all;
            lines.n--;
            rows = joined, columns = width;
        }
    }
    fuse(&sources, p, box, TY_DIM_N, R | O | S);
    box->packs = choose_packing(p, box, &n, &sources, &rows, &columns);
    bool once = p->lanes || (!box->packs && count_of(p, box->size, TY_DIM_M) == 1); /* used once */
    if (once) columns *= greater(BRGEMM_MOST / columns, 1);
    cut_columns(box, box->packs ? &sources : &n, columns, room);
    line = box->line ? line : 1;
    cut_rows(box, &lines, rows / line, p->streamed ? 1 : greater(ROWS_MOST / rows, 1), line, room);
}

/* Allocate a box of size[d] elements along dimension d, with steps 0. Return NULL if out of memory. */
static struct contract_box *begin(const struct contract_plan *p, const int64_t *size, struct room *room) {
    struct contract_box *box = take(room, 1, round_up(sizeof *box, 64));
    if (!box) return NULL;
    *box = (struct contract_box){.size = take(room, p->ndims, sizeof *box->size)};
    box->step = take(room, p->ndims, sizeof *box->step);
    if (room->failed) return NULL;
    memcpy(box->size, size, (size_t)p->ndims * sizeof *size);
    memset(box->step, 0, (size_t)p->ndims * sizeof *box->step);
    return box;
}

/* Lay out a box but its copies and kernels, by the steps of `around` (NULL: own); set runs m, k. False: no memory. */
static bool place(const struct contract_plan *p, struct contract_box *box, const struct contract_box *around,
                  struct room *room, struct runs *m, struct runs *k) {
    if (around)
        memcpy(box->step, around->step, (size_t)p->ndims * sizeof *box->step);
    else
        lay(p, box);
    fuse(k, p, box, TY_DIM_K, L | R);
    bool lists = p->lanes && p->kernels->lanes[p->inner];
    if (lists) k->run[k->n++] = (struct run){.size = 1};
    box->batches = outer_count(k);
    box->depth = k->run[k->n - 1].size;
    box->empty = box->batches * box->depth == 0;
    if (box->empty) box->batches = 0; /* the list has no memory for batches of the other K dimensions */
    list_batches(box, k, room);
    box->lane_rows = count_of(p, box->size, TY_DIM_M);
    if (lists)
        make_lanes(p, box, room);
    else if (is_dots(p, k))
        make_dots(p, box, room);
    else
        make_blocks(p, box, m, room);
    return !room->failed;
}

static struct move_plan *take_move(bool wanted, struct room *room) {
    return wanted ? take(room, 1, sizeof(struct move_plan)) : NULL;
}

/* Plan the copies that pack a box's operands and store its sums; not for pieces. Return false if out of memory. */
static bool plan_copies(const struct contract_plan *p, struct contract_box *box, struct room *room) {
    for (int side = CONTRACT_LEFT; side <= CONTRACT_RIGHT; side++)
        box->copy[side] = take_move(contract_box_packs(p, side), room);
    box->place = take_move(contract_box_stores(p), room);
    if (!room->failed) contract_box_copies(p, box);
    return !room->failed;
}

/* Make a box in `room` with size[d] elements along dimension d; a piece takes its steps from the box `around`
   (NULL: no piece). Return NULL if out of memory or if no kernel exists. */
static struct contract_box *make(const struct contract_plan *p, const int64_t *size,
                                 const struct contract_box *around, struct room *room) {
    struct contract_box *box = begin(p, size, room);
    struct runs m, k;
    if (!box || !place(p, box, around, room, &m, &k)) return NULL;
    if (!around && !plan_copies(p, box, room)) return NULL;
    contract_ahead_lay(p, box);
    return box->vectors || box->empty || find_kernels(p, box, &m, &k, room) ? box : NULL;
}

size_t contract_box_bytes(const struct contract_plan *p) {
    int64_t size[TY_CONTRACTION_DIMS + 4];
    for (int d = 0; d < p->ndims; d++) size[d] = p->dims[d].size;
    int64_t rows = count_of(p, size, TY_DIM_M),
            columns = count_of(p, size, TY_DIM_N) * count_of(p, size, TY_DIM_C),
            batches = count_of(p, size, TY_DIM_K);
    return sizeof(struct contract_box) + (size_t)p->ndims * (sizeof(int64_t) * (CONTRACT_PLACES + 1) + 16) +
           (size_t)rows * (sizeof(struct box_rows) + 2 * sizeof(int64_t)) +
           (size_t)columns * sizeof(struct box_columns) + (size_t)batches * 2 * sizeof(int64_t) +
           3 * sizeof(struct move_plan) + 4 * sizeof *((struct contract_box *)0)->kernel + 12 * 64;
}

/* Set the panel widths by a temporary box of size[] without panels. Return false if out of memory. */
static bool cut_panels(struct contract_plan *p, const int64_t *size) {
    struct arena arena = {0};
    struct room room = {.arena = &arena};
    struct runs m, k;
    p->full = begin(p, size, &room);
    bool placed = p->full && place(p, p->full, NULL, &room, &m, &k);
    if (placed) contract_cut_panels(p);
    p->full = NULL;
    arena_drop(&arena);
    return placed;
}

bool contract_box_make(struct contract_plan *p, struct arena *arena, struct fault *fault) {
    struct room room = {.arena = arena};
    int64_t size[TY_CONTRACTION_DIMS + 4];
    for (int d = 0; d < p->ndims; d++) size[d] = p->dims[d].size;
    if (contract_may_cut_panels(p)) {
        if (!cut_panels(p, size)) return fault_memory(fault, contract_box_bytes(p));
        for (int d = 0; d < p->ndims; d++) size[d] = p->dims[d].size;
    }
    p->full = make(p, size, NULL, &room);
    if (room.failed) return fault_memory(fault, contract_box_bytes(p));
    return p->full || fault_set(fault, E_UNSUPPORTED, "a contraction in %s: the cpu engine has no kernel",
                                ty_dtype_name(p->inner));
}

const struct contract_box *contract_box_of(const struct contract_plan *p, const int64_t *size,
                                           const struct contract_box *around, struct arena *arena) {
    return make(p, size, around, &(struct room){.arena = arena});
}

const struct contract_box *contract_box_again(const struct contract_plan *p, const int64_t *size,
                                              char *room) {
    return make(p, size, NULL, &(struct room){.at = room});
}
