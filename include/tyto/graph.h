/* Variables, promises, gradients, graphs and compiled programs.  Part of <tyto/tyto.h>, which states the rules that
   hold for all functions. */
#ifndef TYTO_GRAPH_H
#define TYTO_GRAPH_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- variables and promises ---- */

/* Return a variable: an input or parameter of a graph.  It is a promise whose value is `value` until ty_assign
   changes it.  The name is copied; NULL: none.  A promise as `value` is evaluated.  Poison if `value` is
   poisoned. */
TY_API ty_tensor *ty_var(ty_tensor *value, const char *name);
/* Return an eager variable: operators on it compute at once and record their operands for ty_grad.  The name is
   copied; NULL: none.  A promise as `value` is evaluated.  Poison if `value` is poisoned. */
TY_API ty_tensor *ty_track(ty_tensor *value, const char *name);
/* Return a promise of the fixed value `value`, of its dtype and shape: everything computed from it is lazy.  A
   promise is returned unchanged, and so is poison. */
TY_API ty_tensor *ty_lazy(ty_tensor *value);
/* Return the same value or promise without history: no gradient flows through it.  Poison stays poison. */
TY_API ty_tensor *ty_detach(ty_tensor *x);
/* Give `variable` a new value of the same shape and dtype; a promise is evaluated.  Values read before stay as
   they were; other threads see the old or the new value.  False if it does not fit or fails: nothing changed,
   and *error, unless NULL, receives a poisoned tensor that the scope owns. */
TY_API bool ty_assign(ty_tensor *variable, ty_tensor *value, ty_tensor **error);
/* Give n variables new values, all at one moment, or none on any failure.  Promises are evaluated in one program;
   for a variable given twice the last value counts.  False on failure, with the reason in *error unless NULL: a
   poisoned tensor that the scope owns. */
TY_API bool ty_assign_all(int n, ty_tensor *const *variables, ty_tensor *const *values, ty_tensor **error);
/* Return the value of a promise, computed by a compiled program; programs are compiled once per structure.  The
   value of a tracked promise keeps its history.  A value is returned unchanged; poison if the evaluation fails. */
TY_API ty_tensor *ty_eval(ty_tensor *x);
/* Evaluate n tensors in one program and write the values to values[].  False if one fails: all of values[] are
   then poisoned. */
TY_API bool ty_eval_all(int n, ty_tensor *const *x, ty_tensor **values);

/* ---- gradients ---- */

/*
 * Reverse mode; derivative.h has forward mode, Jacobians, Hessians and custom rules.  Where a derivative does not
 * exist:
 *
 *   kinks    gradient 0 at a kink of abs, relu, clip, relu6, hard_sigmoid, norms, std of equal elements; of hypot,
 *            atan2 and arg at the origin; of linear grid sampling at the first and last element.  That is PyTorch's
 *            rule for relu.  For clip the bound gets the gradient.  elu and leaky_relu take their lower branch's slope.
 *   ties     of equal elements of one tensor the first gets the gradient, the one that argmax names: amax, amin, max
 *            pools of all kinds, cummax, sort, top_k, quantiles.  Equal operands of max, min, fmax and fmin, and a
 *            target and its updates in scatters, share it equally.
 *   NaN      NaN results do not zero gradients: where a NaN element wins, it gets the gradient.  Functions that ignore
 *            NaN (nansum, fmax, ...) give it 0.
 *   -inf     logaddexp, logsumexp and logcumsumexp of minus infinities alone have gradient 0.
 *   0^b      has derivative 0 by b for b >= 0.
 *   steps    floor, comparisons, argmax, sign and other step functions have gradient 0 everywhere.
 *
 * An infinite derivative is infinite.  Some derivatives are unknown: Bessel functions by their order, random draws by
 * their parameters (but ty_draw's are known), operands whose value was read while recording (quantile's q, the sets of
 * a promise).  Asking for one of these is an error.
 */

/*
 * Compute the gradients of the sum of y by n tensors x: gradients[i] has the dtype and shape of x[i].
 *
 * Reverse mode, from graph to graph: results can be differentiated again.  They are promises if y is one, values if y
 * is tracked.  y must be floating.  If y does not depend on x[i], that is an error, or zeros if allowed
 * (ty_allow_unused).  It is also an error if x[i] was assigned after y was computed.  False if a result is poisoned
 * or an array is NULL.
 */
TY_API bool ty_grad(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor **gradients);
/* Switch the recording of operands by operators on tracked values, for this thread; on at the start.  While it
   is off results keep no history and temporaries are freed at once: for gradients that are not differentiated
   again.  Returns the previous setting; it never fails. */
TY_API bool ty_set_history(bool on);
/* Compute the vector-Jacobian products gradients[i] by n tensors x[i], of x[i]'s dtype and shape: as ty_grad, with
   the incoming gradient g, of y's shape, instead of ones.  False if a result is poisoned. */
TY_API bool ty_vjp(ty_tensor *y, ty_tensor *g, int n, ty_tensor *const *x, ty_tensor **gradients);

/* ---- one pass over memory ---- */

/* A function of the operands x[0 .. n-1] that makes one tensor of public functions; NULL makes poison. */
typedef ty_tensor *(*ty_body)(void *context, ty_tensor *const *x);
/*
 * Return the result of `body` on the n operands x, computed in one pass over memory; poison if body returns NULL or
 * fails.
 *
 * body is called once, with promises in place of the operands.  Elementwise operators that it records become one
 * kernel; a reduction at its end is fused too.  Kernels are found again by structure.
 *
 * Promises and tracked operands are passed unchanged.  Other tensors that body uses count as well: gradients flow to
 * tracked values, and a promise makes the result a promise.
 */
TY_API ty_tensor *ty_fuse(ty_body body, void *context, int n, ty_tensor *const *x);

/* ---- graphs: nodes, text and drawing ---- */

/* Return the operator that made a promise, or a value with a history, such as "add" or "variable"; "" for other
   tensors, also poison.  Static text. */
TY_API const char *ty_operator(const ty_tensor *x);
/* Return the number of operands of the operator that made x; 0 if there is none. */
TY_API int ty_operands(const ty_tensor *x);
/* Return operand i, counted from 0, of the operator that made x; the scope shares it.  Poison if i is outside.
   Poison stays poison. */
TY_API ty_tensor *ty_operand(const ty_tensor *x, int i);

/* Format the graph of n outputs (`roots`) as text, one node a line, operands first.  The caller frees the text
   with ty_free; NULL: out of memory, or roots is NULL. */
TY_API char *ty_text(int n, ty_tensor *const *roots);
/* Format the graph of n outputs (`roots`) as Graphviz text: number, operator, number of uses (r), shape and dtype
   (s), name.  Of more than 500 nodes only the last are drawn.  The caller frees the text with ty_free; NULL: out of
   memory, or roots is NULL. */
TY_API char *ty_dot(int n, ty_tensor *const *roots);
/* Count the nodes and edges (operands of nodes) of the graph that leads to n outputs (`roots`).  `nodes` and
   `edges` may be NULL.  False, with the reason in *error (NULL: not wanted), if a root is poisoned, roots is NULL or
   memory runs out. */
TY_API bool ty_count(int n, ty_tensor *const *roots, int64_t *nodes, int64_t *edges, ty_tensor **error);

/* ---- compile ---- */

/* An update of a program: after the outputs of a run are computed, `variable` becomes `value`, in place where the
   plan allows. */
typedef struct ty_update {
    ty_tensor *variable;
    ty_tensor *value;
} ty_update;

/* A rewrite rule of the caller's.  It is tried at each node of operator `op`, after the node's operands were
   rewritten, and again on its own result, so it must end. */
typedef struct ty_rewrite {
    const char *name; /* for error messages */
    const char *op;   /* such as "add" */
    /* Return the replacement of node y, made of its operands (ty_operator, ty_operand) and other tensors, or NULL
       to keep y.  It has y's dtype and a shape that broadcasts to y's. */
    ty_tensor *(*act)(void *context, ty_tensor *y);
    void *context;
    const void *unused[2]; /* 0: room for later members */
} ty_rewrite;

/* Options of ty_compile; all zero is the usual choice. */
typedef struct ty_compile_options {
    /* such as "cpu" or "opencl:0"; NULL: that of the device that ty_to has chosen for an output, else the thread's */
    const char *engine;
    const ty_update *updates; /* nupdates entries */
    int nupdates;
    bool no_rewrite;            /* leave out the graph passes: folding, algebra, common subexpressions */
    const ty_rewrite *rewrites; /* nrewrites entries, tried before the library's own */
    int nrewrites;
    /* Test of rewrites: compute every node that a rewrite changed before and after, from the variables' present
       values.  A difference in any bit makes ty_compile fail and name the rewrite.  Takes the time and memory of
       all these nodes. */
    bool shadow;
    bool no_fuse;  /* one kernel for each operator */
    bool no_reuse; /* separate memory for every buffer, also for the parts of a concatenation */
    /* Launch only the kernels that depend on a change since the previous run: variables that were assigned or
       updated, and memory that others may write.  Results are bitwise those of a full run.  Values that are needed
       again stay in memory (report: stays_bytes), and kernels that depend on different variables are not fused.  Of a
       variable that was assigned in part (ty_assign_at), kernels compute what depends on the part, where they can. */
    bool incremental;
    /* Incremental: the nchanging lazy variables that are expected to change between runs.  If another one changes,
       all kernels run; until then it is packed as constants are.  0: any variable may change, which keeps the most
       values. */
    ty_tensor *const *changing;
    int nchanging;
    /* Limit of the exact search for a memory plan, used where fast heuristics miss report.live_bound, in steps; 1e9
       take some 0.7 s.  0: 2^20.  Equal limits give equal plans on every machine. */
    int64_t pack_steps;
    /* Limit in bytes of the arena (workspaces included) and kept constants together; 0 means none.  Outputs and
       variables do not count.  To meet it, cheap kernels run twice instead of keeping their results, with bitwise
       equal results.  ty_compile fails if the limit cannot be met and says the bytes needed.  Incremental programs
       run no kernel twice. */
    int64_t max_bytes;
    /* Keep the graph as recorded and as the graph passes left it, as text of some 60 bytes a node, for
       ty_program_html. */
    bool keep_graph;
    /* Run kernels that write over variables last.  A run can be stopped (ty_interrupt, ty_deadline) until the first of
       them starts, so in nearly all of its time.  What they read stays in memory until then, such as all gradients. */
    bool stoppable;
    bool unused[6];
} ty_compile_options;

/* Facts about a program; see ty_program_report. */
typedef struct ty_report {
    int64_t nodes_before, edges_before; /* as recorded */
    int64_t nodes_after, edges_after;   /* after the graph passes and fusion: kernels and their operands */
    int64_t folded, simplified, merged, dead, fused, inplace; /* number of times each pass acted */
    int64_t boxes; /* results that kernels write into a part of a larger one */
    int64_t kernels, blocks;
    int64_t arena_bytes;     /* size of the planned memory */
    int64_t live_bound;      /* lower bound: most bytes alive at once in this order of kernels */
    int64_t unplanned_bytes; /* sum of all buffers, without reuse */
    int64_t workspace_bytes; /* largest workspace of a kernel; part of the arena */
    int64_t kept_bytes;      /* constants packed for kernels in the first run; not in the arena */
    int64_t stays_bytes;     /* incremental: part of the arena that keeps its values between runs */
    int64_t launched;        /* kernels launched by the last run; of a failed one, up to the failure */
    int64_t recomputed;      /* kernels added to run twice, for max_bytes */
    int64_t saved_bytes;     /* decrease of arena_bytes by these */
    double compile_ms;
    int64_t
        computed; /* elements that the kernels launched by the last run computed; whole runs: of all their results */
} ty_report;

TY_API ty_program *ty_compile_sized(int n, ty_tensor *const *outputs, const ty_compile_options *options,
                                    size_t size);
/* Compile a program that computes n outputs.  Never NULL: ty_program_error returns the reason of a failure.  The
   program holds references to its variables and constants.  Constant matrices may be stored a second time, packed
   for products, unless others may write their memory (borrowed, mapped, exported).  The caller frees it with
   ty_program_free. */
TY_INLINE ty_program *ty_compile(int n, ty_tensor *const *outputs, ty_compile_options options) {
    return ty_compile_sized(n, outputs, &options, sizeof options);
}
/* Free a program.  NULL is allowed. */
TY_API void ty_program_free(ty_program *program);
/* Return the error message of a program that failed to compile, or of its last run; "" if there is none.  On a thread
   whose last ty_run of it was refused, because it was running, the reason for that.  The text lives as long as the
   program. */
TY_API const char *ty_program_error(const ty_program *program);
/* Return the error of ty_program_error as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost
   scope; NULL if there is none. */
TY_API ty_tensor *ty_program_failure(const ty_program *program);
/* Run a program: read the variables, compute the outputs (ty_output), apply the updates.  False on failure: no
   variable has changed, and ty_program_error returns the reason.  After the first run nothing is allocated, unless an
   earlier output is still held or kernels run in parts.  Runs of one program exclude each other: another thread waits.
   A function for progress, which is called inside a run, does not wait: a program that is running is refused there
   (TY_ERROR_STATE). */
TY_API bool ty_run(ty_program *program);
/* Run a program and write its n outputs to outputs[], owned by the scope; later runs leave them unchanged.  n is
   the program's number of outputs.  For threads that share a program: between ty_run and ty_output another run
   may come.  False on failure: no variable has changed, and all of outputs[] are poisoned with the error of this
   run. */
TY_API bool ty_run_outputs(ty_program *program, int n, ty_tensor **outputs);
/*
 * Let a program keep intermediate results and workspaces in the caller's memory from the next run on.
 *
 * `memory`, of `bytes` bytes, has report.arena_bytes or more, is aligned to 64 bytes, and stays the caller's.  It must
 * exist until the program is freed or is given other memory.  NULL: memory of the program's own again.  Outputs,
 * variables and packed constants never lie in it.
 *
 * Programs that never run at the same time may share it.  Incremental ones may not, since they keep results between
 * runs; they accept memory only before their first run.
 *
 * False: nothing changed, and *error, unless NULL, receives a poisoned tensor with the reason.
 */
TY_API bool ty_program_memory(ty_program *program, void *memory, size_t bytes, ty_tensor **error);
/* Return output i, counted from 0, of the last run.  The program owns it; ty_retain it before the next run to keep
   its values.  Poison if i is outside, if the program has failed or not run, or while this thread is running it. */
TY_API ty_tensor *ty_output(ty_program *program, int i);
TY_API void ty_program_report_sized(const ty_program *program, ty_report *report, size_t size);
/* Write the facts about a program to *report; zeros if it failed to compile. */
TY_INLINE void ty_program_report(const ty_program *program, ty_report *report) {
    ty_program_report_sized(program, report, sizeof *report);
}
/* List the kernels in order with operands, shapes and memory positions; for a failed program the text is its
   error.  The caller frees the text with ty_free; NULL: out of memory. */
TY_API char *ty_program_text(const ty_program *program);
/* List the kernels in order with the reason why fusion left each apart from the producer of an operand; for a
   failed program the text is its error.  The caller frees the text with ty_free; NULL: out of memory. */
TY_API char *ty_program_why(const ty_program *program);
/*
 * Explain a program on a self-contained page of HTML: kernels in layers, with repeated layers and subgraphs folded;
 * their reads, computations and writes; the memory of blocks over time; with keep_graph, the graph before and after
 * the passes.
 *
 * `profile` (NULL: none) colours kernels by time and adds a roofline, under the machine's peaks `flops` and `bytes` in
 * operations and bytes a second; 0 means unknown.  The page can compare itself with another one.  The caller frees the
 * text with ty_free; NULL: out of memory.
 */
TY_API char *ty_program_html(const ty_program *program, const ty_profile *profile, double flops,
                             double bytes);
/* Draw the optimised graph as Graphviz text: number of kernels that read each result (r), shape and dtype (s),
   block of the arena (b), name, a colour for each block; empty for a failed program.  The caller frees the text
   with ty_free; NULL: out of memory. */
TY_API char *ty_program_dot(const ty_program *program);
/* Draw the memory plan as SVG: time across, offset down, one colour for each buffer; for a failed program its
   error.  The caller frees the text with ty_free; NULL: out of memory. */
TY_API char *ty_program_memory_svg(const ty_program *program);
/* Draw the optimised graph in layers as SVG, without Graphviz; empty for a failed program.  The caller frees
   the text with ty_free; NULL: out of memory. */
TY_API char *ty_program_graph_svg(const ty_program *program);
/* Verify a program independently of the planner: no two buffers alive at once share a byte, and nothing that may
   fail follows an update in place.  False, with the reason in *error (NULL: not wanted), if it does not hold or the
   program failed to compile. */
TY_API bool ty_program_check(const ty_program *program, ty_tensor **error);

/* ---- functions compiled once for each combination of dtypes and shapes of their operands ---- */

/* A function whose programs are compiled when they are first needed; ty_function_new describes it. */
typedef struct ty_function ty_function;
/* A function of the operands x that fills results[], whose number is fixed. */
typedef void (*ty_branch)(void *context, ty_tensor *const *x, ty_tensor **results);

TY_API ty_function *ty_function_new_sized(ty_branch body, void *context, int n, int nresults,
                                          const ty_compile_options *options, size_t size);
/*
 * Make a function of n tensors with nresults results, computed by `body`.
 *
 * ty_function_call on values calls body once for each combination of dtypes and shapes, with promises in place of the
 * operands.  It compiles the recorded graph, and later calls run it; so a new batch size is compiled once.  The
 * programs take at most 64 MiB together; those unused for longest are dropped.  Called on promises or on tracked
 * values, body runs on them, so that gradients flow and functions nest.
 *
 * Other tensors that body uses are read when a program is compiled, variables (ty_var) in each call.  If it uses
 * tracked values, it is called each time instead, and gradients flow.  body cannot read elements.  Threads may share a
 * function.
 *
 * Options are those of ty_compile, without updates and incremental runs.  Never NULL: ty_function_error returns the
 * reason of a failure.  The caller frees it with ty_function_free.
 */
TY_INLINE ty_function *ty_function_new(ty_branch body, void *context, int n, int nresults,
                                       ty_compile_options options) {
    return ty_function_new_sized(body, context, n, nresults, &options, sizeof options);
}
/* Free a function; no call of it may be running.  NULL is allowed. */
TY_API void ty_function_free(ty_function *function);
/* Return the error message of a function, "" if it is valid.  The text lives as long as the function. */
TY_API const char *ty_function_error(const ty_function *function);
/* Return the error of a function as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_function_failure(const ty_function *function);
/* Compute results[0 .. nresults) from x[0 .. n), by a compiled program for values; the scope owns them.  n and
   nresults are those of the function.  False on failure: all results are then poisoned. */
TY_API bool ty_function_call(ty_function *function, int n, ty_tensor *const *x, int nresults,
                             ty_tensor **results);
/* Return the number of programs compiled so far with a memory plan of their own (cache.h); 0 for a failed function. */
TY_API int64_t ty_function_compiles(const ty_function *function);

#ifdef __cplusplus
}
#endif
#endif
