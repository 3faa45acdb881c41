/*
 * Delivery of results by kinds other than MAP.  Core values go to the output directly.  If the kernel has an epilogue,
 * or the output is a box of a larger block, they pass a body tile by tile while the tile is in L1.
 *
 *   store   a range of core values: begin returns its memory, end delivers it;
 *   rows    pull: a callback computes any part of any row of the output;
 *   whole   push: the kind adds into all core values before any is delivered.
 */
#ifndef ENGINE_CPU_ELEMENTWISE_STORE_H
#define ENGINE_CPU_ELEMENTWISE_STORE_H
#include "engine/cpu/cpu.h"

/* Plan of the delivery of core values. */
struct cpu_store {
    struct cpu_body *epilogue; /* NULL: core values are the output, which is dense */
    int slot;
    bool bypass; /* no epilogue: tiles of at most CPU_TILE elements, stored non-temporally */
    size_t size; /* bytes of a core value */
    int64_t offset;
    size_t scratch; /* bytes of scratch per thread, a multiple of 64 */
};
/* Prepare the store of a kernel's core values in s. Return false with a fault on error. */
bool cpu_store_prepare(struct cpu_store *s, const struct kernel *kernel, struct arena *arena,
                       struct fault *fault);
/* Return memory for core values from element `start` on: CPU_TILE of them, in scratch, if the kernel has an
   epilogue program or `bypass` is set; else all up to the end, in the output. */
void *cpu_store_begin(const struct cpu_store *s, void *const *slots, void *scratch, int64_t start);
/* Deliver n values from element `start` on, written to the memory that cpu_store_begin returned: run the epilogue
   program on them, or stream them to the output. */
void cpu_store_end(const struct cpu_store *s, void *const *slots, void *scratch, int64_t start, int64_t n);

/* Arguments of a row callback. */
struct cpu_row_call {
    const struct kernel *kernel;
    void *const *slots;
    const void *shared; /* argument of cpu_rows_run */
    char *scratch;      /* the bytes requested in cpu_rows_prepare */
};
/* Compute core values first .. first+n-1 (n <= CPU_TILE) of the row at index[0..rank-2] into contiguous memory at
   `out`. */
typedef void (*cpu_row_maker)(const struct cpu_row_call *call, const int64_t *index, int64_t first, int64_t n,
                              void *out);
/* Partition of the output into rows and tiles. */
struct cpu_rows {
    struct cpu_store store;
    int rank;
    int64_t *shape; /* a row-major shape with the output's elements; the last axis is the row */
    int64_t rows, length;
    int64_t rows_a_tile, tiles_a_row; /* one of them is 1 */
    int64_t tile;                     /* elements per tile of a row that is cut */
    size_t scratch;
};
/* Prepare rows over `shape` (its last axis is the row), with `scratch` bytes per thread for the callback. Set
   kernel->width and kernel->workspace. Return false with a fault on error. */
bool cpu_rows_prepare(struct cpu_rows *r, struct kernel *kernel, int rank, const int64_t *shape,
                      size_t scratch, struct arena *arena, struct fault *fault);
/* Let rows longer than a tile be cut only at multiples of `piece` elements, if a piece is no longer than a tile. */
void cpu_rows_whole(struct cpu_rows *r, int64_t piece);
/* Compute all rows by `make` and deliver them, on several threads. `shared` is passed on to `make`. */
void cpu_rows_run(const struct cpu_rows *r, const struct kernel *kernel, void *const *slots, void *workspace,
                  const void *shared, cpu_row_maker make);

/* Sums over the whole output. */
struct cpu_whole {
    struct cpu_store store;
    ty_dtype dtype;  /* dtype of the sums */
    cpu_loop finish; /* cast to the core's dtype; NULL: same dtype */
    bool direct;     /* sums are made in the output itself */
    int64_t count;
    size_t bytes; /* bytes of the sums if not direct */
};
/* Prepare sums of dtype `sums` over the whole output. Set kernel->width, and kernel->workspace for sums and
   epilogue. Return false with a fault on error. */
bool cpu_whole_prepare(struct cpu_whole *w, struct kernel *kernel, ty_dtype sums, struct arena *arena,
                       struct fault *fault);
/* Return the dense layout of the sums, in the shape of the kernel's output; it lives in `room`. */
const struct layout *cpu_whole_layout(const struct kernel *kernel, struct layout_room *room);
/* Return the memory of the sums, not zeroed: the output itself, or the workspace. */
void *cpu_whole_begin(const struct cpu_whole *w, void *const *slots, void *workspace);
/* Deliver the finished sums: cast them, run the epilogue and store them. Does nothing if they were made in the
   output itself. */
void cpu_whole_end(const struct cpu_whole *w, const struct kernel *kernel, void *const *slots,
                   void *workspace);

/* ---- runs of n elements with a stride ---- */

/* Reads strided runs as contiguous values of another dtype. */
struct cpu_reader {
    size_t size;    /* bytes of an element in memory */
    cpu_loop cast;  /* NULL: same dtype */
    size_t scratch; /* bytes of scratch for n <= CPU_TILE */
};
/* Prepare a reader of elements of dtype `from` as values of dtype `to`. Return false with a fault if there is no
   cast. */
bool cpu_reader_prepare(struct cpu_reader *r, ty_dtype from, ty_dtype to, struct fault *fault);
/* Return n <= CPU_TILE elements of x, `stride` elements apart, as contiguous values: x itself if contiguous without
   a cast, else in scratch. */
const void *cpu_read(const struct cpu_reader *r, const void *x, int64_t stride, int64_t n, void *scratch);
/* Write n contiguous elements x of `size` bytes (1, 2, 4, 8 or 16) to `out`, `stride` elements apart. */
void cpu_spread(size_t size, int64_t n, void *out, int64_t stride, const void *x);

/* Set index[0..rank-1] to the multi-index of row-major element i of `shape`. */
void cpu_unrank(int rank, const int64_t *shape, int64_t i, int64_t *index);
#endif
