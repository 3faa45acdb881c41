/* Kernels prepared by engines, shared by all equal kernels: within a program, between programs, and by eager calls.
   Each holds its own copy of the kernel.  Its slots are operand numbers and its offsets are 0, so it refers to no
   user; a launch passes a table of addresses.  It is immutable, and several threads may launch it at once. */
#ifndef OPS_CORE_PREPARED_H
#define OPS_CORE_PREPARED_H
#include <stdatomic.h>
#include "base/arena.h"
#include "base/threads/parallel.h"
#include "ops/core/kernel/kernel.h"

enum { PREPARED_BYTES = 2048 };

struct prepared {
    atomic_int refs;
    const struct engine *engine;
    bool made;            /* the engine has prepared it */
    struct kernel kernel; /* slots: inputs, then outputs, then the kept bytes */
    struct arena arena;   /* begins in `memory` */
    size_t bytes;         /* total bytes of this object */
    double work;          /* operations of a launch if it may take long, else 0 (parallel_for) */
    _Alignas(16) char memory[PREPARED_BYTES];
};

/* Return a reference, owned by the caller, to the engine's preparation of a kernel equal to k, cached or made
   now. NULL, with the fault set, on failure. */
struct prepared *prepared_for(const struct engine *engine, const struct kernel *k, struct fault *fault);
/* Return the preparation that prepared_note keeps under these words, owned by the caller; NULL: there is none. */
struct prepared *prepared_noted(const int64_t *words, size_t n);
/* Keep p under n words, which stand for the engine, the kernel that p was made of, and all that preparing depends on.
   Callers that know them need not lower the kernel.  Without memory nothing happens. */
void prepared_note(const int64_t *words, size_t n, struct prepared *p);
/* Return the preparation, owned by the caller, of kernel k by an engine that lets `inner` compute (away.h), whose
   reference it takes over.  It is not cached.  NULL, with the fault set, on failure. */
struct prepared *prepared_around(const struct engine *engine, const struct kernel *k, struct prepared *inner,
                                 struct fault *fault);
/* Add a reference.  Return p. */
struct prepared *prepared_retain(struct prepared *p);
/* Drop a reference; the last one frees p. */
void prepared_release(struct prepared *p);
/* Drop all cached preparations; those in use live until they are released. */
void prepared_trim(void);
/* Test hook: return the number of kernels that engines have prepared since the start. */
int64_t prepared_made(void);

/* Return the number of entries in the table of addresses of a launch: inputs, outputs and the kept bytes. */
static inline int prepared_slots(const struct kernel *k) { return k->ninputs + k->noutputs + 1; }
/* Return the bytes of workspace that launching k needs: the engine's, and the table of addresses if it is too
   long for the stack. */
size_t prepared_workspace(const struct kernel *k);
/* prepared_start of a kernel that may take long. */
bool prepared_start_long(const struct prepared *p, void *const *table, void *workspace, struct fault *fault);
/* Launch p on a table of addresses, one for each slot, with p->kernel.workspace bytes of workspace.  False, with the
   fault set, on failure.  A request to stop may leave outputs undefined; the caller's stop_end tells. */
static inline bool prepared_start(const struct prepared *p, void *const *table, void *workspace,
                                  struct fault *fault) {
    if (p->work > 0 || atomic_load_explicit(&parallel_forced, memory_order_relaxed) > 0)
        return prepared_start_long(p, table, workspace, fault);
    return p->engine->launch(&p->kernel, table, workspace, fault);
}
/* Launch k->shared for k, with the addresses slots[] of k's operands and prepared_workspace(k) bytes of
   workspace. False, with the fault set, on failure. */
bool prepared_launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault);
/* Enlarge boxes of the outputs' indices to parts that p can compute (struct engine). False: none. */
bool prepared_round(const struct prepared *p, struct boxes *boxes);
/* Launch these parts of k->shared, as prepared_launch does. False, with the fault set, on failure. */
bool prepared_launch_part(const struct kernel *k, const struct boxes *boxes, void *const *slots,
                          void *workspace, struct fault *fault);
/* Have the engine compute the bytes that k keeps between launches, into slots[k->kept_slot]. `workspace` has
   prepared_workspace(k) bytes. */
void prepared_keep(const struct kernel *k, void *const *slots, void *workspace);
#endif
