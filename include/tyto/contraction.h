/*
 * A contraction as a program of loops: what the compiler reads, changes and writes, open to anyone.
 *
 *   out[c, m, n] = sum over k of left[c, m, k] * right[c, k, n]        over any dimensions of each type
 *
 * `dims` say what is computed: each dimension's type, size and stride in left, right and out.  `loops` say how:
 * the order in which dimensions are walked, the step of each loop, and which loops are shared among threads.  A loop
 * over a dimension walks the range that the loops around it leave of that dimension; its last step may be shorter
 * (1601 in steps of 64 is 25 steps of 64 and one of 1).  What remains inside all loops, the box, is computed by one
 * call of a primitive.
 *
 *   ty_contraction c;
 *   ty_contraction_of(&c, "mk,kn->mn", &left, &right, NULL);   dims alone: computes, slowly, as it stands
 *   ty_contraction_optimise(&c, 2);                            the compiler's passes add loops
 *   char *text = ty_contraction_text(&c);                      ty_free(text)
 *   ty_contraction_plan *plan = ty_contraction_compile(&c);    ty_contraction_plan_release(plan)
 *   ty_contraction_run(plan, a, b, y);
 *
 * The struct may also be filled in by hand; zero it first.  A function that fails returns false and leaves a sentence
 * in c.error.
 */
#ifndef TYTO_CONTRACTION_H
#define TYTO_CONTRACTION_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TY_CONTRACTION_DIMS = 128, TY_CONTRACTION_LOOPS = 256, TY_CONTRACTION_GUARDS = 8 };

/* In which operands a dimension has a stride: C in all three, M in left and out, N in right and out, K not in out. */
typedef enum ty_dim_type { TY_DIM_C, TY_DIM_M, TY_DIM_N, TY_DIM_K } ty_dim_type;
typedef enum ty_side { TY_LEFT, TY_RIGHT, TY_OUT } ty_side;
/* SHARED loops come first; their steps are divided among threads.  SEQUENTIAL loops follow.  PRIMITIVE entries come
   last, one for each dimension: its step is the extent of the box in that dimension. */
typedef enum ty_exec { TY_EXEC_SEQUENTIAL, TY_EXEC_SHARED, TY_EXEC_PRIMITIVE } ty_exec;

typedef struct ty_dim {
    ty_dim_type type;
    int64_t size;
    int64_t stride[3]; /* in elements, by ty_side; 0: the operand does not depend on the dimension */
} ty_dim;

typedef struct ty_loop {
    int dim;
    ty_exec exec;
    int64_t step; /* elements of the dimension in one step */
} ty_loop;
/* Each dimension has one PRIMITIVE entry, whose step is that of the innermost loop over it, or else its size (at
   least 1).  Steps of loops over one dimension decrease inwards.  Without loops the box is everything. */

/* Padding that is not in memory: the operand counts as 0 where the position i * coefficient[0] + j * coefficient[1] +
   low along one of its axes is outside 0 .. size-1; i and j are the indices of the two dimensions dim[0], dim[1]. */
typedef struct ty_guard {
    ty_side side;
    int dim[2]; /* -1: none */
    int64_t coefficient[2];
    int64_t low, size;
} ty_guard;

/* How an operand reaches the primitive.  NONE: read in place.  PANELS: packed into micro-panels, the order in which
   the register kernel reads.  FOOTPRINT: for windows; the elements that the box touches are copied once, zeros for
   padding, and the windows are read from the copy.  WHOLE: the whole operand is packed into panels before all loops. */
typedef enum ty_packing { TY_PACK_NONE, TY_PACK_PANELS, TY_PACK_FOOTPRINT, TY_PACK_WHOLE } ty_packing;

/* What computes the box.  LANES: vectors run along the innermost C dimension (depthwise convolutions, batches of tiny
   products), or along the innermost M dimension where it is long and contiguous in left and out.  FLAT: there is no
   matrix (no M and N, or nothing is summed): a reduction or a map of products. */
typedef enum ty_primitive {
    TY_PRIMITIVE_GEMM,
    TY_PRIMITIVE_BRGEMM,
    TY_PRIMITIVE_LANES,
    TY_PRIMITIVE_FLAT,
    TY_PRIMITIVE_SCALAR
} ty_primitive;

typedef struct ty_contraction {
    ty_dtype dtype[3]; /* of left, right, out */
    ty_dtype sums;     /* of products and sums: the promotion of all three; out is converted at the end */
    int ndims, nloops, nguards;
    ty_dim dims[TY_CONTRACTION_DIMS];
    ty_loop loops[TY_CONTRACTION_LOOPS]; /* outermost first */
    ty_guard guards[TY_CONTRACTION_GUARDS];
    int64_t offset[3]; /* elements, where each operand begins */
    ty_primitive primitive;
    struct {
        ty_packing kind;
        int loop; /* index into loops: a packed box is kept until the next step of that loop; -1: to the end */
    } packing[2];
    bool bypass;  /* out is written by streaming stores, past the caches */
    bool swapped; /* left is the caller's right operand, and right the caller's left */
    /* The operand has the same address and values in all runs of a plan: its WHOLE panels are made in the first run and
       kept with the plan. */
    bool constant[2];
    /* Split-K: 2 or more cut the outermost K loop, of `trips` steps, into so many spans; span i begins at step
       trips * i / spans.  Spans are summed separately, by any threads, and added up in order.  0 and 1: no split. */
    int64_t spans;
    /* Additions and multiplications, as ty_einsum_report counts them; least bytes from and to memory; predicted time. */
    double flops, bytes, seconds;
    /* Why the last call failed, or "".  While it is not empty the configuration cannot be optimised, compiled or
       written; ty_contraction_check clears it when the configuration is valid. */
    char error[1024];
} ty_contraction;

/* An operand in memory.  strides NULL: row-major.  Strides and offset in elements. */
typedef struct ty_contraction_operand {
    ty_dtype dtype;
    int rank;
    const int64_t *shape, *strides;
    int64_t offset;
} ty_contraction_operand;

/* Dimensions of "mk,kn->mn" (letters a-z A-Z; one twice in an operand is its diagonal; sizes of equal letters
   agree or are 1).  out NULL: row-major, the operands' dtype.  No loops yet. */
TY_API bool ty_contraction_of(ty_contraction *c, const char *equation, const ty_contraction_operand *left,
                              const ty_contraction_operand *right, const ty_contraction_operand *out);
/* Runs the compiler's passes for the engine of this thread; earlier loops are dropped.  threads 0: ty_threads().  The
   order of summation depends on sizes alone, not on the number of threads nor on ty_workspace(). */
TY_API bool ty_contraction_optimise(ty_contraction *c, int threads);
/* Whether the configuration is valid: types agree with strides, loops cover every dimension exactly once in a legal
   order, no loop over K is shared, and, if bytes is given, operands stay inside buffers of so many bytes. */
TY_API bool ty_contraction_check(ty_contraction *c, const int64_t bytes[3]);
/* Dimensions, loops, packing and predicted figures as text; freed with ty_free.  NULL: no memory. */
TY_API char *ty_contraction_text(const ty_contraction *c);

/* The configuration as JSON, or "error: ..." if it is not valid; freed with ty_free.  NULL: no memory. */
TY_API char *ty_contraction_json(const ty_contraction *c);
/* Reads what ty_contraction_json wrote, strictly: unknown fields, wrong types and invalid configurations
 * fail. */
TY_API bool ty_contraction_read(ty_contraction *c, const char *json, size_t n);
/* The same to and from a file. */
TY_API bool ty_contraction_save(ty_contraction *c, const char *path);
TY_API bool ty_contraction_load(ty_contraction *c, const char *path);

/* Prepares a configuration, as it stands, to run on the engine of this thread.  NULL: no memory. */
typedef struct ty_contraction_plan ty_contraction_plan;
TY_API ty_contraction_plan *ty_contraction_compile(const ty_contraction *c);
/* Why it cannot run; "" when it can. */
TY_API const char *ty_contraction_plan_error(const ty_contraction_plan *plan);
/* Bytes that a run takes besides the operands, all threads together: packed copies and accumulators.  Panels that are
   kept of constant operands do not count. */
TY_API int64_t ty_contraction_plan_workspace(const ty_contraction_plan *plan);
/* Computes; overwrites the elements of out that the dimensions address.  The pointers are to element 0 of the caller's
   left, right and out, whatever c.swapped says; out must not overlap the others.  A plan runs once at a time.  False:
   the plan cannot run (ty_contraction_plan_error says why). */
TY_API bool ty_contraction_run(ty_contraction_plan *plan, const void *left, const void *right, void *out);
TY_API void ty_contraction_plan_release(ty_contraction_plan *plan); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
