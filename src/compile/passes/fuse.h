/*
 * Groups of kernels that become one.  A group has at most one kernel that is not elementwise, its anchor; the
 * elementwise ones run in the anchor's epilogue, in the prologue of a reduction, or, without an anchor, as a
 * MAP.
 *
 * No cycle can arise: every group has a level, and an edge between groups always leads to a strictly
 * higher one.  A merge finds the level that its outside producers ask for and is refused when a
 * consumer that has a level already does not lie above it.  That is exact enough and needs no search.
 */
#ifndef COMPILE_PASSES_FUSE_H
#define COMPILE_PASSES_FUSE_H
#include "compile/flow/flow.h"

struct group {
    int anchor;                  /* kernel, or -1 */
    int first, last;             /* kernels of the body, linked through fuse.next, any order; -1: none */
    int prologue_first;          /* of the prologue; -1: none */
    int newest;                  /* highest number of a kernel in it */
    bool closed;                 /* a loop or branch: it has no epilogue */
    int ninstrs, nextras, ncore; /* of the body; operands of the body from outside; of the anchor */
    int rank;                    /* what the body runs over */
    const int64_t *shape;
    int64_t size;
    struct operand *extras; /* with layouts of the group's shape */
    struct operand *core;   /* the anchor's, or those of its prologue */
};

struct fuse {
    struct flow *flow;
    struct group *groups; /* one per kernel of the unfused flow; valid for kernels before `current` */
    int *next;
    int *parent;       /* of each kernel: union-find of groups; itself at a root */
    int *level;        /* of each group */
    int *made;         /* the block that each kernel makes */
    const int *writer; /* the kernel that makes each block; -1: none */
    int *tried;  /* the attempt in which a group was last found not to merge with the current kernel's */
    int attempt; /* counts kernels and merges */
    int *anchors_before; /* how many kernels before k are not elementwise */
    int current;         /* the kernel that is being placed */
    struct operand *scratch;
    const char *reason; /* why the last merge was refused; NULL: it was not */
    const char *
        *apart; /* of each kernel: why it is not with what makes an operand of it, the first reason found, */
    int *apart_from;     /* and the operand's block */
    struct fault *fault; /* set when memory ran out: nothing merges any more */
};
/* Notes why the current kernel is not joined with what makes `block`. */
void fuse_note(struct fuse *f, int block, const char *reason);

/* The group that kernel k ended up in. */
int fuse_group(struct fuse *f, int k);
/* Puts the current kernel into a group of its own; a reduction takes an elementwise group before it in. */
bool fuse_begin(struct fuse *f);
/* Makes one group of two, b that of the current kernel, where that is allowed; tells whether. */
bool fuse_merge(struct fuse *f, int a, int b);
/* x seen with another shape of as many elements; false: strides forbid it, or no memory (fault). */
bool fuse_reshaped(struct fuse *f, const struct operand *x, int rank, const int64_t *shape,
                   struct operand *out);
/* The operand in n that reads the same elements; -1: none. */
int fuse_find(const struct operand *x, int n, const struct operand *among);
/* Takes the signs out of sums of a program (fuse_signs.c); NULL: nothing to do. */
void fuse_signs(struct program *p);
/* Replaces the kernels of the flow by one for each group (fuse_emit.c). */
bool fuse_emit(struct fuse *f);
#endif
