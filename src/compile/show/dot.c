/* A program as Graphviz text: kernels are boxes, leaves are ellipses, edges carry shapes. */
#include "compile/show/describe.h"
#include "base/alloc.h"

enum { DRAWN = 500 };

static void add_escaped(struct text *t, struct text *words) {
    char *taken = text_take(words);
    for (const char *c = taken; c && *c; c++) text_add(t, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    t->failed |= !taken;
    mem_free(taken);
}

static void dot_kernel(struct text *t, const struct flow *f, int k) {
    const struct kernel *kernel = &f->kernels[k];
    struct text words = {0};
    describe_kernel(&words, kernel);
    text_add(t, "  k%d [label=\"", k);
    add_escaped(t, &words);
    for (int i = 0; i < kernel->noutputs; i++) {
        text_add(t, "\\n");
        describe_operand(t, &kernel->outputs[i]);
    }
    text_add(t, "\"];\n");
}

static void dot_edges(struct text *t, const struct flow *f, int k, int first) {
    const struct kernel *kernel = &f->kernels[k];
    for (int i = 0; i < kernel->ninputs; i++) {
        const struct block *b = &f->blocks[kernel->inputs[i].slot];
        struct text words = {0};
        if (b->writer >= 0 && b->writer < first) continue;
        if (b->writer >= 0)
            text_add(t, "  k%d -> k%d [label=\"", b->writer, k);
        else
            text_add(t, "  b%d -> k%d [label=\"", kernel->inputs[i].slot, k);
        describe_operand(&words, &kernel->inputs[i]);
        add_escaped(t, &words);
        text_add(t, "\"];\n");
    }
}

static void dot_leaf(struct text *t, const struct flow *f, int b) {
    struct text words = {0};
    describe_block(&words, f, b);
    text_add(t, "  b%d [shape=ellipse, style=filled, fillcolor=lightyellow, label=\"", b);
    add_escaped(t, &words);
    text_add(t, "\"];\n");
}

static void dot_output(struct text *t, const struct flow *f, int i) {
    int slot = f->outputs[i].slot, writer = f->blocks[slot].writer;
    text_add(t, "  out%d [shape=ellipse, style=filled, fillcolor=lightblue, label=\"output %d\"];\n", i, i);
    if (writer >= 0)
        text_add(t, "  k%d -> out%d;\n", writer, i);
    else
        text_add(t, "  b%d -> out%d;\n", slot, i);
}

/* Leaves that a drawn kernel or an output uses. */
static bool is_drawn(const struct flow *f, int b, int first) {
    if (f->blocks[b].kind != BLOCK_VARIABLE && f->blocks[b].kind != BLOCK_CONSTANT) return false;
    for (int i = 0; i < f->noutputs; i++)
        if (f->outputs[i].slot == b) return true;
    return f->use_start[b + 1] > f->use_start[b] && f->use_kernel[f->use_start[b + 1] - 1] >= first;
}

char *ty_program_dot(const ty_program *p) {
    const struct flow *f = &p->flow;
    struct text t = {0};
    int first = f->nkernels > DRAWN ? f->nkernels - DRAWN : 0;
    text_add(&t, "digraph tyto {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontsize=9, "
                 "fontname=\"sans-serif\"];\n");
    if (first) text_add(&t, "  elided [label=\"%d kernels elided\"];\n", first);
    for (int b = 0; !p->broken.set && b < f->nblocks; b++)
        if (is_drawn(f, b, first)) dot_leaf(&t, f, b);
    for (int k = first; k < f->nkernels && !t.failed && !p->broken.set; k++) {
        dot_kernel(&t, f, k);
        dot_edges(&t, f, k, first);
    }
    for (int i = 0; i < f->noutputs && !p->broken.set; i++)
        if (f->blocks[f->outputs[i].slot].writer >= first || is_drawn(f, f->outputs[i].slot, first))
            dot_output(&t, f, i);
    text_add(&t, "}\n");
    return text_take(&t);
}
