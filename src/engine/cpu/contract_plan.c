/*
 * Block sizes of a contraction.  The reasons are the caches (Low, Igual, Smith & Quintana-Orti, "Analytical
 * modeling is enough for high-performance BLIS", ACM TOMS 43, 2016):
 *
 *   DEPTH         a sliver of right (DEPTH x 128 bytes at most) stays in L1 while panels of left pass
 *   LEFT_BYTES    a packed block of left stays in L2 while slivers of right pass
 *   BLOCK_BYTES   a block of sums that an epilogue waits for stays in L2 beside it
 *   KEEP_BYTES    slivers of right are packed once for all blocks of rows when they fit in L2 too
 *
 * Only the split of K decides about bits; it depends on the shape alone.  Rows and columns may be cut as
 * threads like.
 */
#include "engine/cpu/contract_plan.h"
#include <string.h>

enum {
    DEPTH = 224,
    LEFT_BYTES = 512 << 10,
    BLOCK_BYTES = 256 << 10,
    KEEP_BYTES = 512 << 10,
    LONGEST = 4096, /* rows or columns of a block: room for the vectors of steps */
    WORK = 1 << 19, /* multiply-adds that are worth a thread */
};

static int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

/* Even blocks of K that do not cut the runs of its innermost dimension where these are short: rows of an
 * image. */
static int64_t depth_block(const struct contract_plan *p, int64_t depth) {
    enum { SHORTEST_RUN = 16 };
    const int64_t most = DEPTH / p->gemm->parts, dims = p->dims.count[DIM_K];
    int64_t run = dims > 1 ? p->dims.dims[DIM_K][dims - 1].size : SHORTEST_RUN;
    if (run > most || run < SHORTEST_RUN) run = SHORTEST_RUN;
    return at_least(run, at_most(most / run * run, round_up(ceil_div(depth, ceil_div(depth, most)), run)));
}

/* Few tiles and a long sum (the gradient of a convolution's kernel): parts of K become tasks, whose sums are
   added in order.  By shape alone, so not by the tile of the instruction set. */
static void split_depth(struct contract_plan *p) {
    enum { TILE_ROWS = 14, TILE_COLUMNS = 32, TASKS = 32, SHORTEST = 4 * DEPTH };
    const int64_t *size = p->dims.size;
    int64_t depth = at_least(size[DIM_K], 1), splits = 1;
    int64_t rows = ceil_div(size[DIM_M], TILE_ROWS), columns = ceil_div(size[DIM_N], TILE_COLUMNS);
    if (size[DIM_C] < TASKS && rows < TASKS && columns < TASKS && p->total > 0)
        splits = at_least(1, at_most(TASKS / (size[DIM_C] * rows * columns), depth / SHORTEST));
    p->size[DIM_K] = at_most(depth_block(p, depth), depth);
    p->span = round_up(ceil_div(depth, splits), p->size[DIM_K]);
    p->blocks[DIM_K] = ceil_div(depth, p->span);
}

/* The largest blocks of rows and columns that fit the caches. */
static void fit_caches(struct contract_plan *p) {
    int64_t line = (int64_t)p->inner * p->gemm->parts, deep = p->size[DIM_K] * line;
    int64_t rows = at_most(at_least(LEFT_BYTES / deep, 1), LONGEST), columns = LONGEST;
    rows = at_most(at_least(rows / p->panel_rows, 1) * p->panel_rows, at_least(p->dims.size[DIM_M], 1));
    columns = at_most(columns / p->sliver * p->sliver, at_least(p->dims.size[DIM_N], 1));
    while (p->body && rows * columns * line > BLOCK_BYTES && (rows > p->panel_rows || columns > p->sliver)) {
        if (columns >= rows && columns > p->sliver)
            columns = round_up(ceil_div(columns, 2), p->sliver);
        else
            rows = round_up(ceil_div(rows, 2), p->panel_rows);
    }
    p->blocks[DIM_M] = ceil_div(p->dims.size[DIM_M], rows);
    p->blocks[DIM_N] = ceil_div(p->dims.size[DIM_N], columns);
    p->size[DIM_M] = rows;
    p->size[DIM_N] = columns;
}

/* Cuts into n blocks of whole tiles, as even as that allows. */
static void cut(struct contract_plan *p, enum dim_role role, int64_t n, int64_t tile) {
    int64_t whole = p->dims.size[role];
    p->size[role] = at_least(1, at_most(round_up(ceil_div(whole, at_least(n, 1)), tile), whole));
    p->blocks[role] = ceil_div(whole, p->size[role]);
}

static int64_t count_tasks(const struct contract_plan *p) {
    return p->blocks[DIM_C] * p->blocks[DIM_M] * p->blocks[DIM_N] * p->blocks[DIM_K];
}

/* Smaller blocks until every thread has its share. */
static void share(struct contract_plan *p, int width) {
    cut(p, DIM_M, p->blocks[DIM_M], p->panel_rows);
    cut(p, DIM_N, p->blocks[DIM_N], p->sliver);
    for (int tries = 0; tries < 4 * width; tries++) {
        int64_t tasks = count_tasks(p);
        if (tasks == 0 || tasks >= 8 * width || tasks % width == 0) return;
        int64_t slivers = ceil_div(p->size[DIM_N], p->sliver),
                panels = ceil_div(p->size[DIM_M], p->panel_rows);
        if (slivers == 1 && panels == 1) return;
        if (slivers >= panels)
            cut(p, DIM_N, p->blocks[DIM_N] + 1, p->sliver);
        else
            cut(p, DIM_M, p->blocks[DIM_M] + 1, p->panel_rows);
    }
}

static int useful_width(const struct contract_plan *p) {
    double work = p->dims.lanes ? 8 : 1;
    for (int role = 0; role < DIM_ROLES; role++) work *= (double)p->dims.size[role];
    double threads = work / WORK;
    int width = parallel_width();
    return threads >= width ? width : threads < 1 ? 1 : (int)threads;
}

static bool fill_steps(struct contract_plan *p, struct arena *arena) {
    int64_t depth = p->size[DIM_K] * p->gemm->parts, columns = (int64_t)p->gemm->lanes * GEMM_VECTORS;
    p->panel_steps = arena_array(arena, (size_t)depth, sizeof *p->panel_steps);
    p->sliver_steps = arena_array(arena, (size_t)depth, sizeof *p->sliver_steps);
    p->tile_rows = arena_array(arena, (size_t)p->gemm->rows, sizeof *p->tile_rows);
    if (!p->panel_steps || !p->sliver_steps || !p->tile_rows) return false;
    for (int64_t k = 0; k < depth; k++) {
        p->panel_steps[k] = k * p->gemm->pitch;
        p->sliver_steps[k] = k * columns;
    }
    for (int i = 0; i < p->gemm->rows; i++) p->tile_rows[i] = i * columns;
    return true;
}

static bool choose_casts(struct contract_plan *p, ty_dtype dtype, struct fault *fault) {
    if (p->gemm->direct || p->gemm->parts > 1) return true;
    p->widen = cpu_loop_find(&op_cast, dtype, p->gemm->inner);
    p->narrow = cpu_loop_find(&op_cast, p->gemm->inner, dtype);
    return (p->widen && p->narrow) ||
           fault_set(fault, "contraction of %s needs casts from and to %s, and the cpu engine has none",
                     ty_dtype_name(dtype), ty_dtype_name(p->gemm->inner));
}

static bool check_operands(const struct kernel *k, struct fault *fault) {
    ty_dtype left = k->inputs[0].dtype, right = k->inputs[1].dtype;
    return (left == right && left == k->core_dtype) ||
           fault_set(fault,
                     "a contraction computes in one dtype, but has %s and %s for a sum in %s: cast first",
                     ty_dtype_name(left), ty_dtype_name(right), ty_dtype_name(k->core_dtype));
}

static bool make_body(struct contract_plan *p, const struct kernel *k, struct arena *arena,
                      struct fault *fault) {
    if (!k->program && !p->narrow && p->blocks[DIM_K] == 1) return true;
    p->body = cpu_body_prepare(k->program, true, k->core_dtype, k->ninputs - k->ncore, k->inputs + k->ncore,
                               k->noutputs, k->outputs, arena, fault);
    return p->body != NULL;
}

struct contract_plan *contract_plan_make(struct kernel *k, struct arena *arena, struct fault *fault) {
    if (!check_operands(k, fault)) return NULL;
    struct contract_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p), NULL;
    const struct layout *out = &k->outputs[0].layout;
    contract_dims(&p->dims, k->attr, &k->inputs[0].layout, &k->inputs[1].layout, out);
    p->gemm = gemm_find(k->core_dtype);
    p->element = dtype_table[k->core_dtype].size;
    p->inner = dtype_table[p->gemm->inner].size;
    p->total = shape_size(out->rank, out->shape);
    p->panel_rows = p->dims.lanes ? 1 : p->gemm->rows;
    p->sliver = (int64_t)p->gemm->lanes * GEMM_VECTORS / p->gemm->parts;
    p->size[DIM_C] = 1;
    p->blocks[DIM_C] = p->dims.size[DIM_C];
    split_depth(p);
    if (!choose_casts(p, k->core_dtype, fault) || !make_body(p, k, arena, fault)) return NULL;
    if (!fill_steps(p, arena)) return fault_memory(fault, (size_t)p->size[DIM_K] * 2 * sizeof(int64_t)), NULL;
    int width = useful_width(p);
    fit_caches(p);
    share(p, width);
    int64_t slivers = ceil_div(p->size[DIM_N], p->sliver);
    size_t kept = (size_t)(slivers * p->size[DIM_K] * p->sliver * p->gemm->parts * p->gemm->parts) * p->inner;
    p->keep = p->dims.size[DIM_K] <= p->size[DIM_K] && kept <= KEEP_BYTES;
    k->width = (int)at_least(1, at_most(width, count_tasks(p)));
    if (p->blocks[DIM_K] > 1)
        p->partial_bytes =
            (size_t)round_up(p->total * p->blocks[DIM_K] * p->gemm->parts * (int64_t)p->inner, 64);
    struct contract_scratch unused;
    p->thread_bytes = contract_scratch_lay(p, 0, &unused);
    k->workspace = p->partial_bytes + (size_t)k->width * p->thread_bytes;
    return p;
}

/* Sides on which a role's steps are looked at. */
static bool looked_at(const struct contract_plan *p, enum dim_role role, enum dim_side side) {
    static const uint8_t sides[DIM_ROLES] = {[DIM_M] = 1 << SIDE_LEFT | 1 << SIDE_OUT,
                                             [DIM_N] = 1 << SIDE_RIGHT | 1 << SIDE_OUT,
                                             [DIM_K] = 1 << SIDE_LEFT | 1 << SIDE_RIGHT};
    return (sides[role] >> side & 1) || (p->dims.lanes && role == DIM_N && side == SIDE_LEFT);
}

static void *take(uintptr_t *at, int64_t n, size_t size) {
    uintptr_t here = *at;
    *at += ((size_t)n * size + 63) / 64 * 64;
    return (void *)here;
}

size_t contract_scratch_lay(const struct contract_plan *p, uintptr_t base, struct contract_scratch *s) {
    uintptr_t at = base;
    int64_t m = p->size[DIM_M], n = p->size[DIM_N], depth = p->size[DIM_K] * p->gemm->parts;
    int64_t columns = (int64_t)p->gemm->lanes * GEMM_VECTORS, panels = m / p->panel_rows + 1;
    int64_t slivers = p->keep ? ceil_div(n, p->sliver) : 1;
    *s = (struct contract_scratch){.kept = -1};
    for (int role = 0; role < DIM_ROLES; role++) {
        s->first[role] = -1;
        for (int side = 0; side < SIDES; side++) {
            if (!looked_at(p, role, side)) continue;
            s->steps[role][side].at = take(&at, p->size[role], sizeof(int64_t));
            s->steps[role][side].run = take(&at, p->size[role], sizeof(int32_t));
        }
    }
    s->left = take(&at, p->dims.lanes ? columns * depth : panels * p->gemm->pitch * depth, p->inner);
    s->right = take(&at, slivers * columns * depth, p->inner);
    s->ahead = take(&at, GEMM_VECTORS * p->size[DIM_K], sizeof(int64_t));
    s->tile = take(&at, columns * p->gemm->rows, p->inner);
    if (p->widen) s->raw = take(&at, at_least(columns, p->gemm->pitch) * depth, p->element);
    if (p->body && p->blocks[DIM_K] == 1) {
        s->block_rows = take(&at, m, sizeof(int64_t));
        s->block_columns = take(&at, n, sizeof(int64_t));
        s->block = take(&at, m * n * p->gemm->parts, p->inner);
    } else if (p->body) {
        s->block = take(&at, (int64_t)CPU_TILE * p->gemm->parts, p->inner);
    }
    if (p->narrow) s->narrowed = take(&at, CPU_TILE, p->element);
    if (p->body) s->body = take(&at, 1, cpu_body_scratch(p->body));
    return at - base;
}
