/*
 * How the kinds other than MAP hand on what they compute: straight to the output, or, when the kernel has an
 * epilogue or the output is a box of a larger block, tile by tile through a body while the tile is in L1.
 *
 *   store   one range of core values: begin (where to put them), end (they are there)
 *   rows    a whole kind of the pulling sort: a function makes any part of any row of the output
 *   whole   a kind of the pushing sort: it adds into all of the core's value before that can go on
 */
#ifndef ENGINE_CPU_ELEMENTWISE_STORE_H
#define ENGINE_CPU_ELEMENTWISE_STORE_H
#include "engine/cpu/cpu.h"

struct cpu_store {
    struct cpu_body *epilogue; /* NULL: the core's values are the output, which is dense */
    int slot;
    bool bypass; /* without an epilogue: tiles of at most CPU_TILE that go past the caches */
    size_t size; /* of a core value */
    int64_t offset;
    size_t scratch; /* bytes that one thread needs; a multiple of 64 */
};
bool cpu_store_prepare(struct cpu_store *s, const struct kernel *kernel, struct arena *arena,
                       struct fault *fault);
/* Memory for the core's values from element `start` on: CPU_TILE of them with an epilogue or
   past the caches, else to the end. */
void *cpu_store_begin(const struct cpu_store *s, void *const *slots, void *scratch, int64_t start);
/* The n values that begin asked for are in place. */
void cpu_store_end(const struct cpu_store *s, void *const *slots, void *scratch, int64_t start, int64_t n);

struct cpu_row_call {
    const struct kernel *kernel;
    void *const *slots;
    const void *shared; /* what cpu_rows_run was given */
    char *scratch;      /* the bytes that cpu_rows_prepare was asked for */
};
/* Makes core values first .. first+n-1 (n <= CPU_TILE) of the row at index[0..rank-2], contiguous, at `out`.
 */
typedef void (*cpu_row_maker)(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                              void *out);
struct cpu_rows {
    struct cpu_store store;
    int rank;
    int64_t *shape; /* any row-major shape with the output's elements; the last axis is the row */
    int64_t rows, length;
    int64_t rows_a_tile, tiles_a_row; /* one of them is 1 */
    int64_t tile;                     /* elements of a tile of a row that is cut */
    size_t scratch;
};
/* Sets kernel->width, and kernel->workspace to what cpu_rows_run needs. */
bool cpu_rows_prepare(struct cpu_rows *r, struct kernel *kernel, int rank, const int64_t *shape,
                      size_t scratch, struct arena *arena, struct fault *fault);
/* Rows longer than a tile are cut at multiples of `piece` elements, where that is no more than a tile. */
void cpu_rows_whole(struct cpu_rows *r, int64_t piece);
void cpu_rows_run(const struct cpu_rows *r, const struct kernel *kernel, void *const *slots, void *workspace,
                  const void *shared, cpu_row_maker make);

struct cpu_whole {
    struct cpu_store store;
    ty_dtype dtype;  /* that the values are made in */
    cpu_loop finish; /* to the core's dtype; NULL: the same */
    bool direct;     /* sums are made in the output itself */
    int64_t count;
    size_t bytes; /* of the sums, when not direct */
};
/* Sets kernel->width, and kernel->workspace to what values of dtype `sums` and the epilogue need. */
bool cpu_whole_prepare(struct cpu_whole *w, struct kernel *kernel, ty_dtype sums, struct arena *arena,
                       struct fault *fault);
/* How the sums lie: dense, in the shape of the output. */
const struct layout *cpu_whole_layout(const struct kernel *kernel, struct layout_room *room);
/* Where the sums are made; not zeroed. */
void *cpu_whole_begin(const struct cpu_whole *w, void *const *slots, void *workspace);
void cpu_whole_end(const struct cpu_whole *w, const struct kernel *kernel, void *const *slots,
                   void *workspace);

/* ---- runs: n elements a stride apart ---- */

/* Reads runs as contiguous values of another dtype. */
struct cpu_reader {
    size_t size;    /* in memory */
    cpu_loop cast;  /* NULL: the same dtype */
    size_t scratch; /* bytes for n <= CPU_TILE */
};
bool cpu_reader_prepare(struct cpu_reader *r, ty_dtype from, ty_dtype to, struct fault *fault);
/* The run itself where it is contiguous and needs no cast, else values in scratch. */
const void *cpu_read(const struct cpu_reader *r, const void *x, int64_t stride, int64_t n, void *scratch);
/* Writes n contiguous elements of `size` bytes (1, 2, 4, 8 or 16), `stride` elements apart. */
void cpu_spread(size_t size, int64_t n, void *out, int64_t stride, const void *x);

/* Row-major index of element i of a shape. */
void cpu_unrank(int rank, const int64_t *shape, int64_t i, int64_t *index);
#endif
