/*
 * Makes notes from the nodes of a graph.  A node is written either whole, as an array, or as its element at indices:
 * sums and views need indices, functions of arrays need whole operands.  A node that is written whole but cannot be
 * is defined by its elements first.
 */
#ifndef NOTATION_BUILD_H
#define NOTATION_BUILD_H
#include "base/map.h"
#include "graph/walk.h"
#include "notation/loops.h"
#include "notation/notes.h"

/* How a node is written. */
struct facts {
    const struct notation *row; /* of the operator; NULL: a leaf, or an operator without one */
    int64_t uses;               /* number of times that it is written */
    int size, height; /* of its note: signs and words, levels of operators; parts with names count 1 */
    bool whole;       /* it can be written without indices */
    bool even;        /* it is an array whose elements are all written as one number, such as 1 */
    bool elements;    /* the line that defines it has indices */
    bool defined;     /* it has a line of its own, and a name */
    int in;           /* 1 + the loop on whose step it depends; 0: none */
    char *name;       /* of leaves and defined nodes */
};

struct writing {
    struct arena arena;
    const struct walk *walk;
    struct loops *loops;
    struct facts *facts; /* by node of the walk */
    ty_notation_form form;
    struct map taken; /* hashes of the names in use, as the form writes them */
    bool products;    /* a product of matrices is written whole: those of elements need a sign of their own */
    struct fault *fault;
};

/* The indices at which a node is written: `index` has one for each axis; NULL: the node is written whole. */
struct place {
    int bound; /* number of letters that are in use */
    struct note *const *index;
};

/* Set the facts of all nodes that n roots are written with.  names[i], if not NULL, is the name of root i.  False after
   a fault. */
bool facts_find(struct writing *w, int n, const int64_t *roots, const char *const *names);
/* Set *hash to that of a name as it is written: x2 and x_2 are both x₂ in some forms.  False without memory. */
bool name_hash(const struct writing *w, const char *name, uint64_t *hash);
/* Return a copy of `wanted`, with a number behind if the name is in use; NULL: the first free letter of `letters`. */
char *name_take(struct writing *w, const char *wanted, const char *letters);

/* Return true if node k, an operator on arrays, is written as a function, on whole operands. */
bool is_function(const struct writing *w, int64_t k);
/* Return true if a contraction adds products at indices of its result, for which there is no notation. */
bool contract_adds(const ty_tensor *y);
/* Write the name of node k, and the indices of steps that it has, to all[]; return their number, 0 without memory. */
enum { STEM = 8 + TY_MAX_RANK };
int build_stem(struct writing *w, int64_t k, struct note **all);
/* The same of a stage that is no node: a left side. */
int build_stage(struct writing *w, const struct stage *s, struct note **all);
/* Return the note of t, for the index of loop `loop`. */
struct note *build_index(struct writing *w, int loop);
/* Return the note of the number of steps of a loop, plus a number. */
struct note *build_count(struct writing *w, int loop, int64_t plus);
/* Return the note of node k: its name if it has one. */
struct note *build_node(struct writing *w, int64_t k, const struct place *at);
/* Return the note of node k by its operator. */
struct note *build_defined(struct writing *w, int64_t k, const struct place *at);
/* Return the note of operand i of node k, whose indices are those of axes with equal distance from the last: axes of
   size 1 have index 0, and single numbers none. */
struct note *build_operand(struct writing *w, int64_t k, int i, const struct place *at);
/* Return the note of operand i of node k at one index for each of its axes. */
struct note *build_at(struct writing *w, int64_t k, int i, const struct place *at);
/* Return the place of the only element of a node of `rank` axes if `at` is the whole node, else `at`. */
struct place build_single(struct writing *w, int rank, const struct place *at);
/* Return the letter for an index, of which `bound` are in use. */
struct note *build_letter(struct writing *w, int bound);
/* Return `count` letters for the axes of a result. */
struct note **build_letters(struct writing *w, int bound, int count);
/* Return `body` summed, or the like, over index letters[i] from 0 to sizes[i] - 1, for i < n.  `op` is the operator. */
struct note *build_over(struct writing *w, const char *op, int n, struct note *const *letters,
                        const int64_t *sizes, struct note *body);

static inline const ty_tensor *node_of(const struct writing *w, int64_t k) { return w->walk->nodes[k]; }
/* Return the facts of operand i of node k. */
static inline struct facts *operand_facts(const struct writing *w, int64_t k, int i) {
    return &w->facts[walk_operand(w->walk, k, i)];
}
/* Return true if node k has no operands to write: variables, values, constants. */
static inline bool is_leaf(const struct writing *w, int64_t k) {
    return !walk_enters(w->walk, node_of(w, k)) || node_of(w, k)->op == &op_constant;
}
static inline bool is_single(const ty_tensor *x) { return tensor_size(x) == 1; }

/* Functions of the table of notations (operators.def). */
#define SHAPED(op, whole, build)                                                                             \
    bool whole(const struct writing *w, int64_t k);                                                          \
    struct note *build(struct writing *w, int64_t k, const struct place *at);
#define NOTATION(...)
#define FUNCTION(...)
#define ORDERED(...)
#define OVER(...)
#define BEST(...)
#include "notation/operators.def"
#endif
