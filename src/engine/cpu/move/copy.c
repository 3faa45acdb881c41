/* Kernel kind COPY: runs a copy plan. With an epilogue it is a MAP whose register 0 is the input (map.c). */
#include "engine/cpu/move/copy.h"
#include "base/machine/cache.h"
#include "engine/cpu/elementwise/store.h"

static const struct copy_kernels *const tables[ISA_COUNT] = ISA_TABLE(&copy_);
const struct copy_kernels *cpu_copy_kernels(void) { return tables[isa_current()]; }

struct copy_run {
    const struct copy_plan *plan;
    const char *from;
    char *to, *stage;
};

/* Return the start of block `at` (0-based) of n elements cut into pieces of `piece`; set *length to the block's
   length. */
static int64_t cut(int64_t n, int64_t piece, int64_t at, int64_t *length) {
    int64_t begin = at * piece;
    *length = n - begin < piece ? n - begin : piece;
    return begin;
}

/* Write `rows` rows of `bytes` bytes, contiguous at `from`, to the output, `pitch` bytes apart; by
   non-temporal stores if the plan says so. */
static void write_out(const struct copy_plan *p, char *to, int64_t pitch, const char *from, int64_t rows,
                      int64_t bytes) {
    if (pitch == bytes) {
        bytes *= rows;
        rows = 1;
    }
    if (p->streamed) {
        cache_bypass_rows(to, pitch, from, bytes, (size_t)bytes, (size_t)rows);
        return;
    }
    for (int64_t j = 0; j < rows; j++) cache_copy(to + j * pitch, from + j * bytes, (size_t)bytes);
}

/* Copy a block of elements too long for the stage buffer, each directly from source to output. */
static void copy_long(const struct copy_plan *p, const struct cpu_block *b) {
    for (int64_t j = 0; j < b->rows; j++)
        for (int64_t i = 0; i < b->columns; i++)
            write_out(p, b->to + j * b->pitch + i * p->run, 0, b->from + j * b->row_step + i * b->column_step,
                      1, b->run);
}

/* Return the number of bytes from `to` to the next cache line; 0 at the start of one. */
static int64_t to_line(const char *to) { return (int64_t)(-(uintptr_t)to % COPY_LINE); }

/* Copy block b, which begins at `column`, through `stage`, writing whole lines of the output, except at the ends of
   its rows. The block before was made one line longer and has written the bytes before the first whole line. */
static void copy_overlapping(const struct copy_plan *p, struct cpu_block *b, int64_t column, char *stage) {
    char *to = b->to;
    int64_t bytes = b->columns * p->run, line = copy_pieces(COPY_LINE, p->run),
            left = p->columns - column - b->columns;
    b->columns += left < line ? left : line;
    b->to = stage;
    b->pitch = b->columns * p->run;
    p->copy(b);
    for (int64_t j = 0; j < b->rows; j++) {
        char *row = to + j * p->row_to;
        int64_t begin = column ? to_line(row) : 0, end = left ? bytes + to_line(row + bytes) : b->pitch;
        if (end > b->pitch) end = b->pitch;
        if (begin >= end) continue; /* the block before reached the end */
        cache_bypass_copy(row + begin, stage + j * b->pitch + begin, (size_t)(end - begin));
    }
}

/* Copy rows and their elements repeatedly: the elements through `stage`, then the rows. */
static void copy_twice(const struct copy_plan *p, const struct cpu_block *b, char *stage) {
    int64_t row = p->unit * p->each * p->size;
    p->copy(&(struct cpu_block){.rows = b->rows * p->unit,
                                .columns = p->each,
                                .run = p->size,
                                .to = stage,
                                .pitch = p->each * p->size,
                                .column_to = p->size,
                                .from = b->from,
                                .row_step = p->unit_from});
    p->kernels->runs(&(struct cpu_block){.rows = b->rows,
                                         .columns = p->times,
                                         .run = row,
                                         .to = b->to,
                                         .pitch = b->pitch,
                                         .column_to = row,
                                         .from = stage,
                                         .row_step = row});
}

/* Copy block b, which begins at `column`, directly or through `stage`, by the plan's method. */
static void copy_block(const struct copy_plan *p, struct cpu_block *b, int64_t column, char *stage) {
    char *to = b->to;
    if (p->times) {
        copy_twice(p, b, stage);
    } else if (p->run >= COPY_LONG) {
        copy_long(p, b);
    } else if (p->lines && (uintptr_t)to % (uintptr_t)p->aligned == 0 && b->rows * p->run >= COPY_ROWS) {
        p->lines(b);
    } else if (p->overlapping) {
        copy_overlapping(p, b, column, stage);
    } else if (p->staged) {
        b->to = stage;
        b->pitch = b->columns * p->run;
        p->copy(b);
        write_out(p, to, p->row_to, stage, b->rows, b->pitch);
    } else {
        p->copy(b);
    }
}

/* Position in the sequence of blocks: block `block` at the outer axes' `index`; from and to are byte offsets. */
struct copy_place {
    int64_t block, from, to, index[TY_MAX_RANK];
};

/* Set *at to block `item`: its number, and the indices and offsets of the outer axes. */
static void begin_at(const struct copy_plan *p, int64_t item, struct copy_place *at) {
    int64_t outer = item / p->around;
    at->block = item % p->around;
    at->from = at->to = 0;
    for (int k = p->outer - 1; k >= 0; k--) {
        at->index[k] = outer % p->shape[k];
        at->from += at->index[k] * p->from[k];
        at->to += at->index[k] * p->to[k];
        outer /= p->shape[k];
    }
}

/* Move *at to the next block. Outer axes are incremented without division, since blocks may have only a few
   elements. */
static void go_on(const struct copy_plan *p, struct copy_place *at) {
    if (++at->block < p->around) return;
    at->block = 0;
    for (int k = p->outer - 1; k >= 0; k--) {
        at->from += p->from[k];
        at->to += p->to[k];
        if (++at->index[k] < p->shape[k]) break;
        at->from -= p->shape[k] * p->from[k];
        at->to -= p->shape[k] * p->to[k];
        at->index[k] = 0;
    }
}

/* A block, and its first column. */
struct copy_item {
    struct cpu_block block;
    int64_t column;
};

/* Set *x to the block of elements at *at, with its addresses, sizes and column. */
static void lay_item(const struct copy_run *run, const struct copy_place *at, struct copy_item *x) {
    const struct copy_plan *p = run->plan;
    struct cpu_block *b = &x->block;
    int64_t part = 0, row = 0, column = 0, item = at->block;
    if (p->around > 1) {
        part = item % p->parts;
        item /= p->parts;
        row = p->rows_first ? item % p->down : item / p->across;
        column = p->rows_first ? item / p->down : item % p->across;
    }
    *b = (struct cpu_block){.pitch = p->row_to,
                            .column_to = p->column_to,
                            .row_step = p->row_from,
                            .column_step = p->column_from};
    row = cut(p->rows, p->block_rows, row, &b->rows);
    x->column = cut(p->columns, p->block_columns, column, &b->columns);
    part = cut(p->run, p->block_run, part, &b->run);
    b->from = run->from + at->from + row * b->row_step + x->column * b->column_step + part;
    b->to = run->to + at->to + row * b->pitch + x->column * p->column_to + part;
}

/* Copy blocks begin .. end-1, and prefetch the next block meanwhile. Task of parallel_for; context is a struct
   copy_run. */
static void copy_items(void *context, int64_t begin, int64_t end) {
    const struct copy_run *run = context;
    const struct copy_plan *p = run->plan;
    char *stage = run->stage ? run->stage + (size_t)parallel_index() * COPY_STAGE : NULL;
    struct copy_place at;
    struct copy_item items[2], *item = items, *next = items + 1;
    begin_at(p, begin, &at);
    lay_item(run, &at, item);
    while (++begin < end) {
        go_on(p, &at);
        lay_item(run, &at, next);
        item->block.next = next->block.from;
        copy_block(p, &item->block, item->column, stage);
        struct copy_item *done = item;
        item = next;
        next = done;
    }
    copy_block(p, &item->block, item->column, stage);
    if (p->streamed) cache_fence();
}

void cpu_copy_run(const struct copy_plan *p, int width, const char *from, char *to, char *stage) {
    struct copy_run run = {p, from + p->base_from, to + p->base_to, stage};
    parallel_for(width, p->items, p->grain, copy_items, &run);
}

/* Prepare a copy, with a program as a map. Return false with a fault on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    if (kernel->program) return cpu_map.prepare(kernel, arena, fault);
    struct copy_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    const struct layout *out = &kernel->outputs->layout;
    size_t size = dtype_table[kernel->core_dtype].size,
           bytes = (size_t)shape_size(out->rank, out->shape) * size;
    if (!cpu_copy_prepare_twice(p, size, &kernel->inputs->layout, out))
        cpu_copy_prepare(p, size, &kernel->inputs->layout, out, cache_jumped(2 * bytes));
    kernel->width = p->items > p->grain ? parallel_width() : 1;
    kernel->workspace = p->staged ? (size_t)kernel->width * COPY_STAGE : 0;
    kernel->prepared = p;
    return true;
}

/* Copy input 0 to output 0 on the addresses slots[]; nothing if both are the same memory. Return false with the
   fault set if a program of the kernel fails. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    if (kernel->program) return cpu_map.launch(kernel, slots, workspace, fault);
    const char *from = operand_base(kernel->inputs, slots);
    char *to = operand_base(kernel->outputs, slots);
    /* else source and output are the same */
    if (from != to) cpu_copy_run(kernel->prepared, kernel->width, from, to, workspace);
    return true;
}

const struct cpu_kind cpu_copy = {.prepare = prepare, .launch = launch};
