/* The configuration of a contraction, which <tyto/contraction.h> hides: dimensions, loops, guards and packing. */
#ifndef CONTRACT_CONFIGURATION_H
#define CONTRACT_CONFIGURATION_H
#include "base/for_command.h"
#include <tyto/contraction.h>

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

/* A configuration.  One that a handle owns was allocated; others lie anywhere, zeroed first. */
struct ty_contraction {
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
    ty_code code; /* of the error; E_NONE if there is none */
};

/* Fill *c as ty_contraction_new makes a configuration.  False, with c->error, on failure. */
bool contraction_from(ty_contraction *c, const char *equation, const ty_contraction_operand *left,
                      const ty_contraction_operand *right, const ty_contraction_operand *out)
    FOR_COMMAND(contraction_from);
/* Fill *c from n bytes of JSON, as ty_contraction_read does.  False on failure: *c is then cleared, its ndims is -1,
   and c->error gives the reason. */
bool contraction_from_json(ty_contraction *c, const char *json, size_t n);
/* Fill *c from the file `path`, as ty_contraction_load does; failures as of contraction_from_json. */
bool contraction_from_file(ty_contraction *c, const char *path) FOR_COMMAND(contraction_from_file);
/* Return a zeroed configuration for a public function to fill and return; without memory a static one that has
   failed. */
ty_contraction *contraction_empty(void);
/* True of the static configuration of contraction_empty, which must stay as it is. */
bool contraction_is_static(const ty_contraction *c);
#endif
