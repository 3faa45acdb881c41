/*
 * Rewriting graphs. A single loop visits nodes after their operands, records each node anew on the rewritten
 * operands, then applies a rule to it. Nodes without a change are kept.
 */
#ifndef GRAPH_REWRITE_H
#define GRAPH_REWRITE_H
#include <tyto/graph.h>
#include "graph/walk.h"

/* A graph that passes rewrite in place. `roots` are its outputs; the passes replace them. New nodes belong
   to the innermost scope. */
struct graph {
    int n;
    ty_tensor **roots;
    ty_report *report;
    struct fault *fault;
    const ty_compile_options *options; /* NULL: no rules of the caller in pass_algebra */
    struct shadows *shadows;           /* pairs for options.shadow, or NULL */
    /* number of constants merged into one; this alone does not start another round of passes */
    int64_t alike;
    struct walk *kept; /* cached order of the nodes, valid until a pass changes one; NULL: no cache */
};
/* Return the nodes of g in topological order: the cached walk of g, or *own, which the caller frees by
   walk_drop. NULL after a fault, which is in g->fault. */
const struct walk *graph_order(const struct graph *g, struct walk *own);
/* Free the cached order of g. Call it after nodes have changed. */
void graph_changed(const struct graph *g);

/* A node before and after a rule of pass_algebra. Both are computed and compared (options.shadow). */
struct shadow {
    const char *row;           /* name of the rule */
    ty_tensor *before, *after; /* both retained */
};
/* A growable list of shadows; the list owns its references. */
struct shadows {
    struct shadow *items;
    int n, room;
};
/* Append the pair `before`, `after` with the name `row` of the rewrite, and retain both tensors. False: no
   memory, and nothing was added. */
bool shadows_add(struct shadows *s, const char *row, ty_tensor *before, ty_tensor *after);
/* Release all pairs and free the list. */
void shadows_drop(struct shadows *s);

/* Returns the replacement of x: x for no change, a tensor of the same dtype and shape, or poison to abort.
   A value may replace a promise; it becomes a constant. */
typedef ty_tensor *(*rewrite_rule)(void *context, ty_tensor *x);
/* Apply rule, with `context`, to every node of g, operands first, and replace g->roots. False after a fault,
   which is in g->fault. */
bool rewrite(struct graph *g, rewrite_rule rule, void *context);

/* Return nodes[k] of the walk, recorded again if one of its operands has changed. made[i] is the replacement
   of w->nodes[i] for all i below k. Poison on failure. */
ty_tensor *rewrite_node(const struct walk *w, ty_tensor *const *made, int64_t k);
/* Replace originals[i] by replacements[i], i < n, in the promises that `roots` are computed from. An original
   is replaced with all that it depends on; nodes of a level below `level` are leaves. Write the new outputs,
   which belong to the innermost scope, to `roots`. False after a fault. */
bool substitute(uint16_t level, int n, ty_tensor *const *originals, ty_tensor *const *replacements,
                int nroots, ty_tensor **roots, struct fault *fault);
/* Replace originals[i] by replacements[i] in the graph of `roots`, as `substitute` does, also through the
   history of tracked values; values on that path are computed again. False after a fault. */
bool substitute_history(uint16_t level, int n, ty_tensor *const *originals, ty_tensor *const *replacements,
                        int nroots, ty_tensor **roots, struct fault *fault);
#endif
