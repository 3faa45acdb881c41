/*
 * Graphs seen from outside: nodes in order, their operands, readers, names and attributes; new graphs in which nodes are
 * replaced.  Part of <tyto/tyto.h>, which states the rules that hold for all functions.
 *
 * The nodes of a graph are tensors.  A promise is computed from its operands, and so is a value with a history
 * (ty_track).  Other values are leaves: a computed value does not remember its operands.  A promise of a value (ty_lazy)
 * has the operator "constant" and the value as its operand; a variable (ty_var) has no operands.
 *
 * A tensor does not know its readers, because later calls may add some.  So readers are asked for inside a given graph.
 *
 * An operator with several results, such as "loop", is a node of its own without elements.  Each result is a node
 * "result" that reads it.
 */
#ifndef TYTO_WALK_H
#define TYTO_WALK_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- nodes of a graph ---- */

/* The nodes that lead to some tensors, numbered from 0.  It never changes; threads may share it. */
typedef struct ty_walk ty_walk;

/* List the n tensors `roots` and everything that they are computed from.  Each node is listed once, after its
   operands; the order depends on the graph alone.  An eager variable stands for its present value.  The list holds
   references to the roots.  Never NULL: ty_walk_error returns the reason of a failure.  The caller frees it with
   ty_walk_free. */
TY_API ty_walk *ty_walk_new(int n, ty_tensor *const *roots);
/* Free a walk.  NULL is allowed. */
TY_API void ty_walk_free(ty_walk *walk);
/* Return the error message of a walk, "" if it is valid.  The text lives as long as the walk. */
TY_API const char *ty_walk_error(const ty_walk *walk);
/* Return the error of a walk as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.  NULL
   if it is valid. */
TY_API ty_tensor *ty_walk_failure(const ty_walk *walk);

/* Return the number of nodes; 0 for a failed walk. */
TY_API int64_t ty_walk_nodes(const ty_walk *walk);
/* Return a node, which the walk owns; ty_retain keeps it.  Operands have lower numbers than their readers.  Poison if
   the number is outside of 0 .. ty_walk_nodes(walk)-1. */
TY_API ty_tensor *ty_walk_node(const ty_walk *walk, int64_t node);
/* Return the number of the node x, -1 if x is not in the walk. */
TY_API int64_t ty_walk_index(const ty_walk *walk, const ty_tensor *x);
/* Return the number of the node that is operand i, counted from 0, of a node (ty_operands); -1 if there is none. */
TY_API int64_t ty_walk_operand(const ty_walk *walk, int64_t node, int i);
/* Return how many operands of nodes in the walk a node is.  A node that reads it twice counts twice.  0 if there is no
   such node. */
TY_API int64_t ty_walk_consumers(const ty_walk *walk, int64_t node);
/* Return the number of the node that is consumer i, counted from 0, of a node, in ascending order; -1 if there is none.
   *operand, unless NULL, receives the index of the operand, also -1 then. */
TY_API int64_t ty_walk_consumer(const ty_walk *walk, int64_t node, int64_t i, int *operand);
/* Return the number of the first node from number `from` on that has this name (ty_named, ty_var); -1 if there is none.
   A node that was renamed since ty_walk_new is not found. */
TY_API int64_t ty_walk_find(const ty_walk *walk, const char *name, int64_t from);

/* Orders of a visit. */
typedef enum ty_walk_order {
    TY_OPERANDS_FIRST, /* each node after its operands, by ascending number */
    TY_CONSUMERS_FIRST /* each node before its operands, by descending number */
} ty_walk_order;

/* A function of the caller that is called with a node x and its number.  False ends the visit. */
typedef bool (*ty_node_visitor)(void *context, int64_t node, ty_tensor *x);
/* Visit a node and everything that it is computed from, each once.  Returns the number of visited nodes; -1, with the
   reason in *error (NULL: not wanted), if there is no such node or memory runs out: then nothing was visited. */
TY_API int64_t ty_walk_ancestors(const ty_walk *walk, int64_t node, ty_walk_order order,
                                 ty_node_visitor visit, void *context, ty_tensor **error);
/* Visit a node and everything in the walk that is computed from it, as ty_walk_ancestors does. */
TY_API int64_t ty_walk_descendants(const ty_walk *walk, int64_t node, ty_walk_order order,
                                   ty_node_visitor visit, void *context, ty_tensor **error);

/* ---- attributes and bodies ---- */

/* Kinds of attributes. */
typedef enum ty_attribute_kind {
    TY_ATTRIBUTE_INTEGER,
    TY_ATTRIBUTE_REAL,
    TY_ATTRIBUTE_FLAG,  /* 0 or 1 */
    TY_ATTRIBUTE_DTYPE, /* a ty_dtype, or -1 for none */
    TY_ATTRIBUTE_NAME,  /* one of some names, which are numbered from 0 */
    TY_ATTRIBUTE_AXES,  /* the axes of a set, ascending */
    TY_ATTRIBUTE_BODY,  /* the number of a body (ty_bodies), from 0 */
    TY_ATTRIBUTE_KINDS
} ty_attribute_kind;

/* An attribute of an operator. */
typedef struct ty_attribute {
    char
        name[32]; /* ends in 0; "windows.stride" is the member `stride` of each entry of the list `windows` */
    ty_attribute_kind kind;
    bool list;     /* it has any number of values, else one */
    int64_t count; /* number of values */
} ty_attribute;

/* Return the number of attributes of the operator that made x: those that saved graphs have (ty_graph_save).  Dtype and
   shape are not among them.  0 if x has no operator, or is a call of the user's function. */
TY_API int ty_attributes(const ty_tensor *x);
/* Describe attribute i, counted from 0, of the operator that made x.  False, and *attribute is all 0, if there is none. */
TY_API bool ty_attribute_at(const ty_tensor *x, int i, ty_attribute *attribute);
/* Write the first values of an attribute to values[0 .. capacity), and return the number of all.  Sets of 64 bits
   and seeds keep their bits.  -1 if x has no attribute of this name, or it is of the kind TY_ATTRIBUTE_REAL.  `values`
   may be NULL if `capacity` is 0. */
TY_API int64_t ty_attribute_integers(const ty_tensor *x, const char *name, int64_t capacity, int64_t *values);
/* Write the first values of an attribute of any kind to values[0 .. capacity) as real numbers, and return the number of
   all; -1 if x has no attribute of this name.  `values` may be NULL if `capacity` is 0. */
TY_API int64_t ty_attribute_reals(const ty_tensor *x, const char *name, int64_t capacity, double *values);
/* Return value i, counted from 0, of an attribute of the kind TY_ATTRIBUTE_NAME or TY_ATTRIBUTE_DTYPE as a word, such as
   "normal" or "f32": static text.  "" if there is none, or the kind is another one. */
TY_API const char *ty_attribute_word(const ty_tensor *x, const char *name, int64_t i);

/* Return the number of bodies of the operator that made x: 1 of a loop, one for each branch of a branch, else 0.  For a
   result of such an operator, ask its operand. */
TY_API int ty_bodies(const ty_tensor *x);
/* Return the number of outputs of body i, counted from 0, of the operator that made x; 0 if there is no such body. */
TY_API int ty_body_outputs(const ty_tensor *x, int i);
/* Return output k, counted from 0, of body i of the operator that made x; the scope shares it.  It is a promise whose
   leaves are parameters: nodes of the operator "parameter" with the attribute "number".  Programs with equal bodies share
   them, so do not rename nodes of bodies.  Poison if there is no such output. */
TY_API ty_tensor *ty_body_output(const ty_tensor *x, int i, int k);

/* ---- new graphs from old ones ---- */

/*
 * Set results[i] to roots[i] computed with replacements[k] in place of originals[k], for nroots roots and n originals.
 *
 * Nodes never change.  Promises that depend on an original are recorded anew, with their attributes, names and lines
 * of source; all other nodes are shared with the old graph.  A replacement may be computed from its original, which
 * stays as it is there.  Promises that read an original stay promises if a value replaces it.
 *
 * Values cannot be computed anew: the history of a tracked value is for gradients, without what was detached or read.
 * So a tracked value that depends on an original is an error, unless it is replaced, too.
 *
 * A replacement may have another dtype or shape.  Operators that do not accept it fail with their own errors.  Bodies of
 * loops and branches stay as they are.  False on failure, also if an original is not in the graph of the roots: all
 * results are then poisoned.
 */
TY_API bool ty_replace(int n, ty_tensor *const *originals, ty_tensor *const *replacements, int nroots,
                       ty_tensor *const *roots, ty_tensor **results);

/* A pass of the caller's.  x is a node of the old graph; y is the same node, recorded anew if one of its operands was
   replaced, else x.  Returns the node that takes its place, or NULL for y. */
typedef ty_tensor *(*ty_pass)(void *context, ty_tensor *x, ty_tensor *y);
/* Set results[i] to roots[i], for n roots, computed from what `pass` returns for each node, leaves included.  Operands
   come first, each node once; nodes that `pass` has made are not visited.  Otherwise as ty_replace. */
TY_API bool ty_transform(ty_pass pass, void *context, int n, ty_tensor *const *roots, ty_tensor **results);

#ifdef __cplusplus
}
#endif
#endif
