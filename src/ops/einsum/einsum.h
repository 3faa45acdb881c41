/* An analysed einsum: the preparation of each operand, and the pairwise contractions in order.  It depends on the
   equation, the shapes and the dtype, not on values.  It is immutable and reference-counted. */
#ifndef OPS_EINSUM_EINSUM_H
#define OPS_EINSUM_EINSUM_H
#include "base/for_command.h"
#include <tyto/contract.h>
#include "ops/contract/contract.h"
#include "ops/einsum/equation.h"

/* Preparation of an operand: axes of size 1 are dropped, repeated letters become diagonals, and labels that nothing
   else has are summed: here or, if memory is short, in its first contraction. */
struct einsum_leaf {
    int rank;       /* rank of the given operand */
    uint64_t units; /* bit set of axes dropped because their size is 1 */
    int ndiagonals;
    uint8_t (*diagonals)[2]; /* pairs of axes, applied in order; each diagonal becomes the last axis */
    uint64_t summed;         /* bit set of axes of the remaining tensor that are summed here */
    struct label_set lonely; /* labels that nothing else has */
    int count;               /* number of axes after the preparation, and their labels */
    uint8_t *labels;
    uint8_t *arranged; /* of a constant operand: labels in the order in which its step reads it; else
                          NULL */
};

enum { STEP_LABELS = 96 }; /* maximum number of labels in one call of contract() */

/* One pairwise contraction: ra, rb and ro labels, numbered from 0 within this step.  named: the same in the
   equation's labels. */
struct einsum_step {
    int left, right; /* operand i, or n + k for the result of step k */
    int ra, rb, ro;
    uint8_t *labels;
    uint8_t *named;
    struct einsum_pair cost;
    bool constant; /* all its operands are constant */
};

struct einsum {
    atomic_int refs;
    struct arena arena;
    char *text;
    struct equation equation;
    int n, nsteps;
    ty_dtype dtype;
    bool *constant;
    struct einsum_leaf *leaves;
    struct einsum_step *steps;
    int64_t sizes[PATH_LABELS];
    int rank; /* rank of the result */
    uint8_t output[TY_MAX_RANK];
    int core_rank; /* rank of the result without labels of size 1 */
    uint8_t core[TY_MAX_RANK];
    ty_einsum_options options;
    ty_einsum_report report;
    int widest; /* step with the largest result, and its number of elements; the last step's is the
                   result's */
    double most_elements;
};

/* Arguments of an einsum; the shapes are read only while it is made. */
struct einsum_request {
    const char *text;
    int n;
    ty_dtype dtype;
    const int *ranks;
    const int64_t *const *shapes;
    const bool *constant; /* for each operand, true if it is equal in every run; NULL: none */
    ty_einsum_options options;
};
/* Analyse an einsum: read the equation, check it and find a path. Return a reference owned by the caller;
   NULL, with the fault set, if it is invalid or memory runs out. */
struct einsum *einsum_make(const struct einsum_request *request, struct fault *fault)
    FOR_COMMAND(einsum_make);
/* Add a reference.  Return e. */
struct einsum *einsum_retain(struct einsum *e);
/* Drop a reference; the last one frees e. */
void einsum_release(struct einsum *e) FOR_COMMAND(einsum_release);
/* Analyse an einsum, or return a cached one that is equal. The caller owns the reference; NULL, with the
   fault set, if it is invalid or memory runs out. */
struct einsum *einsum_find(const struct einsum_request *request, struct fault *fault);
/* Drop all cached einsums; part of ty_trim. */
void einsum_trim(void);

/* Part of einsum_make: assign labels and sizes to operands and output. False, with the fault set, if they are
   invalid or memory runs out. */
bool einsum_label(struct einsum *e, const struct einsum_request *request, struct fault *fault);
/* Part of einsum_make: find diagonals of each operand and its lonely labels, which neither the output nor
   another operand has. False, with the fault set, if memory runs out. */
bool einsum_leaves(struct einsum *e, struct fault *fault);
/* Part of einsum_make: have each operand summed, before its first step, over the labels that its node in the
   path does not have. */
void einsum_sum_leaves(struct einsum *e, const struct path *path);

/* Labels of every node of a path's tree, in the order of its axes. */
struct einsum_orders {
    uint8_t *labels[2 * PATH_OPERANDS];
    uint8_t count[2 * PATH_OPERANDS];
};
/* Choose the axis orders of all nodes of the path into *chosen, and `arranged` of constant operands. False if
   memory runs out. */
bool einsum_order(struct einsum *e, const struct path *path, struct einsum_orders *chosen);

/* Observer, called for each step with its operands when its result is computed (of promises: recorded). */
struct einsum_watch {
    void (*step)(void *context, int k, const struct labelled operands[2], const ty_tensor *result);
    void *context;
};
/* Execute an einsum on operands x[] of the right shapes and dtype. kept[] has results that exist already, of
   operands and then of steps, NULL where missing; it may be NULL. `watch` (NULL: none) sees each step. The
   result belongs to the innermost scope; poison on failure. */
ty_tensor *einsum_run(const struct einsum *e, ty_tensor *const *x, ty_tensor *const *kept,
                      const struct einsum_watch *watch) FOR_COMMAND(einsum_run);
/* Return operand i, whose value is x, prepared for its step: diagonals, sums and axes of size 1 removed. If
   it is constant it is also made dense, in the order in which it is read. Poison on failure. */
ty_tensor *einsum_prepare(const struct einsum *e, int i, ty_tensor *x);
/* Compute the steps with only constant operands into kept[], retained; kept[] of constant operands must be
   set. Return NULL, or the poison of the step that failed; earlier results stay in kept[]. */
ty_tensor *einsum_run_constant(const struct einsum *e, ty_tensor **kept);

enum { EINSUM_NAME = 128 };
/* Write the word einsum and the equation in quotes to out[EINSUM_NAME], for messages, cut if it is too long.
   Control characters become '?'. Return out. */
char *einsum_name(const char *equation, char *out) FOR_COMMAND(einsum_name);
/* Append the path of e as a table: operands, flops, bytes and predicted time of each step, and totals. */
void einsum_text(const struct einsum *e, struct text *t) FOR_COMMAND(einsum_text);
/* Append step k (from 0) as an equation, such as "ij,jk->ik". */
void einsum_step_text(const struct einsum *e, int k, struct text *t) FOR_COMMAND(einsum_step_text);
#endif
