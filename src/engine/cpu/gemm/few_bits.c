/*
 * Kernel kind FEW_BITS: products with a matrix of numbers of few bits (ops/core/attributes.h states their order).
 *
 * Rows of a are turned once, so that a vector has a number of each lane's word.  Panels of a's rows meet tiles of the
 * matrix's rows, whose sums, a vector of lanes for each element, stay in the caches.  Codes become numbers in registers,
 * for up to eight rows of a at a time.
 */
#include <string.h>
#include "base/checked.h"
#include "engine/cpu/elementwise/dense.h"
#include "engine/cpu/elementwise/store.h"
#include "engine/cpu/gemm/few_bits.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel/work.h"

/* Rows of a panel and columns of a tile: their sums, 64 bytes each, fit a quarter of a cache L2 of 1 MiB. */
enum { PANEL = 128, TILE = 32 };
/* Numbers of a word times groups that a panel of more than TALL rows meets at a time: 16 KiB of a in L1. */
enum { STEP = 32, TALL = 8 };
enum { BYTES_TABLE = 256 };

struct few_bits_plan {
    const struct few_bits_loops *loops;
    struct cpu_whole whole;
    struct cpu_dense dense[FEW_BITS_OPERANDS];
    int64_t rows, columns, depth, bytes, blocks; /* of the product; of a row of the matrix */
    int64_t groups, tile;                        /* of a row, the last one possibly in part */
    int word, shift;                             /* numbers of a word; log2 of words of a block */
    int operands;
    bool ends;                 /* the last group is shorter than others */
    size_t turned, scratch;    /* offsets in the workspace */
    size_t sums, scratch_each; /* bytes of a thread: sums; these and ends */
};

/* ---- preparation ---- */

/* A last group of a row of the matrix that is shorter than others: a copy with a scale for each word. */
struct few_bits_end {
    uint8_t codes[FEW_BITS_GROUP_BYTES];
    float scales[FEW_BITS_LANES], zeros[FEW_BITS_LANES];
};

static void plan_sizes(struct few_bits_plan *p, const struct kernel *kernel) {
    const struct few_bits_attr *attr = kernel->attr;
    const int64_t *a = kernel->inputs[FEW_BITS_A].layout.shape;
    p->rows = a[0], p->depth = a[1], p->operands = kernel->ncore;
    p->columns = kernel->inputs[FEW_BITS_CODES].layout.shape[0];
    p->bytes = kernel->inputs[FEW_BITS_CODES].layout.shape[1];
    p->blocks = kernel->inputs[FEW_BITS_SCALES].layout.shape[1];
    p->word = FEW_BITS_WORD / attr->bits;
    int64_t group = (int64_t)p->word * FEW_BITS_LANES;
    p->ends = p->depth % group != 0;
    p->groups = p->depth / group + p->ends;
    p->shift = 62; /* one block */
    if (attr->block < p->depth) p->shift = __builtin_ctzll((unsigned long long)(attr->block / p->word));
}

/* Prepare the product: operands, loops and workspace.  False, with the fault set, on failure. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    static const struct few_bits_loops *const tables[ISA_COUNT] = ISA_TABLE(&few_bits_);
    struct few_bits_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->prepared = p;
    p->loops = tables[isa_current()];
    plan_sizes(p, kernel);
    if (!cpu_whole_prepare(&p->whole, kernel, TY_F32, arena, fault)) return false;
    struct work work = kernel_work(kernel);
    kernel->width = work_width(work.flops + work.bytes, parallel_width());
    for (int i = 0; i < p->operands; i++)
        if (!cpu_dense_prepare(&p->dense[i], kernel, i, arena, fault)) return false;
    int64_t panel = p->rows < PANEL ? p->rows : PANEL, calls = p->columns / kernel->width / FEW_BITS_COLUMNS;
    p->tile = calls >= TILE / FEW_BITS_COLUMNS ? TILE : (calls ? calls : 1) * FEW_BITS_COLUMNS;
    p->sums = (size_t)(p->tile * panel) * FEW_BITS_LANES * sizeof(float);
    p->scratch_each = p->sums + (size_t)p->tile * sizeof(struct few_bits_end);
    size_t row = (size_t)(p->groups * p->word) * FEW_BITS_LANES * sizeof(float), bytes;
    if (!checked_mul_size(row, (size_t)panel, &bytes) || !cpu_reserve(kernel, bytes, &p->turned) ||
        !cpu_reserve(kernel, p->scratch_each * (size_t)kernel->width, &p->scratch))
        return fault_memory(fault, SIZE_MAX);
    return true;
}

/* ---- launch ---- */

struct few_bits_run {
    const struct few_bits_plan *p;
    enum few_bits_read read;
    bool zeros;
    const uint8_t *codes;
    const float *a, *scales, *zero;
    float *turned, *out;
    char *scratch;
    int64_t first, height; /* rows of the present panel */
    float table[BYTES_TABLE] __attribute__((aligned(64)));
};

/* Copy the table and choose how codes are read: numbers that follow each other need no look-up, with the same bits. */
static void choose_read(struct few_bits_run *r, const float *table) {
    int entries = 1 << (FEW_BITS_WORD / r->p->word);
    bool ascend = true, turns = true;
    if (entries < BYTES_TABLE) {
        for (int i = 0; i < FEW_BITS_LANES; i++) r->table[i] = table[i % entries];
        r->read = entries == 4 ? FEW_BITS_TWO : FEW_BITS_FOUR;
        return;
    }
    for (int i = 0; i < entries; i++) {
        r->table[i] = table[i];
        ascend = ascend && table[i] == table[0] + (float)i;
        turns = turns && table[i] == table[0] + (float)(i < entries / 2 ? i : i - entries);
    }
    r->read = ascend ? FEW_BITS_UNSIGNED : turns ? FEW_BITS_SIGNED : FEW_BITS_BYTES;
}

/* Return the loop's number for up to `rows` rows, and set their number. */
static int height_of(int64_t rows, int *height) {
    int at = rows >= 8 ? 3 : rows >= 4 ? 2 : rows >= 2;
    *height = 1 << at;
    return at;
}

/* Turn `height` rows, from `row` of the panel on: [group][number of a word][row][lane], zeros behind the end. */
static void turn_rows(const struct few_bits_run *r, int64_t row, int height) {
    const struct few_bits_plan *p = r->p;
    int64_t group = (int64_t)p->word * FEW_BITS_LANES;
    float *to = r->turned + row * p->groups * group;
    for (int64_t g = 0; g < p->groups; g++)
        for (int at = 0; at < p->word; at++)
            for (int i = 0; i < height; i++, to += FEW_BITS_LANES) {
                const float *from = r->a + (r->first + row + i) * p->depth;
                for (int lane = 0; lane < FEW_BITS_LANES; lane++) {
                    int64_t k = g * group + lane * p->word + at;
                    to[lane] = k < p->depth ? from[k] : 0;
                }
            }
}

/* Turn parts begin .. end-1 of the panel, TALL rows each. */
static void turn(void *context, int64_t begin, int64_t end) {
    const struct few_bits_run *r = context;
    int64_t last = end * TALL < r->height ? end * TALL : r->height;
    int height;
    for (int64_t row = begin * TALL; row < last; row += height) {
        height_of(r->height - row, &height);
        turn_rows(r, row, height);
    }
}

/* A tile: columns first .. last-1 of the panel, their sums [column][row][lane], and ends of their rows. */
struct few_bits_tile {
    const struct few_bits_run *r;
    int64_t first, last;
    float *sums;
    struct few_bits_end *ends;
};

/* Return row `column` of the matrix; one behind the last row is the last row. */
static struct few_bits_row row_at(const struct few_bits_run *r, int64_t column) {
    const struct few_bits_plan *p = r->p;
    int64_t at = column < p->columns ? column : p->columns - 1;
    return (struct few_bits_row){r->codes + at * p->bytes, r->scales + at * p->blocks,
                                 r->zeros ? r->zero + at * p->blocks : NULL};
}

static void make_end(const struct few_bits_run *r, int64_t column, struct few_bits_end *end) {
    const struct few_bits_plan *p = r->p;
    struct few_bits_row row = row_at(r, column);
    int64_t group = p->groups - 1, bits = FEW_BITS_WORD / p->word;
    int64_t rest = (p->depth - group * p->word * FEW_BITS_LANES) * bits;
    memset(end->codes, 0, sizeof end->codes);
    memcpy(end->codes, row.codes + group * FEW_BITS_GROUP_BYTES, (size_t)((rest + 7) / 8));
    if (rest % 8) end->codes[rest / 8] &= (uint8_t)((1 << rest % 8) - 1);
    for (int lane = 0; lane < FEW_BITS_LANES; lane++) {
        int64_t word = group * FEW_BITS_LANES + lane;
        bool inside = word * p->word < p->depth;
        end->scales[lane] = inside ? row.scales[word >> p->shift] : 0;
        end->zeros[lane] = inside && r->zeros ? row.zeros[word >> p->shift] : 0;
    }
}

/* Add the products of groups from .. to-1 with `height` rows of a, from `row` of the panel on, and with rows of the
   matrix from `column` on. */
static void add_products(const struct few_bits_tile *t, few_bits_loop loop, int64_t column, int64_t row,
                         int height, int64_t from, int64_t to) {
    const struct few_bits_plan *p = t->r->p;
    int64_t group = (int64_t)p->word * FEW_BITS_LANES, whole = p->depth / group < to ? p->depth / group : to;
    struct few_bits_call c = {.table = t->r->table,
                              .a = t->r->turned + (row * p->groups + from * height) * group,
                              .sums = t->sums + ((column - t->first) * t->r->height + row) * FEW_BITS_LANES,
                              .sums_column = t->r->height * FEW_BITS_LANES,
                              .first = from,
                              .groups = whole - from,
                              .shift = p->shift};
    for (int n = 0; n < FEW_BITS_COLUMNS; n++) {
        c.rows[n] = row_at(t->r, column + n);
        c.rows[n].codes += from * FEW_BITS_GROUP_BYTES;
    }
    if (whole > from) loop(&c);
    if (whole == to) return;
    c.a += (whole - from) * height * group;
    c.first = 0, c.groups = 1, c.shift = 0;
    for (int n = 0; n < FEW_BITS_COLUMNS; n++) {
        const struct few_bits_end *end = &t->ends[column - t->first + n];
        c.rows[n] = (struct few_bits_row){end->codes, end->scales, end->zeros};
    }
    loop(&c);
}

/* Add the products of groups from .. to-1 to the sums of a tile. */
static void add_tile(const struct few_bits_tile *t, int64_t from, int64_t to) {
    const struct few_bits_run *r = t->r;
    int height;
    for (int64_t row = 0; row < r->height; row += height) {
        int kind = height_of(r->height - row, &height), columns = r->p->loops->columns[kind];
        for (int64_t n = t->first; n < t->last; n += columns)
            add_products(t, r->p->loops->run[r->read][r->zeros][kind], n, row, height, from, to);
    }
}

/* Join the lanes of a sum. */
static float joined(const float *sum) {
    float y[FEW_BITS_LANES];
    memcpy(y, sum, sizeof y);
    for (int half = FEW_BITS_LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) y[lane] += y[lane + half];
    return y[0];
}

/* Compute tiles begin .. end-1 of the columns of the panel. */
static void run_tiles(void *context, int64_t begin, int64_t end) {
    const struct few_bits_run *r = context;
    const struct few_bits_plan *p = r->p;
    char *scratch = r->scratch + (size_t)parallel_index() * p->scratch_each;
    struct few_bits_tile t = {.r = r, .sums = (float *)(void *)scratch};
    t.ends = (struct few_bits_end *)(void *)(scratch + p->sums);
    int64_t step = r->height > TALL ? STEP / p->word : p->groups;
    for (int64_t tile = begin; tile < end; tile++) {
        t.first = tile * p->tile, t.last = t.first + p->tile;
        memset(t.sums, 0, p->sums);
        for (int64_t n = 0; p->ends && n < p->tile; n++) make_end(r, t.first + n, &t.ends[n]);
        for (int64_t from = 0; from < p->groups; from += step)
            add_tile(&t, from, from + step < p->groups ? from + step : p->groups);
        if (t.last > p->columns) t.last = p->columns;
        for (int64_t row = 0; row < r->height; row++)
            for (int64_t n = t.first; n < t.last; n++)
                r->out[(r->first + row) * p->columns + n] =
                    joined(t.sums + ((n - t.first) * r->height + row) * FEW_BITS_LANES);
    }
}

static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    (void)fault;
    const struct few_bits_plan *p = kernel->prepared;
    const void *x[FEW_BITS_OPERANDS] = {NULL};
    for (int i = 0; i < p->operands; i++) x[i] = cpu_dense_ready(&p->dense[i], kernel, i, slots, workspace);
    struct few_bits_run r = {.p = p,
                             .zeros = p->operands > FEW_BITS_ZEROS,
                             .codes = x[FEW_BITS_CODES],
                             .a = x[FEW_BITS_A],
                             .scales = x[FEW_BITS_SCALES],
                             .zero = x[FEW_BITS_ZEROS],
                             .turned = (float *)(void *)((char *)workspace + p->turned),
                             .out = cpu_whole_begin(&p->whole, slots, workspace),
                             .scratch = (char *)workspace + p->scratch};
    choose_read(&r, x[FEW_BITS_TABLE]);
    for (r.first = 0; r.first < p->rows; r.first += PANEL) {
        r.height = p->rows - r.first < PANEL ? p->rows - r.first : PANEL;
        parallel_for(kernel->width, (r.height + TALL - 1) / TALL, 1 + WORK_A_THREAD / TALL / (p->depth + 1),
                     turn, &r);
        parallel_for(kernel->width, (p->columns + p->tile - 1) / p->tile, 1, run_tiles, &r);
    }
    cpu_whole_end(&p->whole, kernel, slots, workspace);
    return true;
}

const struct cpu_kind cpu_few_bits = {.prepare = prepare, .launch = launch};
