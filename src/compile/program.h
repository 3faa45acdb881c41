/*
 * Programs: kernels, memory plan and bindings of blocks. A run binds all memory before it launches a kernel.
 * After the first run nothing is allocated, unless the caller still holds an earlier output or parts are computed.
 */
#ifndef COMPILE_PROGRAM_H
#define COMPILE_PROGRAM_H
#include <pthread.h>
#include <tyto/context.h>
#include <tyto/graph.h>
#include "base/lru.h"
#include "base/arena.h"
#include "compile/runs/incremental.h"
#include "compile/memory/memory_share.h"
#include "compile/page/page.h"
#include "ops/core/variable.h"

struct handed;
struct place;
struct stepped_kernel;

/* Kernels of one run that write destinations with steps (stepped.h). All members 0: none. */
struct stepped {
    int n;
    struct stepped_kernel *at;
    struct arena arena;
};
/* A program. Reference counted; `lock` guards all that a run changes. */
struct ty_program {
    pthread_mutex_t lock; /* one run at a time; taken by program_enter */
    int64_t id;           /* unique in the process */
    atomic_int refs;
    const struct engine *engine;
    bool refuses;           /* on a device: a kernel may refuse values there */
    struct device *device;  /* of the engine, which has arena and outputs; NULL: the host's memory */
    struct device **places; /* by output: the choice of ty_to; NULL: none */
    struct flow flow;
    struct memory_plan plan;
    void **slots;              /* address of each block in this run */
    void *_Atomic *packed;     /* by KEPT block: its data, once it is there; for program_parts */
    struct variable_use *uses; /* variables that a run reads and updates */
    int nuses;
    ty_tensor **results;            /* by OUTPUT block: flat tensor that owns its memory */
    ty_tensor **outputs;            /* returned by ty_output; NULL: none yet, or in a destination */
    ty_tensor *const *destinations; /* of this run, by output; NULL: none */
    struct stepped stepped;         /* of this run */
    const struct handed *handed;    /* of this run: operands given away (handed.h); NULL: none */
    int *first_output;              /* by block: 1 + its first output; 0: none */
    int *next_output;               /* by output: 1 + the next output of the same block; 0: none */
    char *arena;
    void *zeros;         /* cut_zeros in the memory of the device; NULL: none */
    ty_context *account; /* the context that is charged for the arena; NULL: none */
    bool lent;           /* the arena belongs to the caller */
    bool transient;      /* an evaluation: frees memory and outputs after each run */
    bool holds;          /* a run claims variables, for which others wait */
    bool ran;
    struct incremental incremental;
    ty_report report;
    struct page_story story;  /* history of the graph passes, for keep_graph */
    _Atomic int64_t launched; /* kernels launched by the last run */
    _Atomic int64_t computed; /* elements that they computed */
    struct fault broken;      /* compile error */
    struct fault fault;       /* error of the last run */
};

/* Return p without const; for NULL a static program that has failed to compile, which must not be changed.
   That exists once per translation unit, as show/ may not call program.c. */
static inline struct ty_program *program_of(const struct ty_program *p) {
    static struct ty_program null = {.broken = {true, E_ARGUMENT, "program: the program is NULL"}};
    return p ? (struct ty_program *)(uintptr_t)p : &null;
}

/* Return the report of p, with the counts of its last run. */
static inline ty_report program_report(const struct ty_program *p) {
    ty_report report = p->report;
    report.launched = atomic_load_explicit(&p->launched, memory_order_relaxed);
    report.computed = atomic_load_explicit(&p->computed, memory_order_relaxed);
    return report;
}

/* Compile a program of n outputs and return it; the caller releases it. Errors are in `broken`. NULL: no
   memory. */
struct ty_program *program_new(int n, ty_tensor *const *outputs, ty_compile_options options);
/* As program_new, with a memory plan that programs share, unless `sharing` is NULL. */
struct ty_program *program_new_shared(int n, ty_tensor *const *outputs, ty_compile_options options,
                                      const struct plan_use *sharing);
/* As program_new, for an engine that need not be in the table of engines. */
struct ty_program *program_new_by(const struct engine *engine, int n, ty_tensor *const *outputs,
                                  ty_compile_options options);
/* Add a reference to p and return p. */
struct ty_program *program_retain(struct ty_program *p);
/* Drop a reference to p; the last one frees it. */
void program_release(struct ty_program *p);
/* Free p's arena unless it is the caller's (ty_program_lend). */
void program_drop_arena(struct ty_program *p);
/* Return the bytes that p holds between runs: kernels, their kept data and constants. */
size_t program_bytes(const struct ty_program *p);
/* Call each(context, part, bytes) for the constants and the kept data of a program, which others may hold, too. A run may
   be in progress. */
void program_parts(const void *program, lru_each each, void *context);
/* Reserve p for a run of this thread, after the runs of other threads; program_run or program_leave ends that. A
   thread inside a run never waits: the other thread might, inside its own run, wait for this one. It returns
   false, with the fault set unless it is NULL, if p is running here or elsewhere. */
bool program_enter(struct ty_program *p, struct fault *fault);
/* Run p, which was entered, once, and leave it. arguments: tensors that VARIABLE blocks with an argument index
   read; NULL: their leaves. values: NULL, or receives the outputs, which the caller releases; NULLs if the run
   fails. False with a message in *fault, which may be NULL. */
bool program_run(struct ty_program *p, ty_tensor *const *arguments, ty_tensor **values, struct fault *fault);
/* As program_run; also write output i into destinations[i] (ops/core/memory/destination.h), unless that is NULL.
   They were checked.  destinations NULL: none. */
bool program_run_into(struct ty_program *p, ty_tensor *const *arguments, ty_tensor *const *destinations,
                      ty_tensor **values, struct fault *fault);
/* True if the program, whose other blocks are bound, may write output i into destination d from its first kernel that
   computes the output on (into.c). */
bool program_may_write(const struct ty_program *p, int i, const ty_tensor *d);
/* True if no leaf of the program that lies in the memory of *to is read too late for OUTPUT block b to be written there.
   instead: the kernel that writes the block, with the steps of *to; NULL: *to is dense. All other blocks are bound
   (into.c). */
bool program_leaves_allow(const struct ty_program *p, int b, const struct place *to,
                          const struct kernel *instead);
/* Leave p, which was entered, without a run. */
void program_leave(struct ty_program *p);
/* Enter and run p for ty_run, or with destinations, as in program_run_into, unless that is NULL. If it is running,
   program_fault tells this thread so. */
bool program_run_here(struct ty_program *p, ty_tensor *const *destinations);
/* Let p fail with `fault` instead of a run. If it is running, program_fault tells this thread so. Always return
   false. */
bool program_fail_here(struct ty_program *p, const struct fault *fault);
/* Return the error that ty_program_error tells; it is not set if there is none. */
const struct fault *program_fault(const struct ty_program *p);
/* True if the calling thread is running p: a function of the user's is called inside the run. */
bool program_runs_here(const struct ty_program *p);
#endif
