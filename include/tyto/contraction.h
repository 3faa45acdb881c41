/*
 * A contraction as a program of loops: what the compiler reads, changes and writes, open to anyone.
 *
 *   out[c, m, n] = sum over k of left[c, m, k] * right[c, k, n]        over any dimensions of each type
 *
 * `dims` say what is computed: each dimension's type, size and step in left, right and out.  `loops` say
 * how: in what order dimensions are walked, in steps of how many, by how many threads, and what is left
 * to a primitive. A loop over a dimension walks what the loops around it leave of that dimension; the
 * last step may be shorter (1601 in steps of 64 is 25 steps and one of 1).  What no loop takes apart
 * further is the primitive's box.
 *
 *   ty_contraction c;
 *   ty_contraction_of(&c, "mk,kn->mn", &left, &right, NULL);   dims alone: computes, slowly, as it stands
 *   ty_contraction_optimise(&c, 2);                            the compiler's passes add loops
 *   char *text = ty_contraction_text(&c);                      ty_free(text)
 *   ty_contraction_plan *plan = ty_contraction_compile(&c);    ty_contraction_plan_release(plan)
 *   ty_contraction_run(plan, a, b, y);
 *
 * A struct filled by hand does as well: zero it first.  What fails returns false and leaves a sentence in
 * c.error.
 */
#ifndef TYTO_CONTRACTION_H
#define TYTO_CONTRACTION_H
#include <tyto/tyto.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TY_CONTRACTION_DIMS = 128, TY_CONTRACTION_LOOPS = 256, TY_CONTRACTION_GUARDS = 8 };

/* Where a dimension steps: C in all three, M in left and out, N in right and out, K in no out. */
typedef enum ty_dim_type { TY_DIM_C, TY_DIM_M, TY_DIM_N, TY_DIM_K } ty_dim_type;
typedef enum ty_side { TY_LEFT, TY_RIGHT, TY_OUT } ty_side;
/* SHARED loops come first; their steps are dealt out to threads.  SEQUENTIAL ones follow.  PRIMITIVE entries
   come last: the dimensions of the box that the primitive computes, its step the whole of what is left. */
typedef enum ty_exec { TY_EXEC_SEQUENTIAL, TY_EXEC_SHARED, TY_EXEC_PRIMITIVE } ty_exec;

typedef struct ty_dim {
    ty_dim_type type;
    int64_t size;
    int64_t stride[3]; /* elements, by ty_side; 0 where the operand does not step */
} ty_dim;

typedef struct ty_loop {
    int dim;
    ty_exec exec;
    int64_t step; /* elements of the dimension in one step */
} ty_loop;
/* Each dimension has one PRIMITIVE entry, whose step is that of the innermost loop over it, or its size (1 at
   least). The steps of loops over one dimension get smaller inwards.  No loops at all: everything is the box.
 */

/* An operand counts as 0 where (its offset along an axis) = first * coefficient[0] + second * coefficient[1]
   + low is not in 0 .. size-1: padding that is nowhere in memory. */
typedef struct ty_guard {
    ty_side side;
    int dim[2]; /* -1: none */
    int64_t coefficient[2];
    int64_t low, size;
} ty_guard;

/* How an operand reaches the primitive.  NONE: read where it lies.  PANELS: copied into the order in which
   the register kernel reads it.  FOOTPRINT: the places that the box touches (windows touch some many times)
   copied once, padding as zeros, and read there.  WHOLE: panels of the whole operand, made once before all
   loops. */
typedef enum ty_packing { TY_PACK_NONE, TY_PACK_PANELS, TY_PACK_FOOTPRINT, TY_PACK_WHOLE } ty_packing;

/* What computes the box.  LANES: the innermost C dimension is the vector (depthwise convolutions, batches of
   slivers), or the innermost M dimension where it is long and has unit steps in left and out.  FLAT: no M and
   N, or nothing is summed: a reduction or a map of products. */
typedef enum ty_primitive {
    TY_PRIMITIVE_GEMM,
    TY_PRIMITIVE_BRGEMM,
    TY_PRIMITIVE_LANES,
    TY_PRIMITIVE_FLAT,
    TY_PRIMITIVE_SCALAR
} ty_primitive;

typedef struct ty_contraction {
    ty_dtype dtype[3]; /* of left, right, out */
    ty_dtype sums; /* of products and sums: what operands and out promote to; out is narrowed at the end */
    int ndims, nloops, nguards;
    ty_dim dims[TY_CONTRACTION_DIMS];
    ty_loop loops[TY_CONTRACTION_LOOPS]; /* outermost first */
    ty_guard guards[TY_CONTRACTION_GUARDS];
    int64_t offset[3]; /* elements, where each operand begins */
    ty_primitive primitive;
    struct {
        ty_packing kind;
        int loop; /* into loops.  What one step of it holds of the operand is packed once, box by box as they
                     are met, and kept until the next step; -1: kept to the end */
    } packing[2];
    bool bypass;  /* out is written once and is not seen soon: it goes past the caches */
    bool swapped; /* left is the caller's right operand and the other way round */
    /* The operand is the same memory with the same values in all runs of a plan: what is packed WHOLE of it
       is packed in the first one and kept with the plan. */
    bool constant[2];
    /* 0, 1: none; else the steps of the outermost K loop are cut into so many spans (span i has steps
       trips * i / spans on), which are summed apart, by any thread, and added up in order. */
    int64_t spans;
    /* Additions and multiplications, as ty_einsum_report counts; least traffic; what the model predicts. */
    double flops, bytes, seconds;
    /* Why the last call failed; "": it did not.  With a sentence a configuration is neither optimised,
       compiled nor written, until ty_contraction_check finds it well. */
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
/* Runs the compiler's passes for the engine of this thread; what is in c->loops before is dropped.  threads
   0: ty_threads().  The order of sums depends on sizes alone, not on threads nor on ty_workspace(). */
TY_API bool ty_contraction_optimise(ty_contraction *c, int threads);
/* Whether the configuration is one: types agree with strides, loops cover every dimension once and are in
   order, none over K is shared, and, where bytes is not NULL, operands stay in buffers of so many bytes. */
TY_API bool ty_contraction_check(ty_contraction *c, const int64_t bytes[3]);
/* Dimensions, loops, packing and figures in lines; ended with ty_free.  NULL: no memory. */
TY_API char *ty_contraction_text(const ty_contraction *c);

/* The configuration as JSON, or "error: ..." when it is none; ended with ty_free.  NULL: no memory. */
TY_API char *ty_contraction_json(const ty_contraction *c);
/* Reads what ty_contraction_json wrote, strictly: unknown fields, wrong types and invalid configurations
 * fail. */
TY_API bool ty_contraction_read(ty_contraction *c, const char *json, size_t n);
/* The same to and from a file. */
TY_API bool ty_contraction_save(ty_contraction *c, const char *path);
TY_API bool ty_contraction_load(ty_contraction *c, const char *path);

/* A configuration ready to run, as it stands, on the engine of this thread.  NULL: no memory. */
typedef struct ty_contraction_plan ty_contraction_plan;
TY_API ty_contraction_plan *ty_contraction_compile(const ty_contraction *c);
/* Why it cannot run; "" when it can. */
TY_API const char *ty_contraction_plan_error(const ty_contraction_plan *plan);
/* Bytes that a run takes besides the operands: copies, waiting sums and the like of all threads.  What is
   kept of constant operands does not count. */
TY_API int64_t ty_contraction_plan_workspace(const ty_contraction_plan *plan);
/* Overwrites what the dimensions reach of out.  The pointers are to element 0 of the buffers of the caller's
   left, right and out (whatever c.swapped says); out overlaps neither other.  One run at a time for a plan.
   False: it cannot run (ty_contraction_plan_error). */
TY_API bool ty_contraction_run(ty_contraction_plan *plan, const void *left, const void *right, void *out);
TY_API void ty_contraction_plan_release(ty_contraction_plan *plan); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
