/*
 * The flat form of a graph: kernels in the order of execution, and the blocks of memory that they read and
 * write. operand.slot is the index of a block; there are no other edges. Views are layouts over blocks and
 * make no kernels.
 */
#ifndef COMPILE_FLOW_FLOW_H
#define COMPILE_FLOW_FLOW_H
#include <tyto/graph.h>
#include "base/arena.h"
#include "compile/flow/sections.h"
#include "ops/core/op.h"

enum block_kind {
    BLOCK_VARIABLE,  /* a leaf, read from its current memory in each run */
    BLOCK_CONSTANT,  /* a leaf with a fixed value */
    BLOCK_TEMPORARY, /* in the arena, alive from its first write to its last read */
    BLOCK_OUTPUT,    /* a result of the program, in a buffer of its own */
    BLOCK_UPDATE,    /* the next value of a variable, written in place if possible */
    BLOCK_KEPT,      /* data that an engine makes from constants once, owned by the program */
    BLOCK_KINDS
};

/* A block of memory. */
struct block {
    enum block_kind kind;
    ty_dtype dtype;
    bool kept;           /* used outside the kernels: an output or update */
    bool stays;          /* TEMPORARY of an incremental program whose value later runs read */
    int argument;        /* VARIABLE of an evaluation: index of the argument to read; -1: the leaf */
    int variable;        /* UPDATE or next carry: the block that it overwrites; -1: that is not read */
    int update;          /* VARIABLE: the block written over it; -1: none */
    int writer;          /* the last kernel that writes it; -1: leaf or empty block. Set by flow_index */
    int whole;           /* the larger block that contains it as a box; -1: none */
    struct layout box;   /* layout of its elements, row-major in this shape, in `whole` */
    int64_t size, bytes; /* number of elements; bytes */
    int64_t low, high;   /* range of elements with memory; for a leaf the ones its strides reach */
    ty_tensor *leaf;     /* VARIABLE, CONSTANT, UPDATE: the tensor, retained */
    const char *name;    /* "" if it has none */
};

/* An update of a variable. */
struct flow_update {
    int variable;         /* index into the caller's updates */
    ty_tensor *leaf;      /* the variable */
    struct operand value; /* its next value, of any layout */
};

/* A carry of a loop body: its parameter and the output with its next value. */
struct flow_carry {
    int parameter, output;
    bool in_place; /* both share memory: the writer of the output is the last reader of the parameter */
};

/*
 * Dependence on variables in an incremental program, as sets of labels. Each variable that is expected to
 * change has a label. If there are too many variables they share labels, which makes sets larger but never
 * wrong. Kernels with equal sets form a class and run together or not at all. Only values that another class
 * reads must survive a run.
 */
enum { LABEL_WORDS = 4, LABEL_ALWAYS = 0, MOST_LABELS = 64 * LABEL_WORDS };
/* A bit set of labels. */
struct labels {
    uint64_t words[LABEL_WORDS];
};
/* The classes of a flow; see above. */
struct classes {
    /* the program is incremental; changing[nchanging]: variables expected to change, 0 of them: all */
    bool wanted;
    int nchanging;
    ty_tensor *const *changing;
    int n;               /* number of classes; 0: not incremental, or not classified yet */
    struct labels *sets; /* by class */
    int *of_block;       /* class of the kernel that writes the block */
    int *label;          /* label of each VARIABLE block; -1: not expected to change */
    int foreign;         /* number of constants in memory that others may write (flow_foreign) */
};

/* A flow; owns its arrays and arena. Free by flow_drop. */
struct flow {
    struct arena arena;
    struct block *blocks;
    struct kernel *kernels;
    struct operand *outputs; /* whole blocks, dense, or a constant in its layout */
    struct operand
        *forms; /* by output: its dtype and shape, dense; outputs of dtypes for storage are bytes */
    struct flow_update *updates;
    struct flow_carry *carries; /* ncarries of them */
    int ncarries;
    ty_tensor **held; /* nodes whose attributes kernels use, retained */
    int nblocks, nkernels, noutputs, nupdates, nheld;
    int block_room, kernel_room, held_room;
    /* readers of block b: use_kernel[use_start[b]] .. use_kernel[use_start[b + 1] - 1] */
    int *use_start, *use_kernel;
    struct classes classes;
    bool stoppable;                  /* kernels that write over variables run last */
    int *write_start, *write_kernel; /* writers of block b, in the same form */
    struct sections sections;        /* kernels that run side by side; none until sections_apply */
};

/* Free all that the flow holds and set *f to 0. */
void flow_drop(struct flow *f);
/* Reserve capacity for the blocks and kernels of this number of nodes. False after a fault. */
bool flow_expect(struct flow *f, int64_t nodes, struct fault *fault);
/* Append a block of `size` elements and return its index, or -1 after a fault. Retain leaf, which may
   be NULL. */
int flow_add_block(struct flow *f, enum block_kind kind, ty_dtype dtype, int64_t size, ty_tensor *leaf,
                   struct fault *fault);
/* Append a zeroed kernel. NULL after a fault. The pointer is valid until the next call. */
struct kernel *flow_add_kernel(struct flow *f, struct fault *fault);
/* Retain a node, and so its attributes, which kernels point to, until flow_drop. False after a fault. */
bool flow_hold(struct flow *f, const ty_tensor *node, struct fault *fault);
/* Append a kernel that copies `from` to block `to`, dense in the shape of `from`. False after a fault. */
bool flow_add_copy(struct flow *f, const struct operand *from, int to, struct fault *fault);
/* Rebuild the lists of readers and writers of each block, each kernel once, and block->writer. False
   after a fault. */
bool flow_index(struct flow *f, struct fault *fault);
/* Return the first of kernels after + 1 .. before - 1 that writes elements within the extent of operand x, or
   -1. */
int flow_next_writer(const struct flow *f, const struct operand *x, int after, int before);
/* True if launching kernel k may fail because of values that it reads. Such kernels run before kernels that
   write over variables, so that a failing run changes nothing. */
bool kernel_may_refuse(const struct flow *f, const struct kernel *k);
/* True if kernel k writes over a variable. */
bool kernel_updates(const struct flow *f, const struct kernel *k);
/* True if kernel k writes over a variable or a loop carry. */
bool kernel_writes_over(const struct flow *f, const struct kernel *k);
/* Check that no kernel that may refuse comes after one that writes over a variable, and in a program that can be
   stopped no other kernel either. False, with a fault that names both, if one does. */
bool flow_check_updates(const struct flow *f, struct fault *fault);
/* True if operand o is all of its block, in row-major order, without a guard. */
bool operand_is_whole(const struct flow *f, const struct operand *o);
/* True if operands x and y read the same elements of the same block. */
bool operand_same(const struct operand *x, const struct operand *y);
/* Return a dense operand over a whole block, of this shape. It uses the caller's arrays; strides[] is filled
   in. */
struct operand operand_whole(const struct flow *f, int block, int rank, int64_t *shape, int64_t *strides);

/*
 * Boxes (flow_box.c): blocks inside larger blocks. Until kernels are ordered, operands refer to boxes as
 * blocks of their own, so dependences are exact. flow_lay_boxes then rewrites them as operands of the larger
 * blocks. A KERNEL_NONE kernel marks that all parts of a block exist; it is removed.
 */
/* Compute into *out the layout of the elements that x addresses in a dense block, when the block is laid out
   as `box` in a larger one. The result has the shape of x. False: strides cannot express it. */
bool box_layout(const struct layout *box, const struct layout *x, struct layout_room *out);
/* Compute into *out the layout of operand x of a dense block, when the block is laid out as `box` in a larger
   one; only elements inside x's guard count. False: strides cannot express it. */
bool operand_box(const struct layout *box, const struct operand *x, struct layout_room *out);
/* Rewrite operands of blocks that are boxes of larger blocks as operands of these. False after a fault. */
bool flow_lay_boxes(struct flow *f, struct fault *fault);
/* True if an operand of kernel k is in a block that is a box of a larger one. */
bool flow_touches_boxes(const struct flow *f, const struct kernel *k);

/* Dependences between kernels: writers before readers, readers of a variable before the kernel that
   overwrites it. */
struct edges {
    int *start, *to; /* successors of kernel k: to[start[k]] .. to[start[k + 1] - 1], possibly repeated */
    int *before;     /* number of incoming edges */
};
/* Build the dependences between the kernels of f into *e. False after a fault; call edges_drop in either
   case. */
bool edges_build(struct edges *e, const struct flow *f, struct fault *fault);
/* Free the edges and set *e to 0. */
void edges_drop(struct edges *e);

/* ---- classes of incremental programs (flow_classes.c) ---- */

/* Find the classes of blocks that are computed in the same runs of an incremental program, if they are
   wanted. Kernels must be in an executable order. False after a fault. */
bool flow_classify(struct flow *f, struct fault *fault);
/* Free the classes; the fields wanted and changing stay. */
void classes_drop(struct classes *c);
/* Return the class of kernel k, an index: the set of variables that its result depends on. The program must
   be incremental. */
static inline int class_of(const struct flow *f, const struct kernel *k) {
    return f->classes.of_block[k->outputs[0].slot];
}
/* True if the writers of blocks a and b run in the same runs, or the program is not incremental. */
static inline bool same_class(const struct flow *f, int a, int b) {
    return !f->classes.n || f->classes.of_block[a] == f->classes.of_block[b];
}
/* Return the number of constants, also in loop bodies, whose memory others than the library may write by now.
   It never falls. */
int flow_foreign(const struct flow *f);
/* True if k, or a kernel of its bodies, runs code of the user. */
bool kernel_calls_user(const struct kernel *k);
/* Check that every TEMPORARY block that another class reads stays between runs. False, with a fault that
   names it, if not. */
bool flow_check_classes(const struct flow *f, struct fault *fault);

/* ---- lowering (flow_lower.c) ---- */

struct walk;
/* Walk again so that nodes with effects come in the order of recording; w is a walk from the n roots.  Operands are
   older than their readers, so this is possible.  False after a fault. */
bool flow_order_effects(struct walk *w, int n, ty_tensor *const *roots, struct fault *fault);
/* Fill an empty flow with kernels and blocks for the nodes of `walk`, which must contain all n outputs and
   nupdates updates. updates[i].variable must be op_input leaves. parameters: NULL, or the layout of each
   parameter of a loop body. False after a fault. */
bool flow_lower(struct flow *f, const struct walk *walk, const struct layout *parameters, int n,
                ty_tensor *const *outputs, int nupdates, const ty_update *updates, struct fault *fault);
#endif
