/*
 * Programs as Graphviz text: kernels are boxes, leaves are ellipses, edges show shapes, bodies of loops and
 * branches are clusters. Node names start with the path to their cluster: k3_0k1 is kernel 1 of body 0 of
 * kernel 3.
 *
 * A box shows the kernel's index and operator, and a line for each result: its name if any, its number of
 * readers (r), shape (s) and region of the arena (b). Boxes of one region have one colour.
 */
#include "compile/show/describe.h"
#include <stdio.h>
#include "base/alloc.h"

enum { DRAWN = 500 };

/* Append the words to t with quotes and backslashes escaped, and empty `words`. */
static void add_escaped(struct text *t, struct text *words) {
    char *taken = text_take(words);
    for (const char *c = taken; c && *c; c++) text_add(t, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    t->failed |= !taken;
    mem_free(taken);
}

static int region_of(const struct memory_plan *plan, const struct operand *x) {
    return plan->of_block ? plan->of_block[x->slot] : -1;
}

/* Append the lines of a kernel's result x in a DOT label: its block unless temporary, its readers, form
   and region. */
static void dot_result(struct text *t, const struct inside *in, const struct operand *x) {
    const struct flow *f = in->flow;
    struct text words = {0};
    text_add(t, "\\n");
    if (f->blocks[x->slot].kind != BLOCK_TEMPORARY) {
        describe_block(&words, f, x->slot);
        text_add(&words, " ");
        add_escaped(t, &words);
    }
    text_add(t, "r:%d s:", f->use_start[x->slot + 1] - f->use_start[x->slot]);
    describe_operand(t, x);
    if (region_of(in->plan, x) >= 0) text_add(t, " b:%d", region_of(in->plan, x));
}

/* Append kernel k as a DOT node named `at` and "k", coloured by its region of memory. */
static void dot_kernel(struct text *t, const struct inside *in, const char *at, int k) {
    const struct kernel *kernel = &in->flow->kernels[k];
    struct text words = {0};
    describe_kernel(&words, kernel);
    text_add(t, "  %sk%d [label=\"#%d ", at, k, k);
    add_escaped(t, &words);
    for (int i = 0; i < kernel->noutputs; i++) dot_result(t, in, &kernel->outputs[i]);
    int region = kernel->noutputs ? region_of(in->plan, &kernel->outputs[0]) : -1;
    text_add(t, "\", style=filled, fillcolor=\"");
    if (region >= 0)
        describe_colour(t, region, 85);
    else
        text_add(t, "#ffffff");
    text_add(t, "\"];\n");
}

/* Append the DOT edges into kernel k, from leaves and from writers with index >= `first`. `at` is the prefix
   of all node names. */
static void dot_edges(struct text *t, const struct flow *f, const char *at, int k, int first) {
    const struct kernel *kernel = &f->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        const struct operand *x = &kernel->inputs[i];
        int writer = flow_next_writer(f, x, -1, k);
        do {
            struct text words = {0};
            if (writer >= 0 && writer < first) continue;
            if (writer >= 0)
                text_add(t, "  %sk%d -> %sk%d [label=\"", at, writer, at, k);
            else
                text_add(t, "  %sb%d -> %sk%d [label=\"", at, x->slot, at, k);
            describe_operand(&words, x);
            add_escaped(t, &words);
            text_add(t, "\"];\n");
        } while (writer >= 0 && (writer = flow_next_writer(f, x, writer, k)) >= 0);
    }
}

/* Append leaf block b as a DOT node; `at` is the prefix of its name. */
static void dot_leaf(struct text *t, const struct flow *f, const char *at, int b) {
    struct text words = {0};
    describe_block(&words, f, b);
    text_add(t, "  %sb%d [shape=ellipse, style=filled, fillcolor=lightyellow, label=\"", at, b);
    add_escaped(t, &words);
    text_add(t, "\"];\n");
}

/* Append output i, from 0, as a DOT node with the edges into it; `at` is the prefix of all node names. */
static void dot_output(struct text *t, const struct flow *f, const char *at, int i) {
    int slot = f->outputs[i].slot, writer = flow_next_writer(f, &f->outputs[i], -1, f->nkernels);
    text_add(t, "  %sout%d [shape=ellipse, style=filled, fillcolor=lightblue, label=\"output %d\"];\n", at, i,
             i);
    if (writer < 0) text_add(t, "  %sb%d -> %sout%d;\n", at, slot, at, i);
    for (; writer >= 0; writer = flow_next_writer(f, &f->outputs[i], writer, f->nkernels))
        text_add(t, "  %sk%d -> %sout%d;\n", at, writer, at, i);
}

/* True if block b is a leaf that an output or a kernel from `first` on uses. */
static bool is_drawn(const struct flow *f, int b, int first) {
    if (f->blocks[b].kind != BLOCK_VARIABLE && f->blocks[b].kind != BLOCK_CONSTANT) return false;
    for (int i = 0; i < f->noutputs; i++)
        if (f->outputs[i].slot == b) return true;
    return f->use_start[b + 1] > f->use_start[b] && f->use_kernel[f->use_start[b + 1] - 1] >= first;
}

enum { DEEPEST = 8, WAY = 16 * DEEPEST }; /* maximum nesting of clusters; length of a path */

static void dot_flow(struct text *t, const struct inside *in, const char *at, int depth);

/* Append the bodies of k to t as clusters, with edges to it. at: the prefix of its name; number: its number
   in the flow. */
static void dot_inside(struct text *t, const struct kernel *k, const char *at, int number, int depth) {
    for (int i = 0; i < k->ninside && depth < DEEPEST; i++) {
        char inside[WAY + 32];
        snprintf(inside, sizeof inside, "%.*sk%d_%d", WAY, at, number, i);
        text_add(t, "  subgraph cluster_%s {\n  label=\"body of %s %d\"; style=rounded;\n", inside,
                 k->op->name, number);
        dot_flow(t, &k->inside[i], inside, depth + 1);
        text_add(t, "  }\n");
        if (k->inside[i].flow->nkernels) text_add(t, "  %sk0 -> %sk%d [style=dashed];\n", inside, at, number);
    }
}

/* Append a flow as DOT nodes and edges, only its last DRAWN kernels. at: the prefix of names; depth: the
   number of enclosing flows. */
static void dot_flow(struct text *t, const struct inside *in, const char *at, int depth) {
    const struct flow *f = in->flow;
    int first = f->nkernels > DRAWN ? f->nkernels - DRAWN : 0;
    if (first) text_add(t, "  %selided [label=\"%d kernels elided\"];\n", at, first);
    for (int b = 0; b < f->nblocks; b++)
        if (is_drawn(f, b, first)) dot_leaf(t, f, at, b);
    for (int k = first; k < f->nkernels && !t->failed; k++) {
        dot_kernel(t, in, at, k);
        dot_edges(t, f, at, k, first);
        dot_inside(t, &f->kernels[k], at, k, depth);
    }
    for (int i = 0; i < f->noutputs; i++)
        if (f->blocks[f->outputs[i].slot].writer >= first || is_drawn(f, f->outputs[i].slot, first))
            dot_output(t, f, at, i);
}

char *ty_program_dot(const ty_program *p) {
    p = program_of(p);
    struct text t = {0};
    text_add(&t, "digraph tyto {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontsize=9, "
                 "fontname=\"sans-serif\"];\n");
    if (!p->broken.set) dot_flow(&t, &(struct inside){&p->flow, &p->plan}, "", 0);
    text_add(&t, "}\n");
    return text_take(&t);
}
