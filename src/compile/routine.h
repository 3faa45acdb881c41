/*
 * Routines: kernels in order of execution and their memory plan. A program is one; each body of a loop or
 * branch is another, run by a kernel of the enclosing routine.
 */
#ifndef COMPILE_ROUTINE_H
#define COMPILE_ROUTINE_H
#include <tyto/graph.h>
#include "base/lru.h"
#include "compile/memory/memory_plan.h"

struct page_story;
struct plan_use;
/* Context of a compilation. */
struct compiling {
    const struct engine *engine;
    const ty_compile_options *options;
    ty_report *report;
    struct fault *fault;
    struct shadows *shadows;        /* pairs to compare for options.shadow, or NULL */
    struct page_story *story;       /* history of the passes for keep_graph, or NULL */
    const struct plan_use *sharing; /* plans to take for the program itself, or NULL (memory_share.h) */
};

/* How a loop or branch passes parameters to its body. */
struct given {
    const struct layout *layouts; /* by parameter */
    /* by parameter: all steps read the same value, so kernels may keep data derived from it */
    const bool *fixed;
    int ncarries;    /* the first parameters are carries, whose next values are outputs */
    const int *next; /* by carry: index of that output; -1: it must not overwrite the carry */
    bool *in_place;  /* result, by carry: the output overwrites it (pass_update.c) */
};

/*
 * Compile a routine, in *f and *plan: passes, preparation of kernels, memory plan. roots: n outputs, then the
 * next values of options->updates; they are replaced by their rewritten nodes. given: NULL for a program.
 * False after a fault; call routine_drop in either case.
 */
bool routine_make(struct flow *f, struct memory_plan *plan, const struct compiling *c,
                  const struct given *given, int n, ty_tensor **roots);
/* Free the kernels, the flow f and the plan. */
void routine_drop(struct flow *f, struct memory_plan *plan);
/* Return the bytes that a flow and its inner routines keep allocated, with their parts. */
size_t routine_bytes(const struct flow *f, const struct memory_plan *plan);
/* Call each(context, part, bytes) for what other kernels and programs may share: the buffer of each constant and each
   prepared kernel of a flow and its inner routines.  A part comes as often as it is used. */
void routine_parts(const struct flow *f, lru_each each, void *context);
/* Finds or makes the engine's prepared form of a kernel other than a loop or branch.  False after a fault. */
bool kernel_prepare(struct kernel *k, const struct compiling *c);
/* Prepare a kernel outside of a flow, of any kind, with memory of the arena. False after a fault; call routine_part in
   either case. */
bool routine_join(struct kernel *k, const struct compiling *c, struct arena *arena);
/* Release what routine_join prepared. */
void routine_part(struct kernel *k);
/* Launch kernel k of f under the watchers of ops/core/watch.h. slots: the address of each block; workspace:
   scratch memory of k. False after a fault. */
bool routine_start(const struct flow *f, const struct kernel *k, void *const *slots, void *workspace,
                   struct fault *fault);
/* Launch kernel k without watchers, as part of another one. slots: the address of each block; workspace:
   scratch memory of k. False after a fault. */
bool routine_launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault);
/* Enlarge boxes of k's outputs to parts that it can compute without being cut, with equal bits (struct engine). False:
   it runs only as a whole. */
bool routine_round(const struct kernel *k, struct boxes *boxes);
/* Launch these parts of k, as routine_launch does. False after a fault. */
bool routine_launch_part(const struct kernel *k, const struct boxes *boxes, void *const *slots,
                         void *workspace, struct fault *fault);

/* True if kernel k, which runs routines of its own, reads block `from` only as values that it replaces in place in its
   output block `to`, at the same address. */
bool routine_reads_in_place(const struct kernel *k, int from, int to);

/* Kinds of kernels that run routines of their own, on any engine (kernels.def). */
struct control_kind {
    /* like an engine's; stores its routines in k->prepared; false after a fault */
    bool (*prepare)(struct kernel *k, const struct compiling *c, struct arena *arena);
    /* false after a fault */
    bool (*launch)(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault);
    void (*drop)(struct kernel *k);
    /* as routine_reads_in_place; NULL: never */
    bool (*reads_in_place)(const struct kernel *k, int from, int to);
    /* as those of engines; NULL: it runs as a whole */
    bool (*round)(const struct kernel *k, struct boxes *boxes);
    bool (*launch_part)(const struct kernel *k, const struct boxes *boxes, void *const *slots,
                        void *workspace, struct fault *fault);
};
extern const struct control_kind control_loop, control_branch, control_call, control_rows;
#endif
