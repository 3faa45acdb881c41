/*
 * The cpu engine: a pair of functions per kernel kind, and the *body*, which runs elementwise programs tile by tile
 * and through which every kind loads and stores.
 */
#ifndef ENGINE_CPU_CPU_H
#define ENGINE_CPU_CPU_H
#include "base/arena.h"
#include "base/machine/isa.h"
#include "base/threads/parallel.h"
#include "engine/cpu/loop.h"
#include "ops/core/op.h"

/* The functions of a kernel kind, as those of an engine (kernel.h). */
struct cpu_kind {
    /* Plan the kernel: set its `prepared` (from the arena), `width` (threads) and `workspace` (bytes). Return false
   with a fault on error. */
    bool (*prepare)(struct kernel *kernel, struct arena *arena, struct fault *fault);
    /* Run a prepared kernel; slots[] are the addresses of its operands' buffers. Return false with a fault on error. */
    bool (*launch)(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault);
    /* As the engine's functions of these names; NULL: the kind keeps nothing, has nothing to describe, runs whole. */
    void (*keep)(const struct kernel *kernel, void *const *slots, void *workspace);
    void (*describe)(const struct kernel *kernel, struct text *t);
    bool (*round)(const struct kernel *kernel, struct boxes *boxes);
    bool (*launch_part)(const struct kernel *kernel, const struct boxes *boxes, void *const *slots,
                        void *workspace, struct fault *fault);
};
#define KERNEL(NAME, name, ...) extern const struct cpu_kind cpu_##name;
#include "ops/core/kernel/kernels.def"

/* --- body.c: elementwise programs over tiles ------------------------------------------------------ */

/* Test hook: make tiles of `tile` elements, a multiple of 64 (0: CPU_TILE), and divide other part sizes by `part`
   (0 or 1: no division). Kernels prepared before must not run any more: call ty_trim. */
void cpu_force(int64_t tile, int64_t part);
struct cpu_body;

/* Prepare an elementwise program as a body in `arena`. If `core`, register 0 is the core's value, of core_dtype,
   passed to cpu_body_run. The other registers are `inputs`, with the outputs' shape and any strides. program NULL
   is the identity of the core or the only input. outputs are dense or boxes; NULL with noutputs 0: use
   cpu_body_values. Return NULL with a fault if an operator lacks the dtype or memory is out. */
struct cpu_body *cpu_body_prepare(const struct program *program, bool core, ty_dtype core_dtype, int ninputs,
                                  const struct operand *inputs, int noutputs, const struct operand *outputs,
                                  struct arena *arena, struct fault *fault);
/* Prepare a body with the arguments of cpu_body_prepare, for a core that reads `bytes` of memory. These bytes also
   decide whether outputs bypass the caches. Return NULL with a fault on error. */
struct cpu_body *cpu_body_prepare_behind(size_t bytes, const struct program *program, bool core,
                                         ty_dtype core_dtype, int ninputs, const struct operand *inputs,
                                         int noutputs, const struct operand *outputs, struct arena *arena,
                                         struct fault *fault);
/* Return true if an input has to be gathered: it is neither dense nor a single element. */
bool cpu_body_gathers(const struct cpu_body *body);
/* Return the bytes of scratch that cpu_body_run needs per thread, a multiple of 64. */
size_t cpu_body_scratch(const struct cpu_body *body);
/* Compute elements start .. start+n-1 (row-major in the common shape, any n) and store the outputs. slots: buffers
   of the kernel; core: n contiguous values of the core, or NULL without one. An output may alias an input of equal
   layout. */
void cpu_body_run(const struct cpu_body *body, void *const *slots, void *scratch, const void *core,
                  int64_t start, int64_t n);
/* Compute elements as cpu_body_run does, as one of several runs with the same slots and scratch. *filled is 0 before
   the first one; it records that the scratch has repeated the inputs of one element, for later ones. */
void cpu_body_run_next(const struct cpu_body *body, void *const *slots, void *scratch, const void *core,
                       int64_t start, int64_t n, int64_t *filled);
/* Return the program's first result for n <= CPU_TILE elements from `start`, contiguous: in scratch, or a dense
   input in place. Valid until the next call with this scratch. */
const void *cpu_body_values(const struct cpu_body *body, void *const *slots, void *scratch, int64_t start,
                            int64_t n);
/* Return the dtype of the program's first result; without a program, that of the core or the only input. */
ty_dtype cpu_body_dtype(const struct cpu_body *body);

/* --- elementwise/loop_find.c: vector loops over contiguous elements, one table per instruction set --- */

/* Return the loop of an operator for operands of dtype `in`; of op_cast, the loop from `in` to `out`. NULL if there
   is none. */
cpu_loop cpu_loop_find(const struct op *op, ty_dtype in, ty_dtype out);

/* Return `bytes` rounded up to a multiple of 64, the share of one thread in a workspace. */
static inline size_t cpu_per_thread(size_t bytes) { return (bytes + 63) / 64 * 64; }
#endif
