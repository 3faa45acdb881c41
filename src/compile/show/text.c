/* Programs as text: the numbers of the report, then a line or two per kernel. */
#include "base/alloc.h"
#include "compile/show/describe.h"

/* The routine being written: a program, or a body inside a kernel. */
struct shown {
    const struct flow *flow;
    const struct memory_plan *plan;
    int depth; /* nesting depth; 0: the program */
};

/* Append to t where operand o lies: its kind of block, and its offset in the arena if it is there. */
static void add_place(struct text *t, const struct shown *p, const struct operand *o) {
    static const char *const kinds[BLOCK_KINDS] = {
        "variable", "constant", "arena", "output", "in place of the variable", "kept"};
    int region = p->plan->of_block ? p->plan->of_block[o->slot] : -1;
    int64_t bytes = o->layout.offset * (int64_t)dtype_table[o->dtype].size;
    if (region >= 0)
        text_add(t, " @%lld", (long long)(p->plan->regions[region].offset + bytes));
    else if (bytes)
        text_add(t, " (%s @%lld)", kinds[p->flow->blocks[o->slot].kind], (long long)bytes);
    else
        text_add(t, " (%s)", kinds[p->flow->blocks[o->slot].kind]);
}

/* Append the results of kernel k; "~" marks one that is only part of its block. */
static void add_outputs(struct text *t, const struct shown *p, const struct kernel *k) {
    for (int i = 0; i < k->noutputs; i++) {
        if (i) text_add(t, ", ");
        describe_block(t, p->flow, k->outputs[i].slot);
        text_add(t, " ");
        describe_operand(t, &k->outputs[i]);
        if (!operand_is_whole(p->flow, &k->outputs[i])) text_add(t, "~");
        add_place(t, p, &k->outputs[i]);
    }
}

/* Append the operands of kernel k; "|" separates those of the core from those of the fused program. */
static void add_inputs(struct text *t, const struct shown *p, const struct kernel *k) {
    for (int i = 0; i < k->ninputs; i++) {
        text_add(t, !i ? "" : i == k->ncore ? " | " : ", ");
        describe_block(t, p->flow, k->inputs[i].slot);
        text_add(t, " ");
        describe_operand(t, &k->inputs[i]);
        if (!k->inputs[i].guard && !operand_is_whole(p->flow, &k->inputs[i])) text_add(t, "~");
    }
}

/* Append an elementwise program as one indented line with a name; nothing if it is NULL. */
static void add_program(struct text *t, int depth, const char *name, const struct program *program) {
    if (!program) return;
    text_pad(t, ' ', (size_t)(4 * depth));
    text_add(t, "       %s: ", name);
    describe_program(t, program);
    text_add(t, "\n");
}

static void add_attributes(struct text *t, const struct kernel *k) {
    if ((k->op->describe || k->op->attributes) && k->attr) text_add(t, "  ");
    describe_attributes(t, k);
}

static void add_kernels(struct text *t, const struct shown *p);

/* Append the lines of kernel `number`, with its programs and the flows inside it. */
static void add_kernel(struct text *t, const struct shown *p, int number) {
    const struct kernel *k = &p->flow->kernels[number];
    text_pad(t, ' ', (size_t)(4 * p->depth));
    text_add(t, "%4d  ", number);
    add_outputs(t, p, k);
    text_add(t, " = ");
    describe_kernel(t, k);
    text_add(t, " (");
    add_inputs(t, p, k);
    text_add(t, ")");
    add_attributes(t, k);
    text_add(t, "\n");
    add_program(t, p->depth, "prologue", k->prologue);
    bool no_core = kernel_table[k->kind].no_core;
    if (k->program && k->program->ninstrs > no_core)
        add_program(t, p->depth, no_core ? "body" : "epilogue", k->program);
    for (int i = 0; i < k->ninside; i++) {
        text_pad(t, ' ', (size_t)(4 * (p->depth + 1)));
        text_add(t, "runs %d kernel%s in ", k->inside[i].flow->nkernels,
                 k->inside[i].flow->nkernels == 1 ? "" : "s");
        describe_bytes(t, k->inside[i].plan->arena_bytes);
        text_add(t, ":\n");
        add_kernels(t, &(struct shown){k->inside[i].flow, k->inside[i].plan, p->depth + 1});
    }
}

/* Append a line about the section that begins with kernel `number`, if there is one. */
static void add_section(struct text *t, const struct shown *p, int number) {
    const struct section *s = section_of(p->flow, number);
    if (!s || s->first != number) return;
    text_pad(t, ' ', (size_t)(4 * p->depth));
    text_add(t, "kernels %d to %d run side by side, in %d strands:\n", s->first, s->end - 1, s->nstrands);
}

static void add_kernels(struct text *t, const struct shown *p) {
    for (int k = 0; k < p->flow->nkernels && !t->failed; k++) {
        add_section(t, p, k);
        add_kernel(t, p, k);
    }
}

char *ty_program_text(const ty_program *p) {
    p = program_of(p);
    struct text t = {0};
    const ty_report *r = &p->report;
    if (p->broken.set) {
        text_add(&t, "program: %s\n", p->broken.text);
        return text_take(&t);
    }
    text_add(&t, "program: %lld nodes and %lld edges became %lld kernels and %lld operands\n",
             (long long)r->nodes_before, (long long)r->edges_before, (long long)r->nodes_after,
             (long long)r->edges_after);
    text_add(&t,
             "passes: %lld folded, %lld simplified, %lld merged, %lld dead, %lld fused, %lld in place, %lld "
             "boxes\n",
             (long long)r->folded, (long long)r->simplified, (long long)r->merged, (long long)r->dead,
             (long long)r->fused, (long long)r->inplace, (long long)r->boxes);
    text_add(&t, "memory: ");
    describe_bytes(&t, r->arena_bytes);
    text_add(&t, " in %lld blocks; alive at once ", (long long)r->blocks);
    describe_bytes(&t, r->live_bound);
    text_add(&t, "; unplanned ");
    describe_bytes(&t, r->unplanned_bytes);
    text_add(&t, "; packed constants ");
    describe_bytes(&t, r->kept_bytes);
    if (p->flow.classes.n) {
        text_add(&t, "; kept between runs ");
        describe_bytes(&t, r->stays_bytes);
    }
    if (r->recomputed) {
        text_add(&t, "; %lld kernels run twice, which saves ", (long long)r->recomputed);
        describe_bytes(&t, r->saved_bytes);
    }
    text_add(&t, "\n");
    add_kernels(&t, &(struct shown){&p->flow, &p->plan, 0});
    return text_take(&t);
}

char *ty_program_why(const ty_program *p) {
    p = program_of(p);
    struct text t = {0};
    if (p->broken.set) text_add(&t, "program: %s\n", p->broken.text);
    for (int i = 0; i < p->flow.nkernels && !p->broken.set; i++) {
        const struct kernel *k = &p->flow.kernels[i];
        text_add(&t, "%4d  ", i);
        describe_kernel(&t, k);
        if (k->apart) {
            text_add(&t, ": not fused with the producer of ");
            describe_block(&t, &p->flow, k->apart_from);
            text_add(&t, ": %s", k->apart);
        }
        text_add(&t, "\n");
    }
    text_add(&t, "%s", "");
    return text_take(&t);
}
