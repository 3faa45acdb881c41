/*
 * A routine: kernels in the order in which they run, and the plan of their memory.  A program is one, and each body of a
 * loop or branch is another, which is made in the same way and run by a kernel of the routine around it.
 */
#ifndef COMPILE_ROUTINE_H
#define COMPILE_ROUTINE_H
#include <tyto/graph.h>
#include "compile/memory/memory_plan.h"

struct page_story;
struct compiling {
    const struct engine *engine;
    const ty_compile_options *options;
    ty_report *report;
    struct fault *fault;
    struct shadows *shadows;  /* NULL: nobody compares what rewrites change */
    struct page_story *story; /* keep_graph: what is told of a program's passes; NULL: nothing */
};

/* How the body of a loop or branch is given its parameters. */
struct given {
    const struct layout *layouts; /* of each parameter */
    const bool *fixed; /* whether all steps read the same, so that a kernel may keep what it makes of it */
    int ncarries;      /* the first parameters, whose next values are outputs: */
    const int *next;   /* which one; -1: that may not be written over the carry */
    bool *in_place;    /* filled: it is to be, see pass_update.c */
};

/*
 * The passes in order, then kernels prepared, memory planned.  roots: n outputs, then the next values of
 * options->updates; they are replaced by what became of them.  given: NULL for a program.  False after a fault; end with
 * routine_drop in either case.
 */
bool routine_make(struct flow *f, struct memory_plan *plan, const struct compiling *c,
                  const struct given *given, int n, ty_tensor **roots);
void routine_drop(struct flow *f, struct memory_plan *plan);
/* What stays allocated for it and for the routines inside: tables, constants, what engines prepared.  That is shared with
   routines alike, but here counted whole, as the last of them keeps it. */
size_t routine_bytes(const struct flow *f, const struct memory_plan *plan);
/* Finds or makes what the engine prepares for a kernel that is no loop or branch. */
bool kernel_prepare(struct kernel *k, const struct compiling *c);
/* Starts a kernel of the flow, before the eyes of who watches (ops/core/watch.h). */
bool routine_start(const struct flow *f, const struct kernel *k, void *const *slots, void *workspace,
                   struct fault *fault);
/* Runs kernel k unwatched, as a part of another one: an engine's, or a loop or branch. */
bool routine_launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault);

/* Kinds of kernels that run routines of their own, on any engine (kernels.def). */
struct control_kind {
    /* As an engine's; the routines made in passing are k->prepared. */
    bool (*prepare)(struct kernel *k, const struct compiling *c, struct arena *arena);
    bool (*launch)(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault);
    void (*drop)(struct kernel *k);
};
extern const struct control_kind control_loop, control_branch, control_rows;
#endif
