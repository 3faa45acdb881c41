/* Variables, promises, gradients, graphs, compiled programs.  Part of <tyto/tyto.h>, which says what holds
 * everywhere. */
#ifndef TYTO_GRAPH_H
#define TYTO_GRAPH_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- variables and promises ---- */

/* An input or parameter of a graph: a promise whose value is `value` until ty_assign changes it. */
TY_API ty_tensor *ty_var(ty_tensor *value, const char *name);
/* An eager variable: operators on it compute at once and record their operands for ty_grad. */
TY_API ty_tensor *ty_track(ty_tensor *value, const char *name);
/* A promise with a fixed value: everything computed from it is lazy. */
TY_API ty_tensor *ty_lazy(ty_tensor *value);
/* The same value or promise without history: no gradient flows through it. */
TY_API ty_tensor *ty_detach(ty_tensor *x);
/* Gives `variable` a new value of the same shape and dtype (a promise is evaluated).  Values read
   before stay as they were; what other threads evaluate meanwhile has the old or the new one.  False on a
   mismatch, with the sentence in *error when error is given (an owned poisoned tensor, registered with the
   scope). */
TY_API bool ty_assign(ty_tensor *variable, ty_tensor *value, ty_tensor **error);
/* The same for n variables: all of them at one moment, or on any failure none.  Promises are evaluated in one
   program; of a variable that is given twice the last value counts. */
TY_API bool ty_assign_all(int n, ty_tensor *const *variables, ty_tensor *const *values, ty_tensor **error);
/* The value of a promise (compiled once per structure); a tracked one keeps its history.  A value is unchanged. */
TY_API ty_tensor *ty_eval(ty_tensor *x);
/* Evaluates n tensors in one program; false, and every result poisoned, when one failed. */
TY_API bool ty_eval_all(int n, ty_tensor *const *x, ty_tensor **values);

/* ---- gradients ---- */

/*
 * Reverse mode; derivative.h has forward mode, jacobians, hessians, rules of one's own.  Where the derivative does not
 * exist:
 *   kinks    a function that turns (abs, relu, clip, relu6, hard_sigmoid, norms, std of equal elements, hypot,
 *            atan2 and arg at the origin, linear grid sampling at the first and last element) has gradient 0
 *            there, as PyTorch's relu; of clip the bound gets what flows.  elu and leaky_relu have the slope of
 *            their lower branch.
 *   ties     of equal elements of one tensor the first takes what flows (amax, amin, max pools of all kinds, cummax,
 *            sort, top_k, quantiles): the one that argmax names.  Equal operands of max, min, fmax and fmin, and a
 *            target and its updates in scatters, share it equally.
 *   NaN      what is NaN because of an element has no gradient 0 by it: where NaN wins, it gets what flows.  Functions
 *            that leave NaN out (nansum, fmax, ...) give it 0.
 *   -inf     of minus infinities alone, logaddexp, logsumexp and logcumsumexp have gradient 0.
 *   0^b      has derivative 0 by b for b >= 0.
 *   steps    floor, comparisons, argmax, sign and the like have gradient 0 everywhere.
 * An infinite derivative is infinite.  One that is not known (gammainc by its order, a draw by its parameters, what
 * a function read while recording: quantile's q, the sets of a promise) is an error when it is asked for.
 */
/* d(sum of y)/dx[i] for each of n tensors (reverse mode, graph to graph: results may be differentiated
   again).  Of a promise: promises; of tracked values: values.  y is floating.  An x that y does not depend on is an
   error, or has zeros where they are allowed (ty_allow_unused); so is one that was assigned after y was computed.
   False when one result is poisoned. */
TY_API bool ty_grad(ty_tensor *y, int n, ty_tensor *const *x, ty_tensor **gradients);
/* Whether operators on tracked values record their operands; per thread, on at the start.  Switched off, temporaries are
   freed at once, for gradients that nobody differentiates again.  Returns the previous setting. */
TY_API bool ty_remember(bool on);
/* The same with an incoming gradient of y's shape instead of ones. */
TY_API bool ty_vjp(ty_tensor *y, ty_tensor *g, int n, ty_tensor *const *x, ty_tensor **gradients);

/* ---- one pass over memory ---- */

/*
 * What `body` makes of x[0 .. n-1], in one pass over memory: body is called once, with promises that stand for the
 * operands, and what it records becomes one kernel where it is elementwise (a reduction at its end is fused too).
 * Promises and tracked operands are handed over as they are.  What body uses beside them counts as well: gradients flow
 * to tracked values, and of a promise the result is one.  Kernels are found again by structure; NULL makes poison.
 */
typedef ty_tensor *(*ty_body)(void *context, ty_tensor *const *x);
TY_API ty_tensor *ty_fuse(ty_body body, void *context, int n, ty_tensor *const *x);

/* ---- graphs: nodes, text and drawing ---- */

/* The operator of a promise, or of a value with a history ("add", "variable"); "" of any other. */
TY_API const char *ty_operator(const ty_tensor *x);
/* How many operands it has, and operand i, shared with the scope; outside: poison. */
TY_API int ty_operands(const ty_tensor *x);
TY_API ty_tensor *ty_operand(const ty_tensor *x, int i);

/* One line a node, operands first.  The caller frees it with ty_free; NULL: no memory. */
TY_API char *ty_text(int n, ty_tensor *const *roots);
/* Graphviz text of the same: number, operator, how many operands it is (r), form (s), name. */
TY_API char *ty_dot(int n, ty_tensor *const *roots);
/* Nodes and edges reachable from the roots. */
TY_API bool ty_count(int n, ty_tensor *const *roots, int64_t *nodes, int64_t *edges);

/* ---- compile ---- */

/* After the outputs of a run are computed, `variable` becomes `value`; in place where the plan allows. */
typedef struct ty_update {
    ty_tensor *variable;
    ty_tensor *value;
} ty_update;

/*
 * A rewrite of the caller's, tried at each node of operator `op` ("add") after its operands were rewritten: `act` gives what
 * y becomes, a tensor of y's dtype whose shape broadcasts to y's, made of y's operands (ty_operator, ty_operand) and what
 * else it likes; NULL: nothing.  It is tried again on what it gave, so it must not act on that for ever.
 */
typedef struct ty_rewrite {
    const char *name; /* in sentences */
    const char *op;
    ty_tensor *(*act)(void *context, ty_tensor *y);
    void *context;
} ty_rewrite;

typedef struct ty_compile_options {
    const char *engine;       /* NULL: the current one */
    const ty_update *updates; /* nupdates of them */
    int nupdates;
    bool no_rewrite;            /* leave out the graph passes: fold, algebra, cse */
    const ty_rewrite *rewrites; /* nrewrites of them, before the library's own */
    int nrewrites;
    /* Every node that a rewrite changed is computed before and after, from what variables hold now, and a difference in a
       bit is an error of ty_compile that names the rewrite: for tests of rewrites, the library's own among them.  Takes
       the time and memory of all these nodes. */
    bool shadow;
    bool no_fuse;  /* one kernel an operator */
    bool no_reuse; /* every buffer its own bytes; parts of a concatenation, too */
    /* A run launches only the kernels that depend on what has changed since the run before: variables that were
       assigned or updated, memory that others may write (which may change at any time); the bits are those of a full
       run.  Values that are needed again stay in memory of their own (report: stays_bytes), and kernels that depend on
       different variables are not fused. */
    bool incremental;
    /* Incremental: the lazy variables that are expected to change between runs, nchanging of them; others may change
       too, but then all kernels run, and until then they are packed for kernels as constants are.  0: any may, which
       keeps the most values in memory. */
    ty_tensor *const *changing;
    int nchanging;
    /* How long memory is packed where quick ways miss report.live_bound: steps of an exact search, 1e9 of them some 0.7 s.
       0: 2^20.  The same number finds the same plan on every machine. */
    int64_t pack_steps;
    /* The most bytes of arena (workspaces included) and kept constants together; outputs and variables have memory of their
       own.  Where more would be needed, kernels that cost little run twice instead of keeping their results; the results
       have the same bits.  What cannot be met is an error of ty_compile that says what is needed; so is what an
       incremental program takes beyond it, which runs no kernel twice.  0: no limit. */
    int64_t max_bytes;
    /* Keep the graph as it was recorded and as the graph passes left it, in words, some 60 bytes a node, for
       ty_program_html. */
    bool keep_graph;
} ty_compile_options;

typedef struct ty_report {
    int64_t nodes_before, edges_before; /* as recorded */
    int64_t nodes_after, edges_after;   /* after the graph passes and fusion: kernels and their operands */
    int64_t folded, simplified, merged, dead, fused, inplace; /* how often each pass acted */
    int64_t boxes; /* results that kernels write into a part of a larger one */
    int64_t kernels, blocks;
    int64_t arena_bytes;     /* what the plan takes */
    int64_t live_bound;      /* lower bound: the most bytes that are live at once in this order of kernels */
    int64_t unplanned_bytes; /* if every buffer had its own bytes */
    int64_t workspace_bytes; /* the largest workspace of a kernel; it lies in the arena too */
    int64_t kept_bytes;      /* constants packed for kernels in the first run; not in the arena */
    int64_t stays_bytes;     /* incremental: of the arena, what keeps its value from run to run */
    int64_t launched;        /* kernels that the last run launched; of one that failed, up to that one */
    int64_t recomputed;      /* kernels that were added, to run twice, for max_bytes */
    int64_t saved_bytes;     /* by which these made arena_bytes smaller */
    double compile_ms;
} ty_report;

/* Never NULL: ty_program_error tells what went wrong, or "".  The program holds references to its variables and
   constants.  Constant matrices may be stored a second time, packed for products (not memory that
   others may write: borrowed, mapped, exported).  The caller frees it with ty_program_free. */
TY_API ty_program *ty_compile(int n, ty_tensor *const *outputs, ty_compile_options options);
TY_API void ty_program_free(ty_program *program);
TY_API const char *ty_program_error(const ty_program *program);
/* Reads the variables, computes outputs, applies updates.  False: no variable has changed.  No allocation after the
   first run unless somebody holds an earlier output.  Runs of one program exclude each other. */
TY_API bool ty_run(ty_program *program);
/* The same, and the n outputs (as many as the program has) of this very run, which are the scope's like any new tensor;
   later runs leave them as they are.  For several threads that run one program: between ty_run and ty_output another's
   run may come.  False: all are poisoned with the sentence of this run. */
TY_API bool ty_run_outputs(ty_program *program, int n, ty_tensor **outputs);
/*
 * Intermediate results, and what kernels need while they work, lie in memory of the caller's from the next run on: `bytes` of
 * it, report.arena_bytes or more, from an address that 64 divides.  Programs that never run at the same time may share
 * it, but with incremental ones, which find results of the run before in it and take other memory only before their first
 * run.  It stays the caller's, and there until the program is freed or has other memory.  NULL: the program's own again.
 * Outputs, variables and packed constants never lie in it.  False: the program has what it had, and *error (or NULL)
 * receives a poisoned tensor that tells why.
 */
TY_API bool ty_program_memory(ty_program *program, void *memory, size_t bytes, ty_tensor **error);
/* Output i of the last run, owned by the program; who retains it before the next keeps its values over later runs. */
TY_API ty_tensor *ty_output(ty_program *program, int i);
TY_API ty_report ty_program_report(const ty_program *program);
/* The kernels in order with operands, shapes and places; freed with ty_free. */
TY_API char *ty_program_text(const ty_program *program);
/* The kernels in order, and why fusion left each apart from one that makes an operand of it, where it did; freed with
   ty_free. */
TY_API char *ty_program_why(const ty_program *program);
/*
 * A page of HTML that explains the program, with all that it needs in it: kernels in layers, with repeated layers and
 * bodies folded, what each reads, computes and writes, where blocks lie while they live, and, with keep_graph, the graph
 * before and after the passes.  profile (NULL: none) colours kernels by time and gives a roofline, under the peaks of
 * the machine where these are given (operations and bytes a second, else 0).  The page compares itself with another one.
 * Freed with ty_free; NULL: no memory.
 */
TY_API char *ty_program_html(const ty_program *program, const ty_profile *profile, double flops,
                             double bytes);
/* Graphviz text of the optimised graph: of each result how many kernels read it (r), form (s), block of the arena (b) and
   name, a colour for each block; freed with ty_free. */
TY_API char *ty_program_dot(const ty_program *program);
/* SVG: time across, offset down, one colour per buffer; freed with ty_free. */
TY_API char *ty_program_memory_svg(const ty_program *program);
/* SVG of the optimised graph in layers, without Graphviz; freed with ty_free. */
TY_API char *ty_program_graph_svg(const ty_program *program);
/* Verifies independently that no two buffers that are live at once share a byte, and that nothing that may fail comes
   after what writes over a variable.  False, and the pair in `message`. */
TY_API bool ty_program_check(const ty_program *program, char *message, size_t capacity);

/* ---- functions that are compiled for each form of their operands ---- */

typedef struct ty_function ty_function;
/* Fills results of a fixed number from the operands. */
typedef void (*ty_branch)(void *context, ty_tensor *const *x, ty_tensor **results);

/*
 * A function of n tensors with nresults results, which `body` makes.  ty_function_call on values calls body once for
 * each form, that is dtypes and shapes, with promises in place of the operands, compiles what it records, and from then on
 * runs that: another batch size is compiled when it first comes, and a ragged last batch never again.  Programs of all
 * forms take 64 MiB at most, of which those not used for longest go.  Kernels that are alike are prepared once for all
 * forms.  Called on promises, or on tracked values, it calls body on them, so that gradients flow and functions nest.
 *
 * What body uses beside its operands is read when a form is compiled, variables (ty_var) in each call.  Where it uses
 * tracked values, it is called each time instead, and gradients flow.  It reads no elements.  Threads may share one.
 *
 * options: as of ty_compile, without updates and incremental runs.  Never NULL: ty_function_error tells what is wrong, or
 * "".  The caller frees it with ty_function_free, when no call is going on.
 */
TY_API ty_function *ty_function_new(ty_branch body, void *context, int n, int nresults,
                                    ty_compile_options options);
TY_API void ty_function_free(ty_function *function);
TY_API const char *ty_function_error(const ty_function *function);
/* The results of x[0 .. n), which are the scope's like any new tensor; n and nresults are those of the function.  False
   when one is poisoned: all are then. */
TY_API bool ty_function_call(ty_function *function, int n, ty_tensor *const *x, int nresults,
                             ty_tensor **results);
/* How many forms it has compiled. */
TY_API int64_t ty_function_compiles(const ty_function *function);

#ifdef __cplusplus
}
#endif
#endif
