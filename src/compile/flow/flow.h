/*
 * The flat form of a graph: kernels in the order in which they run, and the blocks of memory between
 * them.  operand.slot is the number of a block, so the kernels themselves are the graph: nothing else
 * remembers edges.  Views make no kernel; they are layouts over somebody's block.
 */
#ifndef COMPILE_FLOW_FLOW_H
#define COMPILE_FLOW_FLOW_H
#include <tyto/graph.h>
#include "base/arena.h"
#include "ops/core/op.h"

enum block_kind {
    BLOCK_VARIABLE,  /* a leaf that each run reads where it lies then */
    BLOCK_CONSTANT,  /* a leaf of fixed value */
    BLOCK_TEMPORARY, /* in the arena, from its writer to its last reader */
    BLOCK_OUTPUT,    /* a result of the program, in a buffer of its own */
    BLOCK_UPDATE,    /* the next value of a variable, written over the present one where possible */
    BLOCK_KEPT,      /* what an engine makes of constants once, in memory of the program's */
    BLOCK_KINDS
};

struct block {
    enum block_kind kind;
    ty_dtype dtype;
    bool kept;    /* somebody outside the kernels wants it: an output, an update */
    bool stays;   /* TEMPORARY of an incremental program: its value is read in later runs too */
    int argument; /* VARIABLE of an evaluation: which argument is read; -1: the leaf itself */
    int variable; /* UPDATE, or the next value of a carry: the block of what it is written over; -1: nobody reads that */
    int update; /* VARIABLE: the block that is written over it; -1: none */
    int writer; /* the kernel that writes it, of several boxes the last one; -1 for leaves and empty blocks.
                            See flow_index */
    int whole;  /* the block that it is a box of; -1: it lies in memory of its own */
    struct layout box;   /* how its elements, row-major in this shape, lie in that one */
    int64_t size, bytes; /* elements, bytes */
    int64_t low,
        high; /* elements between which there is memory: all, or of a leaf those that its strides reach */
    ty_tensor *leaf;  /* VARIABLE, CONSTANT, UPDATE: the tensor; the flow holds a reference */
    const char *name; /* "" for none */
};

struct flow_update {
    int variable;         /* index into the caller's updates */
    ty_tensor *leaf;      /* the variable */
    struct operand value; /* its next value, dense or not */
};

/* Of the body of a loop: a parameter and the output that is its next value. */
struct flow_carry {
    int parameter, output;
    bool in_place; /* both lie in one place: the output's writer is the last to read the parameter */
};

/*
 * Of an incremental program: what depends on which variables, as sets of labels.  Each variable that is expected to
 * change has a label, or shares one where there are more than labels, which makes sets larger and never wrong.  Equal
 * sets are one class: the kernels of a class run together or not at all, so what they write for each other may lie where
 * others write meanwhile, and only what a kernel of another class reads must stay.
 */
enum { LABEL_WORDS = 4, LABEL_ALWAYS = 0, MOST_LABELS = 64 * LABEL_WORDS };
struct labels {
    uint64_t words[LABEL_WORDS];
};
struct classes {
    bool wanted; /* the program is incremental; the variables that are expected to change, 0: all are */
    int nchanging;
    ty_tensor *const *changing;
    int n;               /* 0: the program is not incremental, or it is too early */
    struct labels *sets; /* of each class */
    int *of_block;       /* the class of what writes a block */
    int *label;          /* of VARIABLE blocks; -1: that one is not expected to change */
    int foreign;         /* constants that others may write (flow_foreign) */
};

struct flow {
    struct arena arena;
    struct block *blocks;
    struct kernel *kernels;
    struct operand *outputs; /* of the program: whole blocks, dense, or a constant as it lies */
    struct flow_update *updates;
    struct flow_carry *carries; /* ncarries of them */
    int ncarries;
    ty_tensor **held; /* nodes whose attributes the kernels use; the flow holds references */
    int nblocks, nkernels, noutputs, nupdates, nheld;
    int block_room, kernel_room, held_room;
    int *use_start, *use_kernel; /* kernels that read block b: use_kernel[use_start[b] .. use_start[b+1]) */
    struct classes classes;
    int *write_start, *write_kernel; /* the same of kernels that write it: several where they write boxes */
};

void flow_drop(struct flow *f);
/* Room for what so many nodes become, so that it need not move while it grows. */
bool flow_expect(struct flow *f, int64_t nodes, struct fault *fault);
/* The number of a new block, or -1 after a fault.  Takes a reference to leaf (may be NULL). */
int flow_add_block(struct flow *f, enum block_kind kind, ty_dtype dtype, int64_t size, ty_tensor *leaf,
                   struct fault *fault);
/* A zeroed kernel at the end, or NULL after a fault. */
struct kernel *flow_add_kernel(struct flow *f, struct fault *fault);
/* Keeps a node, and so what its attributes refer to, as long as the flow lives. */
bool flow_hold(struct flow *f, const ty_tensor *node, struct fault *fault);
/* Adds a kernel that copies `from` into `to`, which is dense and has from's shape. */
bool flow_add_copy(struct flow *f, const struct operand *from, int to, struct fault *fault);
/* Finds the writer and the readers of every block anew; a kernel that reads a block twice counts once. */
bool flow_index(struct flow *f, struct fault *fault);
/* The first kernel after number `after` and before number `before` that writes what the operand reads, as far as its
   first and its last element tell; -1: none. */
int flow_next_writer(const struct flow *f, const struct operand *x, int after, int before);
/* Whether launching kernel k may fail, because of values that it reads.  The others cannot: so a run that is to
   change nothing when it fails has kernels that may refuse before those that write over variables. */
bool kernel_may_refuse(const struct flow *f, const struct kernel *k);
/* Whether a kernel that refuses has written nothing yet. */
bool kernel_looks_first(const struct kernel *k);
/* Whether kernel k writes over a variable. */
bool kernel_updates(const struct flow *f, const struct kernel *k);
/* Whether it writes over something that others read before: a variable, the carry of a loop. */
bool kernel_writes_over(const struct flow *f, const struct kernel *k);
/* Whether the kernels stand in such an order; false with the pair that does not. */
bool flow_check_updates(const struct flow *f, struct fault *fault);
/* Whether the operand is all of its block, row-major. */
bool operand_is_whole(const struct flow *f, const struct operand *o);
/* A dense operand over all of a block in the given shape (storage stays the caller's). */
struct operand operand_whole(const struct flow *f, int block, int rank, int64_t *shape, int64_t *strides);

/*
 * Boxes (flow_box.c): a block may lie inside a larger one.  Until the order of kernels is known, operands name blocks as
 * if each had memory of its own, so that who waits for whom is seen part by part; flow_lay_boxes then makes them operands
 * of the larger blocks.  KERNEL_NONE stands for "all parts of this block are there" and goes then.
 */
/* Where the elements that `x` reaches in a dense block lie when the block is `box`: x's shape, into *out (a room).  False
   where no strides say it. */
bool box_layout(const struct layout *box, const struct layout *x, struct layout_room *out);
/* The same of an operand, inside of its guard. */
bool operand_box(const struct layout *box, const struct operand *x, struct layout_room *out);
bool flow_lay_boxes(struct flow *f, struct fault *fault);
/* Whether an operand of the kernel is a box, or becomes one of a larger block. */
bool flow_touches_boxes(const struct flow *f, const struct kernel *k);

/* Who must run before whom: writers before readers, readers of a variable before what overwrites it. */
struct edges {
    int *start, *to; /* successors of kernel k: to[start[k] .. start[k+1]), maybe repeated */
    int *before;     /* how many edges arrive */
};
bool edges_build(struct edges *e, const struct flow *f, struct fault *fault);
void edges_drop(struct edges *e);

/* ---- what depends on what (flow_classes.c) ---- */

/* Finds the classes anew, where they are wanted, in kernels that stand in an order in which they can run. */
bool flow_classify(struct flow *f, struct fault *fault);
void classes_drop(struct classes *c);
/* The class of kernel k; that of its outputs. */
static inline int class_of(const struct flow *f, const struct kernel *k) {
    return f->classes.of_block[k->outputs[0].slot];
}
/* Whether what writes both blocks runs in the same runs. */
static inline bool same_class(const struct flow *f, int a, int b) {
    return !f->classes.n || f->classes.of_block[a] == f->classes.of_block[b];
}
/* How many constants, of bodies too, others may write by now: a number that never falls. */
int flow_foreign(const struct flow *f);
/* Whether all that kernels of other classes read stays; false with the first block that does not. */
bool flow_check_classes(const struct flow *f, struct fault *fault);

/* ---- from a graph to a flow (flow_lower.c) ---- */

/* Fills an empty flow.  walk: the order of what outputs and updates are computed from.  updates[i].variable are op_input
   leaves.  parameters: NULL, or, of a body, how what it is given lies, by number of the parameter. */
struct walk;
bool flow_lower(struct flow *f, const struct walk *walk, const struct layout *parameters, int n,
                ty_tensor *const *outputs, int nupdates, const ty_update *updates, struct fault *fault);
#endif
