/*
 * An einsum understood: what is done to each operand alone, and the contractions of two in order.  It depends
 * on the equation, the shapes and the dtype, never on values; it is immutable and shared by counting.
 */
#ifndef OPS_EINSUM_EINSUM_H
#define OPS_EINSUM_EINSUM_H
#include <tyto/contract.h>
#include "ops/contract/contract.h"
#include "ops/einsum/equation.h"

/* An operand before it meets others: axes of size 1 go, letters that stand twice become diagonals, labels
   that nothing else has are summed: here, or, where memory is dear, in its first contraction. */
struct einsum_leaf {
    int rank;       /* as given */
    uint64_t units; /* axes that go because their size is 1 */
    int ndiagonals;
    uint8_t (*diagonals)[2]; /* pairs of axes, one after the other; the diagonal becomes the last */
    uint64_t summed;         /* axes of what is left then, that are summed here */
    struct label_set lonely; /* labels that nothing else has */
    int count;               /* axes after all that, and their labels */
    uint8_t *labels;
    uint8_t *arranged; /* of a constant operand: the order in which its step reads it; else NULL */
};

enum { STEP_LABELS = 96 }; /* contract() takes so many in one call */

/* One contraction: ra, rb and ro labels, numbered from 0 for this step alone; and as they are named. */
struct einsum_step {
    int left, right; /* operand i, or n + k: the result of step k */
    int ra, rb, ro;
    uint8_t *labels;
    uint8_t *named;
    struct pair cost;
    bool constant; /* its operands are the same in every run */
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
    int rank; /* of the result */
    uint8_t output[TY_MAX_RANK];
    int core_rank; /* the same without labels of size 1 */
    uint8_t core[TY_MAX_RANK];
    ty_einsum_options options;
    ty_einsum_report report;
    int widest; /* the step that makes most elements, and how many: the last one's are the result's */
    double most_elements;
};

/* What is asked for; shapes are looked at only while it is made. */
struct einsum_request {
    const char *text;
    int n;
    ty_dtype dtype;
    const int *ranks;
    const int64_t *const *shapes;
    const bool *constant; /* NULL: none */
    ty_einsum_options options;
};
/* NULL with a sentence.  The caller's reference. */
struct einsum *einsum_make(const struct einsum_request *request, struct fault *fault);
struct einsum *einsum_retain(struct einsum *e);
void einsum_release(struct einsum *e);
/* The same from memory, when the like was asked for before: one more reference. */
struct einsum *einsum_find(const struct einsum_request *request, struct fault *fault);
/* Forgets all; part of ty_trim. */
void einsum_trim(void);

/* Parts of einsum_make: labels and sizes of operands and output; diagonals and lonely labels of each operand;
   the sums that the path wants of operands alone. */
bool einsum_label(struct einsum *e, const struct einsum_request *request, struct fault *fault);
bool einsum_leaves(struct einsum *e, struct fault *fault);
void einsum_sum_leaves(struct einsum *e, const struct path *path);

/* The labels of every node of a path's tree, in the order of its axes. */
struct einsum_orders {
    uint8_t *labels[2 * PATH_OPERANDS];
    uint8_t count[2 * PATH_OPERANDS];
};
/* Fills them from the path, and `arranged` of constant leaves.  False: no memory. */
bool einsum_order(struct einsum *e, const struct path *path, struct einsum_orders *chosen);

/* Told of each step when its result is there (of promises: recorded), with its two operands. */
struct einsum_watch {
    void (*step)(void *context, int k, const struct labelled operands[2], const ty_tensor *result);
    void *context;
};
/* The result, of the innermost scope.  x: n operands of the right shapes and dtype.  kept: n + nsteps results
   that are there already, where not NULL, or NULL for none. */
ty_tensor *einsum_run(const struct einsum *e, ty_tensor *const *x, ty_tensor *const *kept,
                      const struct einsum_watch *watch);
/* Operand i as its step takes it: one that is constant is dense, in the order in which it is read. */
ty_tensor *einsum_prepare(const struct einsum *e, int i, ty_tensor *x);
/* Fills the places of steps of constants alone, retained; those of constant operands are filled.  NULL, or
   the poison of the step that failed. */
ty_tensor *einsum_run_constant(const struct einsum *e, ty_tensor **kept);

/* "einsum "ij,jk"" for sentences, cut, into out[EINSUM_NAME]; returns out. */
enum { EINSUM_NAME = 128 };
char *einsum_name(const char *equation, char *out);
/* The path as a table. */
void einsum_text(const struct einsum *e, struct text *t);
/* "ij,jk->ik" of one step. */
void einsum_step_text(const struct einsum *e, int k, struct text *t);
#endif
