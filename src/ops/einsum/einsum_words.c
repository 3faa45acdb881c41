/* The path of an einsum as text. */
#include "ops/einsum/einsum.h"

void einsum_step_text(const struct einsum *e, int k, struct text *t) {
    const struct einsum_step *s = &e->steps[k];
    equation_term(&e->equation, t, s->ra, s->named);
    text_add(t, ",");
    equation_term(&e->equation, t, s->rb, s->named + s->ra);
    text_add(t, "->");
    equation_term(&e->equation, t, s->ro, s->named + s->ra + s->rb);
}

/* Append to t a blank and x with three digits and a decimal unit, such as "12.3k", right-aligned to `width`
   characters without the blank. */
static void add_amount(struct text *t, double x, int width) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    int u = 0;
    while (x >= 999.5 && u < 6) x /= 1000, u++;
    if (x >= 999.5)
        text_add(t, " %*.2e", width, x * 1e18);
    else
        text_add(t, " %*.*f%1s", width - 1, u == 0 || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2, x, units[u]);
}

static void add_seconds(struct text *t, double seconds) {
    static const char *const units[] = {"s", "ms", "us"};
    int u = seconds >= 1 ? 0 : seconds >= 1e-3 ? 1 : 2;
    text_add(t, " %7.*f %-2s", 2, seconds * (u == 0 ? 1 : u == 1 ? 1e3 : 1e6), units[u]);
}

/* Append the name of node `id`: the number of an operand (from 0), or "#k" for the result of step k (from 1). */
static void add_node(const struct einsum *e, struct text *t, int id) {
    text_add(t, id < e->n ? "%d" : "#%d", id < e->n ? id : id - e->n + 1);
}

/* Append a line about step k, from 0, to t: operands, equation, costs and the bytes of its result. */
static void add_step(const struct einsum *e, int k, struct text *t) {
    const struct einsum_step *s = &e->steps[k];
    struct text nodes = {0}, what = {0};
    add_node(e, &nodes, s->left);
    text_add(&nodes, ",");
    add_node(e, &nodes, s->right);
    einsum_step_text(e, k, &what);
    text_add(t, "#%-4d %-9s %-28s", k + 1, nodes.data ? nodes.data : "", what.data ? what.data : "");
    t->failed = t->failed || nodes.failed || what.failed;
    text_drop(&nodes);
    text_drop(&what);
    if (s->constant) {
        text_add(t, " once, of constants\n");
        return;
    }
    add_amount(t, s->cost.flops, 8);
    add_amount(t, s->cost.bytes, 8);
    add_amount(t, s->cost.size * (double)dtype_table[e->dtype].size, 8);
    add_seconds(t, s->cost.seconds);
    text_add(t, "\n");
}

/* Append a line to t for each operand that is prepared by diagonals or sums. */
static void add_leaves(const struct einsum *e, struct text *t) {
    for (int k = 0; k < e->n; k++) {
        const struct einsum_leaf *leaf = &e->leaves[k];
        if (!leaf->ndiagonals && !leaf->summed) continue;
        text_add(t, "operand %d:%s%s, leaves ", k, leaf->ndiagonals ? " diagonal" : "",
                 leaf->summed ? leaf->ndiagonals ? ", sum" : " sum" : "");
        equation_term(&e->equation, t, leaf->count, leaf->labels);
        text_add(t, "\n");
    }
}

void einsum_text(const struct einsum *e, struct text *t) {
    static const char *const objectives[] = {"time", "flops", "memory"};
    static const char *const strategies[] = {"", "", " (greedy)", " (left to right)"};
    const ty_einsum_report *r = &e->report;
    text_add(t, "%s: %d operand%s of %s, best in %s%s\n", e->text, e->n, e->n == 1 ? "" : "s",
             ty_dtype_name(e->dtype),
             e->equation.is_tree ? "the order of the tree" : objectives[e->options.objective],
             e->equation.is_tree ? "" : strategies[e->options.strategy]);
    add_leaves(e, t);
    if (e->nsteps)
        text_add(t, "%-5s %-9s %-28s %8s %8s %8s %10s\n", "step", "operands", "contraction", "flops", "bytes",
                 "result", "predicted");
    for (int k = 0; k < e->nsteps; k++) add_step(e, k, t);
    text_add(t, "%-44s", "total");
    add_amount(t, r->flops, 8);
    add_amount(t, r->bytes, 8);
    add_amount(t, r->largest, 8);
    add_seconds(t, r->seconds);
    text_add(t, "\nintermediates take at most");
    add_amount(t, r->peak, 1);
    text_add(t, "B at once\n");
}
