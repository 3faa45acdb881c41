/*
 * The CPU engine: one pair of functions per kernel kind, and the *body*, which runs elementwise programs
 * tile by tile and is what every kind loads and stores through.
 */
#ifndef ENGINE_CPU_CPU_H
#define ENGINE_CPU_CPU_H
#include "base/arena.h"
#include "base/isa.h"
#include "base/parallel.h"
#include "ops/core/op.h"

struct cpu_kind {
    bool (*prepare)(struct kernel *kernel, struct arena *arena, struct fault *fault);
    bool (*launch)(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault);
};
#define KERNEL(NAME, name, ...) extern const struct cpu_kind cpu_##name;
#include "ops/core/kernels.def"
/* Packs what contractions keep, the only kind that keeps anything (kernel.h). */
void cpu_contract_keep(const struct kernel *kernel, void *const *slots, void *workspace);

/* How one is carried out: the loops of its parts.  Of other kinds there is nothing to tell that the kernel does not. */
void cpu_contract_describe(const struct kernel *kernel, struct text *t);

/* --- body.c: elementwise programs over tiles ------------------------------------------------------ */

/* Elements of a tile at most: the registers of a program of usual length stay in L1. */
enum { CPU_TILE = 1024 };
/* Elements of a tile: CPU_TILE, unless tests have fewer.  Scratch has room for CPU_TILE. */
extern int64_t cpu_tile;
/* What else is cut where it has n elements, smaller where tests want that. */
extern int64_t cpu_part;
static inline int64_t cpu_parted(int64_t n) { return n > cpu_part ? n / cpu_part : 1; }
/* Tests: tiles of a multiple of 64 elements, other parts smaller by `part` times; 0: as usual.  Kernels that are prepared
   already must not run any more: ty_trim. */
void cpu_force(int64_t tile, int64_t part);
struct cpu_body;

/*
 * Readies a program.  Its register 0 is the core's value when `core` (dtype core_dtype, handed to run);
 * the other inputs are `inputs`, which share one shape with the outputs (any strides).  program NULL: the
 * value itself (the core's, or of the only input).  outputs (dense, or boxes) may be NULL with noutputs 0: then
 * cpu_body_values. NULL with a fault when a row has no kernel for the dtype or memory is out.  Lives in
 * `arena`.
 */
struct cpu_body *cpu_body_prepare(const struct program *program, bool core, ty_dtype core_dtype, int ninputs,
                                  const struct operand *inputs, int noutputs, const struct operand *outputs,
                                  struct arena *arena, struct fault *fault);
/* The same for a core that is made of `bytes` of memory: they, too, pass through the caches. */
struct cpu_body *cpu_body_prepare_behind(size_t bytes, const struct program *program, bool core,
                                         ty_dtype core_dtype, int ninputs, const struct operand *inputs,
                                         int noutputs, const struct operand *outputs, struct arena *arena,
                                         struct fault *fault);
/* Whether it has inputs that are neither dense nor one element. */
bool cpu_body_gathers(const struct cpu_body *body);
/* Bytes of scratch that one thread needs; a multiple of 64. */
size_t cpu_body_scratch(const struct cpu_body *body);
/* Computes elements start .. start+n-1 (row-major over the common shape; any n) and stores the outputs.
   core: n values, contiguous, or NULL without core.  Outputs may be the very memory of an input of equal
   layout. */
void cpu_body_run(const struct cpu_body *body, void *const *slots, void *scratch, const void *core,
                  int64_t start, int64_t n);
/* The program's first result for n <= CPU_TILE elements from `start`, contiguous: in scratch, or the input's
   own memory where that is dense.  Valid until the next call with this scratch. */
const void *cpu_body_values(const struct cpu_body *body, void *const *slots, void *scratch, int64_t start,
                            int64_t n);
/* dtype of the program's first result. */
ty_dtype cpu_body_dtype(const struct cpu_body *body);

/* --- elementwise/loop_find.c: vector loops over contiguous elements, from *.kernel.c, one table per ISA ----------- */

typedef void (*cpu_loop)(int64_t n, void *out, const void *a, const void *b, const void *c);
/* NULL: the row does not compute in that dtype.  The cast: `in` to `out`. */
cpu_loop cpu_loop_find(const struct op *op, ty_dtype in, ty_dtype out);

/* Sum of workspace for `width` threads of `bytes` each, 64-aligned blocks. */
static inline size_t cpu_per_thread(size_t bytes) { return (bytes + 63) / 64 * 64; }
#endif
