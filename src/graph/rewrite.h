/*
 * Rewriting graphs is one loop: operands first, each node rebuilt on what became of its operands and
 * then offered to a rule.  What does not change is not rebuilt.
 */
#ifndef GRAPH_REWRITE_H
#define GRAPH_REWRITE_H
#include <tyto/graph.h>
#include "graph/walk.h"

/* The roots are replaced by what became of them; new nodes belong to the innermost scope. */
struct graph {
    int n;
    ty_tensor **roots;
    ty_report *report;
    struct fault *fault;
    const ty_compile_options *options; /* NULL: none of pass_algebra's */
    struct shadows *shadows;           /* NULL: nobody compares */
    int64_t alike;                     /* constants that became one: no other pass acts for that */
    struct walk *kept; /* the order of the nodes, kept while no pass changes them; NULL: each makes its own */
};
/* The order of the graph's nodes: what is kept of it, or *own, which then is to be dropped.  NULL: no memory. */
const struct walk *graph_order(const struct graph *g, struct walk *own);
/* Nodes have changed: what was kept of their order goes. */
void graph_changed(const struct graph *g);

/* What nodes were before a row of algebra acted on them, and after: to be computed and compared (options.shadow). */
struct shadow {
    const char *row;
    ty_tensor *before, *after; /* retained */
};
struct shadows {
    struct shadow *items;
    int n, room;
};
bool shadows_add(struct shadows *s, const char *row, ty_tensor *before, ty_tensor *after);
void shadows_drop(struct shadows *s);

/* What x becomes: x itself for no change; a tensor of the same dtype and shape; poison to give up.
   A value for a promise is allowed: it becomes a constant. */
typedef ty_tensor *(*rewrite_rule)(void *context, ty_tensor *x);
bool rewrite(struct graph *g, rewrite_rule rule, void *context);

/* nodes[k] of the walk, or, where one of its operands became another, that operator recorded anew on what they
   became: made[i] is what became of w->nodes[i]. */
ty_tensor *rewrite_node(const struct walk *w, ty_tensor *const *made, int64_t k);
/* Puts replacements[i] in the place of originals[i] in what the roots are computed from; `roots` are replaced by what
   became of them, which belongs to the innermost scope.  Nothing below an original changes. */
bool substitute(uint16_t level, int n, ty_tensor *const *originals, ty_tensor *const *replacements,
                int nroots, ty_tensor **roots, struct fault *fault);
/* The same through the history of tracked values, which are computed anew. */
bool substitute_history(uint16_t level, int n, ty_tensor *const *originals, ty_tensor *const *replacements,
                        int nroots, ty_tensor **roots, struct fault *fault);
#endif
