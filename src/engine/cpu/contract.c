/*
 * Contractions: the loops around the kernels of gemm.h.
 *
 *   task   one block of rows x columns of one batch (and one span of K)
 *   deep   for each block of K: pack the rows' panels of left
 *   sliver for each sliver of columns: pack it from right, unless it lies as the kernel wants it
 *   panel  for each panel of rows: the micro-kernel
 *
 * These are the five loops of BLIS (Van Zee & van de Geijn, ACM TOMS 41, 2015) with operands addressed
 * through vectors of steps (TBLIS, Matthews, SIAM J. Sci. Comput. 40, 2018), so any strides, also overlapping
 * windows, become packed panels without a copy of the whole.  Threads share rows, columns and batches; where
 * those are few, spans of K, whose partial sums are added in order.  An epilogue runs over a block when its
 * sums are complete, while it is in the cache.
 */
#include <string.h>
#include "engine/cpu/contract_plan.h"

enum {
    DIRECT_SLIVERS = 4, /* left is read where it is when so few slivers use a panel */
    DIRECT_PANELS = 2,  /* the same for right */
    DIRECT_BYTES = 256, /* right lies as well as packed when a step of k is as short as this */
};

struct contract_run {
    const struct contract_plan *plan;
    void *const *slots;
    const char *left, *right; /* of the plan's sides */
    char *out, *workspace;
};

/* Where a task's sums go: element (i, j) to sums[rows[i] + columns[j]]. */
struct target {
    char *sums;
    const int64_t *rows, *columns;
    const int32_t *runs; /* NULL: columns are side by side */
};

struct task {
    const struct contract_run *run;
    const struct contract_plan *plan;
    struct contract_scratch *s;
    struct target target;
    const char *left, *right; /* of the batch */
    int64_t kept;             /* identity of the block of right */
    bool add;                 /* not the first block of K */
};

static struct steps steps_of(const struct contract_scratch *s, enum dim_role role, enum dim_side side,
                             int64_t from) {
    return (struct steps){s->steps[role][side].at + from, s->steps[role][side].run + from};
}

/* A run that is not seen costs time only: they are looked for where the innermost dimension has them. */
static void find_runs(const int64_t *at, int64_t n, int64_t one, bool likely, int32_t *run) {
    for (int64_t i = 0; !likely && i < n; i++) run[i] = 1;
    for (int64_t i = n - 1, length = 0; likely && i >= 0; i--) {
        length = i + 1 < n && at[i + 1] == at[i] + one ? length + 1 : 1;
        run[i] = (int32_t)length;
    }
}

/* Computes the steps of a block, unless they are there already.  Outputs count inner elements. */
static void load_steps(const struct contract_plan *p, struct contract_scratch *s, enum dim_role role,
                       int64_t first, int64_t n) {
    if (s->first[role] == first && s->count[role] == n) return;
    s->first[role] = first;
    s->count[role] = n;
    for (int side = 0; side < SIDES; side++) {
        int64_t *at = s->steps[role][side].at, parts = side == SIDE_OUT ? p->gemm->parts : 1;
        if (!at) continue;
        contract_offsets(&p->dims, role, side, first, n, at);
        for (int64_t i = 0; parts > 1 && i < n; i++) at[i] *= parts;
        bool likely =
            p->dims.count[role] > 0 && p->dims.dims[role][p->dims.count[role] - 1].stride[side] == 1;
        find_runs(at, n, parts, likely, s->steps[role][side].run);
    }
}

/* ---- packing ---- */

struct panel {
    const void *data;
    const int64_t *steps; /* of k */
};

static void pack(const struct task *t, gemm_pack *packer, char *to, int64_t pitch, const char *from,
                 struct steps across, int64_t width, struct steps along, int64_t depth) {
    const struct contract_plan *p = t->plan;
    if (!p->widen) {
        packer(to, pitch, from, across, width, along, depth);
        return;
    }
    memset(t->s->raw, 0, (size_t)(pitch * depth) * p->element);
    packer(t->s->raw, pitch, from, across, width, along, depth);
    p->widen(pitch * depth, to, t->s->raw, NULL, NULL);
}

static int64_t panel_count(const struct contract_plan *p, int64_t rows) {
    return (rows + p->panel_rows - 1) / p->panel_rows;
}

/* Rows of all panels differ by one at most: full tiles and a sliver at the end would be slower. */
static int64_t panel_first(int64_t rows, int64_t panels, int64_t i) {
    return rows / panels * i + (i < rows % panels ? i : rows % panels);
}

static bool left_in_place(const struct task *t, int64_t first, int64_t rows) {
    const struct contract_plan *p = t->plan;
    return p->gemm->direct && t->s->count[DIM_N] <= DIRECT_SLIVERS * p->sliver &&
           steps_of(t->s, DIM_M, SIDE_LEFT, first).run[0] >= rows;
}

static struct panel left_panel(const struct task *t, int64_t i, int64_t first, int64_t rows) {
    const struct contract_plan *p = t->plan;
    if (left_in_place(t, first, rows))
        return (struct panel){t->left + steps_of(t->s, DIM_M, SIDE_LEFT, first).at[0] * (int64_t)p->element,
                              t->s->steps[DIM_K][SIDE_LEFT].at};
    int64_t bytes = p->gemm->pitch * p->size[DIM_K] * p->gemm->parts * (int64_t)p->inner;
    return (struct panel){t->s->left + i * bytes, p->panel_steps};
}

static void pack_left(const struct task *t) {
    int64_t rows = t->s->count[DIM_M], panels = panel_count(t->plan, rows);
    for (int64_t i = 0; i < panels; i++) {
        int64_t first = panel_first(rows, panels, i), n = panel_first(rows, panels, i + 1) - first;
        if (left_in_place(t, first, n)) continue;
        pack(t, t->plan->gemm->pack_left, (char *)left_panel(t, i, first, n).data, t->plan->gemm->pitch,
             t->left, steps_of(t->s, DIM_M, SIDE_LEFT, first), n, steps_of(t->s, DIM_K, SIDE_LEFT, 0),
             t->s->count[DIM_K]);
    }
}

/* Packs columns j .. j+n-1 of an operand whose columns are N, unless it can be read where it is. */
static struct panel pack_columns(const struct task *t, enum dim_side side, const char *from,
                                 gemm_pack *packer, char *to, int64_t j, int64_t n, bool in_place,
                                 bool there) {
    const struct contract_plan *p = t->plan;
    struct steps across = steps_of(t->s, DIM_N, side, j), along = steps_of(t->s, DIM_K, side, 0);
    int64_t columns = (int64_t)p->gemm->lanes * GEMM_VECTORS;
    if (in_place && p->gemm->direct && n % p->gemm->lanes == 0 && across.run[0] >= n)
        return (struct panel){from + across.at[0] * (int64_t)p->element, along.at};
    struct panel packed = {to, p->sliver_steps};
    if (there) return packed;
    size_t bytes = (size_t)(columns * t->s->count[DIM_K] * p->gemm->parts) * p->inner;
    if (n < p->sliver) memset(to, 0, bytes);
    pack(t, packer, to, columns, from, across, n, along, t->s->count[DIM_K]);
    return packed;
}

static struct panel right_sliver(const struct task *t, int64_t j, int64_t n, bool there) {
    const struct contract_plan *p = t->plan;
    const struct dim *last = &p->dims.dims[DIM_K][0];
    int64_t step = p->dims.count[DIM_K] == 1 ? last->stride[SIDE_RIGHT] * (int64_t)p->element : INT64_MAX;
    bool in_place = p->dims.lanes || p->dims.count[DIM_K] == 0 ||
                    (step <= DIRECT_BYTES && step >= -DIRECT_BYTES) ||
                    panel_count(p, t->s->count[DIM_M]) <= DIRECT_PANELS;
    int64_t bytes = p->size[DIM_K] * (int64_t)p->inner * p->gemm->parts * p->gemm->lanes * GEMM_VECTORS;
    char *to = t->s->right + (p->keep ? j / p->sliver * bytes : 0);
    return pack_columns(t, SIDE_RIGHT, t->right, p->gemm->pack_right, to, j, n, in_place, there);
}

/* ---- tiles ---- */

/* Runs a tile and sees that its sums get to their place. */
static void run_tile(const struct task *t, gemm_tile_run *kernel, struct gemm_tile *tile, int64_t first,
                     int64_t rows, int64_t j, int64_t n) {
    const struct contract_plan *p = t->plan;
    const struct target *to = &t->target;
    bool whole = n * p->gemm->parts % p->gemm->lanes == 0 && (!to->runs || to->runs[j] >= n);
    tile->c = whole ? to->sums + to->columns[j] * (int64_t)p->inner : t->s->tile;
    tile->rows = whole ? to->rows + first : p->tile_rows;
    tile->add = whole && t->add;
    kernel(tile);
    if (!whole)
        p->gemm->place(to->sums, to->rows + first, rows, to->columns + j, n, p->gemm->parts, t->s->tile,
                       (int64_t)p->gemm->lanes * GEMM_VECTORS, t->add);
}

/* Where the cache lines of a sliver of right are: those of the first one, others look much the same (a wrong
   guess costs time only). */
static void look_ahead(const struct task *t) {
    struct contract_scratch *s = t->s;
    struct steps across = steps_of(s, DIM_N, SIDE_RIGHT, 0), along = steps_of(s, DIM_K, SIDE_RIGHT, 0);
    int64_t lanes = t->plan->gemm->lanes, depth = s->count[DIM_K], n = 0;
    int64_t columns = s->count[DIM_N] < GEMM_VECTORS * lanes ? s->count[DIM_N] : GEMM_VECTORS * lanes;
    bool turned = across.run[0] < columns;
    int64_t step_j = turned ? 1 : lanes, step_k = turned ? lanes : 1, lines = (depth + step_k - 1) / step_k;
    for (int64_t j = 0; t->plan->gemm->direct && j < columns && n + lines <= GEMM_VECTORS * depth;
         j += step_j) {
        int64_t *ahead = s->ahead + n, base = across.at[j] - across.at[0];
        for (int64_t k = 0; k < lines; k++) ahead[k] = base + along.at[k * step_k];
        n += lines;
    }
    s->ahead_count = n;
}

/* Steps to what of right comes after sliver j: the next one, or the first one of the next block of K; 0:
 * nothing. */
static int64_t next_sliver(const struct task *t, int64_t j) {
    const struct contract_plan *p = t->plan;
    const struct contract_scratch *s = t->s;
    int64_t k = s->first[DIM_K] + s->count[DIM_K], at;
    if (j + p->sliver < s->count[DIM_N]) return s->steps[DIM_N][SIDE_RIGHT].at[j + p->sliver];
    if (k >= p->dims.size[DIM_K] || s->count[DIM_K] == 0) return 0;
    contract_offsets(&p->dims, DIM_K, SIDE_RIGHT, k, 1, &at);
    return s->steps[DIM_N][SIDE_RIGHT].at[0] + at - s->steps[DIM_K][SIDE_RIGHT].at[0];
}

/* What to fetch while panel i of n is computed: its part of the next sliver of right; when right is there
   already, the place of the next panel's sums, which begin with row `row`. */
static void set_soon(const struct task *t, struct gemm_tile *tile, int64_t next, int64_t i, int64_t n,
                     int64_t j, int64_t row) {
    enum { SPARSEST = 4 };
    const struct contract_plan *p = t->plan;
    int64_t step = t->s->ahead_count ? tile->depth * n / t->s->ahead_count : 1, share, rest;
    tile->soon_step = step < 1 ? 1 : step > SPARSEST ? SPARSEST : step;
    share = (tile->depth + tile->soon_step - 1) / tile->soon_step;
    if (next) {
        rest = t->s->ahead_count - i * share;
        tile->soon = t->right + next * (int64_t)p->element;
        tile->soon_at = t->s->ahead + (rest > 0 ? i * share : 0);
    } else {
        rest = t->s->count[DIM_M] - row;
        tile->soon = t->target.sums + t->target.columns[j] * (int64_t)p->inner;
        tile->soon_at = t->target.rows + row;
    }
    tile->soon_count = rest < 0 ? 0 : rest < share ? rest : share;
}

/* One sliver against all panels. */
static void run_panels(const struct task *t, struct panel right, bool there, int64_t j, int64_t n) {
    const struct contract_plan *p = t->plan;
    int64_t rows = t->s->count[DIM_M], panels = panel_count(p, rows), parts = p->gemm->parts;
    int vectors = (int)((n * parts + p->gemm->lanes - 1) / p->gemm->lanes);
    int64_t soon = there ? 0 : next_sliver(t, j);
    for (int64_t i = 0; i < panels; i++) {
        int64_t first = panel_first(rows, panels, i), next = panel_first(rows, panels, i + 1);
        struct panel left = left_panel(t, i, first, next - first);
        struct gemm_tile tile = {.a = left.data,
                                 .ka = left.steps,
                                 .b = right.data,
                                 .kb = right.steps,
                                 .depth = t->s->count[DIM_K] * parts};
        set_soon(t, &tile, soon, i, panels, j, next);
        run_tile(t, p->gemm->tile[next - first][vectors], &tile, first, next - first, j, n);
    }
}

/* The same where left steps with the columns: one row at a time. */
static void run_lanes(const struct task *t, struct panel right, int64_t j, int64_t n) {
    const struct contract_plan *p = t->plan;
    int vectors = (int)((n * p->gemm->parts + p->gemm->lanes - 1) / p->gemm->lanes);
    for (int64_t i = 0; i < t->s->count[DIM_M]; i++) {
        const char *from = t->left + t->s->steps[DIM_M][SIDE_LEFT].at[i] * (int64_t)p->element;
        struct panel left =
            pack_columns(t, SIDE_LEFT, from, p->gemm->pack_lanes, t->s->left, j, n, true, false);
        struct gemm_tile tile = {.a = left.data,
                                 .ka = left.steps,
                                 .b = right.data,
                                 .kb = right.steps,
                                 .depth = t->s->count[DIM_K] * p->gemm->parts};
        run_tile(t, p->gemm->lane[vectors], &tile, i, 1, j, n);
    }
}

static void run_deep(const struct task *t) {
    const struct contract_plan *p = t->plan;
    int64_t columns = t->s->count[DIM_N];
    bool there = p->keep && t->s->kept == t->kept;
    if (!p->dims.lanes) {
        pack_left(t);
        look_ahead(t);
    }
    for (int64_t j = 0; j < columns; j += p->sliver) {
        int64_t n = columns - j < p->sliver ? columns - j : p->sliver;
        struct panel right = right_sliver(t, j, n, there);
        if (p->dims.lanes)
            run_lanes(t, right, j, n);
        else
            run_panels(t, right, there, j, n);
    }
    t->s->kept = t->kept;
}

/* ---- epilogue ---- */

/* Stores n complete sums, which are elements start .. of the output, through the body. */
static void emit(const struct contract_run *r, struct contract_scratch *s, const char *sums, int64_t start,
                 int64_t n) {
    const struct contract_plan *p = r->plan;
    int64_t most = p->narrow ? CPU_TILE : n;
    for (int64_t i = 0; i < n; i += most) {
        int64_t count = n - i < most ? n - i : most;
        const char *core = sums + i * p->gemm->parts * (int64_t)p->inner;
        if (p->narrow) {
            p->narrow(count, s->narrowed, core, NULL, NULL);
            core = s->narrowed;
        }
        cpu_body_run(p->body, r->slots, s->body, core, start + i, count);
    }
}

/* Stores a block: as few and long runs of the output as there are. */
static void emit_block(const struct task *t, int64_t base) {
    const struct contract_plan *p = t->plan;
    int64_t rows = t->s->count[DIM_M], columns = t->s->count[DIM_N], parts = p->gemm->parts;
    const int64_t *row = t->s->steps[DIM_M][SIDE_OUT].at, *column = t->s->steps[DIM_N][SIDE_OUT].at;
    const int32_t *runs = t->s->steps[DIM_N][SIDE_OUT].run;
    for (int64_t i = 0, height = 1; i < rows; i += height) {
        for (height = 1; runs[0] == columns && i + height < rows; height++)
            if (row[i + height] != row[i] + height * columns * parts) break;
        for (int64_t j = 0; j < columns; j += runs[j])
            emit(t->run, t->s, t->s->block + (i * columns + j) * parts * (int64_t)p->inner,
                 base + (row[i] + column[j]) / parts, height > 1 ? height * columns : runs[j]);
    }
}

/* ---- tasks ---- */

static struct target block_target(const struct contract_plan *p, struct contract_scratch *s) {
    int64_t columns = s->count[DIM_N], parts = p->gemm->parts;
    for (int64_t i = 0; i < s->count[DIM_M]; i++) s->block_rows[i] = i * columns * parts;
    for (int64_t j = 0; j < columns; j++) s->block_columns[j] = j * parts;
    return (struct target){s->block, s->block_rows, s->block_columns, NULL};
}

static struct target out_target(const struct contract_run *r, const struct contract_scratch *s, int64_t split,
                                int64_t base) {
    const struct contract_plan *p = r->plan;
    char *whole = p->blocks[DIM_K] > 1 ? r->workspace : r->out;
    return (struct target){whole + (split * p->total + base) * p->gemm->parts * (int64_t)p->inner,
                           s->steps[DIM_M][SIDE_OUT].at, s->steps[DIM_N][SIDE_OUT].at,
                           s->steps[DIM_N][SIDE_OUT].run};
}

static int64_t load_block(const struct contract_plan *p, struct contract_scratch *s, enum dim_role role,
                          int64_t i) {
    int64_t first = i * p->size[role], rest = p->dims.size[role] - first;
    load_steps(p, s, role, first, rest < p->size[role] ? rest : p->size[role]);
    return i;
}

/* Task numbers count rows fastest, then columns, batches, spans of K. */
static void run_task(const struct contract_run *r, struct contract_scratch *s, int64_t number) {
    const struct contract_plan *p = r->plan;
    int64_t batch[SIDES], rest = number / p->blocks[DIM_M];
    load_block(p, s, DIM_M, number % p->blocks[DIM_M]);
    load_block(p, s, DIM_N, rest % p->blocks[DIM_N]);
    int64_t split = rest / p->blocks[DIM_N] / p->blocks[DIM_C],
            c = rest / p->blocks[DIM_N] % p->blocks[DIM_C];
    for (int side = 0; side < SIDES; side++) contract_offsets(&p->dims, DIM_C, side, c, 1, &batch[side]);
    bool waits = p->body && p->blocks[DIM_K] == 1;
    struct task t = {.run = r,
                     .plan = p,
                     .s = s,
                     .kept = rest,
                     .left = r->left + batch[SIDE_LEFT] * (int64_t)p->element,
                     .right = r->right + batch[SIDE_RIGHT] * (int64_t)p->element,
                     .target = waits ? block_target(p, s) : out_target(r, s, split, batch[SIDE_OUT])};
    int64_t k = split * p->span, end = k + p->span < p->dims.size[DIM_K] ? k + p->span : p->dims.size[DIM_K];
    do {
        load_steps(p, s, DIM_K, k, end - k < p->size[DIM_K] ? end - k : p->size[DIM_K]);
        run_deep(&t);
        t.add = true;
        k += p->size[DIM_K];
    } while (k < end);
    if (waits) emit_block(&t, batch[SIDE_OUT]);
}

static void lay_scratch(const struct contract_run *r, struct contract_scratch *s) {
    char *base = r->workspace + r->plan->partial_bytes + (size_t)parallel_index() * r->plan->thread_bytes;
    contract_scratch_lay(r->plan, (uintptr_t)base, s);
}

static void run_tasks(void *context, int64_t begin, int64_t end) {
    struct contract_scratch s;
    lay_scratch(context, &s);
    for (int64_t i = begin; i < end; i++) run_task(context, &s, i);
}

/* Adds the partial sums of all spans, in order, and stores: items are tiles of the output. */
static void run_sums(void *context, int64_t begin, int64_t end) {
    const struct contract_run *r = context;
    const struct contract_plan *p = r->plan;
    struct contract_scratch s;
    lay_scratch(r, &s);
    int64_t bytes = p->gemm->parts * (int64_t)p->inner;
    for (int64_t i = begin; i < end; i++) {
        int64_t start = i * CPU_TILE, n = p->total - start < CPU_TILE ? p->total - start : CPU_TILE;
        memcpy(s.block, r->workspace + start * bytes, (size_t)(n * bytes));
        for (int64_t split = 1; split < p->blocks[DIM_K]; split++)
            p->gemm->sum(n * p->gemm->parts, s.block, r->workspace + (split * p->total + start) * bytes);
        emit(r, &s, s.block, start, n);
    }
}

struct contract_way {
    struct kernel *flat; /* NULL: blocks */
    struct contract_plan *plan;
};

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    const struct contract_attr *attr = kernel->attr;
    if (attr->nwindows || attr->sums)
        return fault_set(fault, "cpu: contractions with windows or with sums in another dtype are not built yet");
    struct contract_way *way = arena_alloc(arena, sizeof *way);
    if (!way) return fault_memory(fault, sizeof *way);
    way->flat = contract_flat(kernel, arena, fault);
    if (fault->set) return false;
    if (!way->flat) way->plan = contract_plan_make(kernel, arena, fault);
    kernel->prepared = way;
    return way->flat || way->plan;
}

static const char *address(const struct operand *x, void *const *slots) {
    return (const char *)slots[x->slot] + x->layout.offset * (int64_t)dtype_table[x->dtype].size;
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct contract_way *way = kernel->prepared;
    if (way->flat) return cpu_reduce.launch(way->flat, slots, workspace, fault);
    const struct contract_plan *p = way->plan;
    if (p->total == 0) return true;
    struct contract_run r = {.plan = p, .slots = slots, .workspace = workspace};
    r.left = address(&kernel->inputs[p->dims.swapped], slots);
    r.right = address(&kernel->inputs[!p->dims.swapped], slots);
    r.out = (char *)(uintptr_t)address(&kernel->outputs[0], slots);
    parallel_for(kernel->width, p->blocks[DIM_C] * p->blocks[DIM_M] * p->blocks[DIM_N] * p->blocks[DIM_K], 1,
                 run_tasks, &r);
    if (p->blocks[DIM_K] > 1)
        parallel_for(kernel->width, (p->total + CPU_TILE - 1) / CPU_TILE, 1, run_sums, &r);
    return true;
}

const struct cpu_kind cpu_contract = {prepare, launch};
