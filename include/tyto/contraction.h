/*
 * A contraction as a program of loops: the data that the compiler reads, changes and writes, open to callers.
 *
 *   out[c, m, n] = sum over k of left[c, m, k] * right[c, k, n]        over any dimensions of each type
 *
 * `dims` define the result: each dimension's type, size and stride in left, right and out.  `loops` define the order
 * in which dimensions are walked, the step of each loop, and the loops that threads share.  A loop over a dimension
 * walks the range that the loops around it leave; its last step may be shorter (1601 in steps of 64 is 25 steps of 64
 * and one of 1).  The box that remains inside all loops is computed by one call of a primitive.
 *
 *   ty_contraction c;
 *   ty_contraction_of(&c, "mk,kn->mn", &left, &right, NULL);   dims alone: computes, slowly, without loops
 *   ty_contraction_optimise(&c, 2);                            the compiler's passes add loops
 *   char *text = ty_contraction_text(&c);                      ty_free(text)
 *   ty_contraction_plan *plan = ty_contraction_compile(&c);    ty_contraction_plan_release(plan)
 *   ty_contraction_run(plan, a, b, y);
 *
 * The struct may also be filled in by hand; zero it first.  A function that fails returns false and leaves a message
 * in c.error.
 */
#ifndef TYTO_CONTRACTION_H
#define TYTO_CONTRACTION_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TY_CONTRACTION_DIMS = 128, TY_CONTRACTION_LOOPS = 256, TY_CONTRACTION_GUARDS = 8 };

/* Type of a dimension, by the operands in which it has a stride: C in all three, M in left and out, N in right and
   out, K not in out. */
typedef enum ty_dim_type { TY_DIM_C, TY_DIM_M, TY_DIM_N, TY_DIM_K } ty_dim_type;
/* Operand of a contraction. */
typedef enum ty_side { TY_LEFT, TY_RIGHT, TY_OUT } ty_side;
/* Execution of a loop.  SHARED loops come first; their steps are divided among threads.  SEQUENTIAL loops follow.
   PRIMITIVE entries come last, one for each dimension: their steps are the extents of the box. */
typedef enum ty_exec { TY_EXEC_SEQUENTIAL, TY_EXEC_SHARED, TY_EXEC_PRIMITIVE } ty_exec;

/* A dimension. */
typedef struct ty_dim {
    ty_dim_type type;
    int64_t size;
    int64_t stride[3]; /* in elements, by ty_side; 0 means the operand does not depend on the dimension */
} ty_dim;

/* A loop over a dimension.  Each dimension has one PRIMITIVE entry, whose step is that of the innermost loop over
   it, else its size (at least 1).  Steps of loops over one dimension decrease inwards.  Without loops the box is
   everything. */
typedef struct ty_loop {
    int dim; /* index into dims */
    ty_exec exec;
    int64_t step; /* elements of the dimension in one step */
} ty_loop;

/* Padding that is not in memory.  The operand counts as 0 where the position i * coefficient[0] + j *
   coefficient[1] + low along one of its axes is outside 0 .. size-1.  i and j are the indices of the dimensions
   dim[0] and dim[1]. */
typedef struct ty_guard {
    ty_side side;
    int dim[2]; /* indices into dims; -1: none */
    int64_t coefficient[2];
    int64_t low, size;
} ty_guard;

/* Path of an operand to the primitive.  NONE: read in place.  PANELS: packed into micro-panels, in the order in
   which the micro-kernel reads.  FOOTPRINT: for windows; the elements that the box touches are copied once, with
   zeros for padding, and windows are read from the copy.  WHOLE: the whole operand is packed into panels before all
   loops. */
typedef enum ty_packing { TY_PACK_NONE, TY_PACK_PANELS, TY_PACK_FOOTPRINT, TY_PACK_WHOLE } ty_packing;

/* Primitive that computes the box.  LANES: vectors run along the innermost C dimension (depthwise convolutions,
   batches of tiny products), or along the innermost M dimension if it is long and contiguous in left and out.
   FLAT: a reduction or a map of products, if there is no matrix (no M and N, or no sum). */
typedef enum ty_primitive {
    TY_PRIMITIVE_GEMM,
    TY_PRIMITIVE_BRGEMM,
    TY_PRIMITIVE_LANES,
    TY_PRIMITIVE_FLAT,
    TY_PRIMITIVE_SCALAR
} ty_primitive;

/* A configuration: dimensions, loops and packing. */
typedef struct ty_contraction {
    ty_dtype dtype[3]; /* of left, right, out */
    ty_dtype sums; /* dtype of products and sums: the promotion of all three; out is converted at the end */
    int ndims, nloops, nguards;
    ty_dim dims[TY_CONTRACTION_DIMS];
    ty_loop loops[TY_CONTRACTION_LOOPS]; /* outermost first */
    ty_guard guards[TY_CONTRACTION_GUARDS];
    int64_t offset[3]; /* in elements, by ty_side: position of element 0 */
    ty_primitive primitive;
    struct {
        ty_packing kind;
        int loop; /* index into loops: a packed box is kept until the next step of that loop; -1: to the end */
    } packing[2];
    bool bypass;  /* out is written by streaming stores, past the caches */
    bool swapped; /* left is the caller's right operand, and right the caller's left */
    /* The operand has the same address and values in all runs of a plan: its WHOLE panels are made in the first run
       and kept with the plan. */
    bool constant[2];
    /* Split-K: 2 or more cut the outermost K loop, of `trips` steps, into that number of spans; span i begins at
       step trips * i / spans.  Spans are summed separately, by any threads, and added up in order.  0 and 1: no
       split. */
    int64_t spans;
    /* Additions and multiplications, as ty_einsum_report counts them; least bytes from and to memory; predicted
       time. */
    double flops, bytes, seconds;
    /* Reason why the last call failed, or "".  While it is not empty the configuration cannot be optimised,
       compiled or written; ty_contraction_check clears it if the configuration is valid. */
    char error[1024];
    ty_code code; /* of the error; TY_ERROR_NONE if there is none */
} ty_contraction;

/* An operand in memory; strides and offset are in elements.  strides NULL: row-major. */
typedef struct ty_contraction_operand {
    ty_dtype dtype;
    int rank;
    const int64_t *shape, *strides;
    int64_t offset;
} ty_contraction_operand;

/* Fill *c with the dimensions of an equation such as "mk,kn->mn", without loops.  Letters are a-z A-Z; one twice
   in an operand is its diagonal; sizes of equal letters agree or are 1.  `left`, `right` and `out` describe the
   operands; out NULL: row-major, of the operands' dtype.  False, with c->error, on failure. */
TY_API bool ty_contraction_of(ty_contraction *c, const char *equation, const ty_contraction_operand *left,
                              const ty_contraction_operand *right, const ty_contraction_operand *out);
/* Replace the loops of a configuration by those that the compiler's passes choose for the engine of this thread
   and the given number of threads (0: ty_threads()).  The order of summation depends on sizes alone, not on
   threads or ty_workspace().  False, with c->error, on failure, also if c->error was not empty. */
TY_API bool ty_contraction_optimise(ty_contraction *c, int threads);
/* Return true if the configuration is valid: the dimensions' types agree with their strides, loops cover every
   dimension exactly once in a legal order, and no SHARED loop (divided among threads) is over K.  If `bytes` is
   not NULL, operands must also stay inside the caller's buffers of bytes[0] for left, bytes[1] for right,
   bytes[2] for out (as given to ty_contraction_run).  False, with c->error, otherwise. */
TY_API bool ty_contraction_check(ty_contraction *c, const int64_t bytes[3]);
/* Format dimensions, loops, packing and predicted figures as text, or "error: " and the reason for a
   configuration that is not valid.  The caller frees it with ty_free; NULL: out of memory. */
TY_API char *ty_contraction_text(const ty_contraction *c);

/* Format the configuration as JSON, or "error: " and the reason if it is not valid.  The caller frees the text
   with ty_free; NULL: out of memory. */
TY_API char *ty_contraction_json(const ty_contraction *c);
/* Read *c from n bytes of JSON as ty_contraction_json writes it.  False for unknown fields, wrong types and
   invalid configurations: *c is then cleared, its ndims is -1, and c->error gives the reason. */
TY_API bool ty_contraction_read(ty_contraction *c, const char *json, size_t n);
/* Write the configuration as JSON to the file `path`, atomically.  False, with c->error, on failure. */
TY_API bool ty_contraction_save(ty_contraction *c, const char *path);
/* Read *c from a file of JSON as ty_contraction_save writes it.  False on failure: *c is then cleared, its
   ndims is -1, and c->error gives the reason. */
TY_API bool ty_contraction_load(ty_contraction *c, const char *path);

/* A configuration prepared to run. */
typedef struct ty_contraction_plan ty_contraction_plan;
/* Prepare a configuration, without changing it, to run on the engine of this thread.  For an invalid one the
   plan cannot run, and ty_contraction_plan_error returns the reason.  The caller frees the plan with
   ty_contraction_plan_release.  NULL: out of memory. */
TY_API ty_contraction_plan *ty_contraction_compile(const ty_contraction *c);
/* Return the reason why a plan cannot run, "" if it can.  The text lives as long as the plan. */
TY_API const char *ty_contraction_plan_error(const ty_contraction_plan *plan);
/* Return the error of ty_contraction_plan_error as a poisoned tensor (ty_error_code, ty_error_details), owned by the
   innermost scope; NULL if the plan can run. */
TY_API ty_tensor *ty_contraction_plan_failure(const ty_contraction_plan *plan);
/* Return the scratch bytes of a run besides the operands, for all threads together: packed copies and
   accumulators.  Kept panels of constant operands do not count.  0 for NULL. */
TY_API int64_t ty_contraction_plan_workspace(const ty_contraction_plan *plan);
/* Compute the contraction of a plan; overwrites the elements of `out` that the dimensions address.  The pointers
   are to element 0 of the caller's left, right and out, whatever c.swapped is; out must not overlap the others.
   A plan runs once at a time.  False if the plan cannot run or the run failed: ty_contraction_plan_error returns
   the reason.  False without a reason ("") if left, right or out is NULL and no dimension is empty. */
TY_API bool ty_contraction_run(ty_contraction_plan *plan, const void *left, const void *right, void *out);
/* Free a plan.  NULL is allowed. */
TY_API void ty_contraction_plan_release(ty_contraction_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
