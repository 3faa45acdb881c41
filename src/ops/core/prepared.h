/*
 * What engines prepare, shared by all kernels that are alike: in a program, between programs, and with eager calls.  It
 * has a copy of the kernel of its own, whose slots are numbers of operands and whose operands begin at offset 0, so that
 * nothing of it belongs to whom it was made for; what launches it hands over a table of addresses.  It never changes,
 * and several threads may launch it at once.
 */
#ifndef OPS_CORE_PREPARED_H
#define OPS_CORE_PREPARED_H
#include <stdatomic.h>
#include "base/arena.h"
#include "ops/core/kernel.h"

enum { PREPARED_BYTES = 2048 };

struct prepared {
    atomic_int refs;
    const struct engine *engine;
    struct kernel kernel; /* slots: inputs, then outputs, then what is kept */
    struct arena arena;   /* begins in `memory` */
    size_t bytes;         /* of all this */
    _Alignas(16) char memory[PREPARED_BYTES];
};

/* The caller's reference to what was prepared for a kernel like this one; NULL after a fault. */
struct prepared *prepared_for(const struct engine *engine, const struct kernel *k, struct fault *fault);
struct prepared *prepared_retain(struct prepared *p);
void prepared_release(struct prepared *p);
/* Forgets those that nobody uses. */
void prepared_trim(void);
/* Tests: how many kernels engines have prepared since the start. */
int64_t prepared_made(void);

/* Entries of the table of addresses. */
static inline int prepared_slots(const struct kernel *k) { return k->ninputs + k->noutputs + 1; }
/* Bytes of workspace that launching k takes: the table, where it is too long for the stack, and the engine's. */
size_t prepared_workspace(const struct kernel *k);
/* Launches k->shared for k, over k's slots. */
bool prepared_launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault);
/* The engine's keep, into slots[k->kept_slot]. */
void prepared_keep(const struct kernel *k, void *const *slots, void *workspace);
#endif
