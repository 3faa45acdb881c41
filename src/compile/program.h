/*
 * A program: kernels, the plan, and where every block lies.  All pointers of a run are known before its first
 * kernel is launched; after the first run nothing is allocated unless somebody holds an earlier output.
 */
#ifndef COMPILE_PROGRAM_H
#define COMPILE_PROGRAM_H
#include <pthread.h>
#include <tyto/graph.h>
#include "compile/incremental.h"
#include "compile/memory/memory_plan.h"
#include "compile/page/page.h"
#include "ops/core/variable.h"

struct ty_program {
    pthread_mutex_t lock; /* one run at a time */
    atomic_int refs;
    const struct engine *engine;
    struct flow flow;
    struct memory_plan plan;
    void **slots;              /* where each block lies in this run */
    struct variable_use *uses; /* what a run reads and updates */
    int nuses;
    ty_tensor **results; /* OUTPUT blocks: the tensor that owns the memory, flat */
    ty_tensor **outputs; /* what ty_output returns */
    int *first_output;   /* of each block: the first output that looks at it, and 1; 0: none */
    int *next_output;    /* of each output: the next one of the same block, and 1 */
    char *arena;
    bool lent;      /* the arena is the caller's */
    bool transient; /* an evaluation: gives memory and outputs back after each run */
    bool ran;
    struct incremental incremental;
    ty_report report;
    struct page_story story;  /* keep_graph: what passes made of the graph */
    _Atomic int64_t launched; /* by the last run */
    struct fault broken;      /* why it does not compile */
    struct fault fault;       /* why the last run failed */
};

/* What NULL means where a program is expected: one that does not compile, static and never changed (in each unit, as
   show/ may not ask program.c). */
static inline struct ty_program *program_of(const struct ty_program *p) {
    static struct ty_program null = {.broken = {true, "program: NULL where a program belongs"}};
    return p ? (struct ty_program *)(uintptr_t)p : &null;
}

/* Compiles; broken.set tells of failure.  NULL: no memory at all.  The caller's reference. */
struct ty_program *program_new(int n, ty_tensor *const *outputs, ty_compile_options options);
struct ty_program *program_retain(struct ty_program *p);
void program_release(struct ty_program *p);
/* What stays allocated for it between runs: kernels, what they keep of constants, and these. */
size_t program_bytes(const struct ty_program *p);
/* Runs once.  arguments: what VARIABLE blocks with an argument number read; NULL: their leaves.  `values`,
   when given, receives one reference to each output.  False with a sentence in *fault. */
bool program_run(struct ty_program *p, ty_tensor *const *arguments, ty_tensor **values, struct fault *fault);
#endif
