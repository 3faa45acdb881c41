/*
 * The cpu engine: a pair of functions per kernel kind, and the *body*, which runs elementwise programs tile by tile
 * and through which every kind loads and stores.
 */
#ifndef ENGINE_CPU_CPU_H
#define ENGINE_CPU_CPU_H
#include "base/arena.h"
#include "base/isa.h"
#include "base/parallel.h"
#include "ops/core/op.h"

/* The functions of a kernel kind, as those of an engine (kernel.h). */
struct cpu_kind {
    /* Plans the kernel: sets its `prepared` (from the arena), `width` and `workspace`. Returns false with a fault
       on error. */
    bool (*prepare)(struct kernel *kernel, struct arena *arena, struct fault *fault);
    /* Runs a prepared kernel on the slots' memory. Returns false with a fault on error. */
    bool (*launch)(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault);
};
#define KERNEL(NAME, name, ...) extern const struct cpu_kind cpu_##name;
#include "ops/core/kernels.def"
/* Packs the operands that contractions keep; no other kind keeps anything (kernel.h). */
void cpu_contract_keep(const struct kernel *kernel, void *const *slots, void *workspace);

/* Appends a description of a contraction's loops; nothing for other kinds. */
void cpu_contract_describe(const struct kernel *kernel, struct text *t);

/* --- body.c: elementwise programs over tiles ------------------------------------------------------ */

/* Most elements of a tile: the registers of a usual program stay in L1. */
enum { CPU_TILE = 1024 };
/* Elements of a tile: CPU_TILE, or fewer in tests. Scratch always holds CPU_TILE. */
extern int64_t cpu_tile;
/* Divisor of other part sizes; 1 except in tests. */
extern int64_t cpu_part;
/* Returns a part size of n elements, reduced in tests; at least 1. */
static inline int64_t cpu_parted(int64_t n) { return n > cpu_part ? n / cpu_part : 1; }
/* Test hook: sets tiles to `tile` elements, a multiple of 64, and divides other part sizes by `part`; 0: defaults.
   Kernels prepared before must not run any more: call ty_trim. */
void cpu_force(int64_t tile, int64_t part);
struct cpu_body;

/*
 * Prepares an elementwise program in `arena`. If `core`, register 0 is the core's value, of core_dtype, passed to
 * cpu_body_run. The other registers are `inputs`, with the outputs' shape and any strides. program NULL is the
 * identity of the core or the only input. outputs are dense or boxes; NULL with noutputs 0: use cpu_body_values.
 * Returns NULL with a fault if an operator lacks the dtype or memory is out.
 */
struct cpu_body *cpu_body_prepare(const struct program *program, bool core, ty_dtype core_dtype, int ninputs,
                                  const struct operand *inputs, int noutputs, const struct operand *outputs,
                                  struct arena *arena, struct fault *fault);
/* Prepares as cpu_body_prepare does, for a core made of `bytes` of memory, which also pass through the caches. */
struct cpu_body *cpu_body_prepare_behind(size_t bytes, const struct program *program, bool core,
                                         ty_dtype core_dtype, int ninputs, const struct operand *inputs,
                                         int noutputs, const struct operand *outputs, struct arena *arena,
                                         struct fault *fault);
/* True if an input is neither dense nor a single element. */
bool cpu_body_gathers(const struct cpu_body *body);
/* Returns the bytes of scratch per thread, a multiple of 64. */
size_t cpu_body_scratch(const struct cpu_body *body);
/* Computes elements start .. start+n-1 (row-major in the common shape, any n) and stores the outputs. core: n
   contiguous values, or NULL without core. An output may alias an input of equal layout. */
void cpu_body_run(const struct cpu_body *body, void *const *slots, void *scratch, const void *core,
                  int64_t start, int64_t n);
/* Returns the program's first result for n <= CPU_TILE elements from `start`, contiguous: in scratch, or a dense
   input in place. Valid until the next call with this scratch. */
const void *cpu_body_values(const struct cpu_body *body, void *const *slots, void *scratch, int64_t start,
                            int64_t n);
/* Returns the dtype of the program's first result. */
ty_dtype cpu_body_dtype(const struct cpu_body *body);

/* --- elementwise/loop_find.c: vector loops over contiguous elements, one table per instruction set --- */

/* out[i] = f(a[i], b[i], c[i]) for i < n; unaligned, contiguous; unused operands are ignored. */
typedef void (*cpu_loop)(int64_t n, void *out, const void *a, const void *b, const void *c);
/* Returns the loop of an operator for operands of dtype `in`; for op_cast, from `in` to `out`. NULL if there is
   none. */
cpu_loop cpu_loop_find(const struct op *op, ty_dtype in, ty_dtype out);

/* Returns `bytes` rounded up to 64, the share of one thread in a workspace. */
static inline size_t cpu_per_thread(size_t bytes) { return (bytes + 63) / 64 * 64; }
#endif
