/*
 * Groups of kernels that become one kernel. A group has at most one kernel that is not elementwise, its
 * anchor. Elementwise kernels run in the anchor's epilogue, in the prologue of a reduction, or, without an
 * anchor, as a MAP.
 *
 * Levels exclude cycles: every group has a level, and edges between groups lead to strictly higher ones. A
 * merge computes the level that its outside producers require. It is refused if a consumer that has a level
 * is not above that. No search is needed.
 */
#ifndef COMPILE_PASSES_FUSE_H
#define COMPILE_PASSES_FUSE_H
#include "compile/flow/flow.h"

/* A group of kernels. */
struct group {
    int anchor;         /* kernel that is not elementwise; -1: none */
    int first, last;    /* kernels of the body, linked by fuse.next in any order; -1: none */
    int prologue_first; /* kernels of the prologue, linked likewise; -1: none */
    int newest;         /* its highest kernel */
    bool closed;        /* a loop or branch, which has no epilogue */
    /* instructions of the body; outside operands of the body; operands of the anchor */
    int ninstrs, nextras, ncore;
    int rank; /* iteration space of the body */
    const int64_t *shape;
    int64_t size;
    struct operand *extras; /* in the group's shape */
    struct operand *core;   /* of the anchor or its prologue */
};

/* State of the pass; arrays are indexed by kernel unless said otherwise. */
struct fuse {
    struct flow *flow;
    struct group *groups; /* one per kernel of the unfused flow; valid up to `current` */
    int *next;
    int *parent;         /* union-find of groups; roots point to themselves */
    int *level;          /* by group */
    int *made;           /* the block that the kernel writes */
    const int *writer;   /* by block: its kernel; -1: none */
    int *tried;          /* the attempt in which a group was last found not to merge with the current one */
    int attempt;         /* counts kernels and merges */
    bool *last;          /* elementwise kernels that run last, in a program that can be stopped */
    int *anchors_before; /* number of kernels before k that are not elementwise */
    int current;         /* the kernel being placed */
    struct operand *scratch; /* operands of a merged group */
    const char *reason;      /* why the last merge was refused; NULL: it was not */
    /* why the kernel is not fused with the producer of block apart_from: the first reason found */
    const char **apart;
    int *apart_from;     /* block of that operand */
    struct fault *fault; /* no memory: no more merges */
};
/* Record `reason`, why the current kernel is not fused with the writer of `block`; NULL, or a second reason,
   is ignored. */
void fuse_note(struct fuse *f, int block, const char *reason);

/* Return the group of kernels that will be merged with kernel k, by the number of one of them. */
int fuse_group(struct fuse *f, int k);
/* Begin a group for the current kernel. An elementwise group that only this reduction reads becomes its
   prologue. False after a fault. */
bool fuse_begin(struct fuse *f);
/* Merge groups a and b, of which b is the current kernel's, if allowed. False: not merged; the reason is in
   f->reason, or a fault in f->fault. */
bool fuse_merge(struct fuse *f, int a, int b);
/* Set *out to operand x reshaped to a shape with as many elements. False: strides cannot express it, or no
   memory (fault). */
bool fuse_reshaped(struct fuse *f, const struct operand *x, int rank, const int64_t *shape,
                   struct operand *out);
/* Return the index of an operand in among[n] that reads the same elements as x, or -1. */
int fuse_find(const struct operand *x, int n, const struct operand *among);
/* Remove negations from program p that sums can absorb: a + -b becomes a - b (fuse_signs.c). p may be NULL. */
void fuse_signs(struct program *p);
/* Replace the kernels of the flow by one per group (fuse_emit.c). False after a fault. */
bool fuse_emit(struct fuse *f);
#endif
