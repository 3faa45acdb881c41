/* Bodies of functions: calls of the steps of kernels on places in memory. */
#include <inttypes.h>
#include <string.h>

#include "array/tensor.h"
#include "compile/bodies/body_code.h"
#include "export/engine.h"
#include "export/export.h"
#include "ops/core/kernel/operand.h"
#include "ops/core/kernel/prepared.h"

/* ---- places of blocks ---- */

/* Return a place in the arena; a function that has none passes no elements there. */
static struct site site_in_arena(const struct routine *r, int64_t offset) {
    struct site p = {.offset = offset};
    bool own = r->code || r->plan->arena_bytes;
    text_print(p.base, sizeof p.base, own ? "arena" : "state->arena.bytes");
    return p;
}
static struct site site_of_data(const struct exporting *e, const struct routine *r, const ty_tensor *leaf) {
    struct site p = {.offset = 0};
    int i = data_find(e, leaf);
    const struct leaf *l = &e->leaves[i];
    if (!l->size) return site_in_arena(r, 0);
    if (l->state) return text_print(p.base, sizeof p.base, "(char *)state->%s", l->name.text), p;
    char address[2 * NAME_BYTES];
    data_address(e, i, address, sizeof address);
    text_print(p.base, sizeof p.base, "(const char *)(%s)", address);
    p.offset = -l->low * (int64_t)dtype_table[l->dtype].size;
    return p;
}
/* Return the site of a leaf of a body: its parameters are the pointers x[]. */
static struct site site_in_body(const struct exporting *e, const struct routine *r, const ty_tensor *leaf) {
    struct site p = {.offset = 0};
    if (!is_parameter(leaf)) return site_of_data(e, r, leaf);
    text_print(p.base, sizeof p.base, "x[%d]", (int)parameter_number(leaf));
    return p;
}
static struct site site_of_leaf(const struct exporting *e, const struct routine *r, const ty_tensor *leaf) {
    const struct function *f = r->function;
    struct site p = {.offset = 0};
    if (!f) return site_in_body(e, r, leaf);
    for (int i = 0; i < f->given->ninputs; i++)
        if (f->given->inputs[i] == leaf) {
            f->inputs[i].used = true;
            text_print(p.base, sizeof p.base, "(const char *)%s", f->inputs[i].name.text);
            return p;
        }
    return site_of_data(e, r, leaf);
}
static struct site site_of_output(const struct routine *r, int block) {
    const struct function *f = r->function;
    struct site p = {.offset = 0};
    for (int i = 0; f && i < f->given->noutputs; i++)
        if (f->outputs[i].block == block) {
            f->outputs[i].used = true;
            text_print(p.base, sizeof p.base, "(char *)%s", f->outputs[i].name.text);
        }
    for (int i = 0; !f && i < r->body->nroots; i++)
        if (r->code->roots[i] == block) text_print(p.base, sizeof p.base, "y[%d]", i);
    return p;
}
static struct site site_of_block(const struct exporting *e, const struct routine *r, int block) {
    const struct block *b = &r->flow->blocks[block];
    if (b->kind == BLOCK_OUTPUT) return site_of_output(r, block);
    if (b->kind != BLOCK_TEMPORARY) return site_of_leaf(e, r, b->leaf);
    int region = r->plan->of_block[block];
    return site_in_arena(r, region < 0 ? 0 : r->plan->regions[region].offset);
}
struct site site_of_operand(struct exporting *e, const struct routine *r, const struct operand *x,
                            int64_t *copies) {
    struct site p = site_of_block(e, r, x->slot);
    order_turn(e, &r->flow->blocks[x->slot], x->dtype, copies, &p);
    p.offset += x->layout.offset * (int64_t)dtype_table[x->dtype].size;
    return p;
}
struct site site_of_workspace(const struct routine *r, int number) {
    int region = r->plan->of_workspace[number];
    return site_in_arena(r, region < 0 ? 0 : r->plan->regions[region].offset);
}

/* ---- steps ---- */

/* Append the call of step s of kernel number `number`. */
static void add_call(struct exporting *e, struct routine *r, int number, int s) {
    const struct kernel *k = &r->flow->kernels[number];
    const struct export_kernel *made = k->shared->kernel.prepared;
    const struct text_kernel *step = &made->program.kernels[s];
    const char *comma = "";
    int64_t copies = 0;
    text_add(&r->text, "%s(", step->name);
    for (int i = 0; i < step->nslots; i++, comma = ", ") {
        int slot = step->slots[i];
        bool given = slot < made->nests.noperands;
        struct site p =
            given ? site_of_operand(e, r, kernel_operand(k, slot), &copies) : site_of_workspace(r, number);
        if (!given) p.offset += made->temporaries[slot - made->nests.noperands];
        text_add(&r->text, "%s%s, %s%" PRId64, comma, p.base, p.offset < 0 ? "(uint64_t)" : "", p.offset);
    }
    if (step->checks) text_add(&r->text, "%s(char *)&cell, 0", comma), comma = ", ";
    for (int i = 0; i < step->nvalues; i++, comma = ", ")
        text_add(&r->text, "%sUINT64_C(%" PRIu64 ")", comma, step->values[i]);
    if (step->checks) text_add(&r->text, "%s1", comma);
    text_add(&r->text, ");\n");
    if (step->checks) text_add(&r->text, "if (cell.words[0]) return %d;\n", ++e->nrefusals);
    r->checks = r->checks || step->checks;
    e->report.calls++;
}
static void add_kernel(struct exporting *e, struct routine *r, int number) {
    const struct kernel *k = &r->flow->kernels[number];
    if (!k->shared) {
        loops_call(e, r, number);
        return;
    }
    const struct export_kernel *made = k->shared->kernel.prepared;
    for (int s = 0; s < made->program.nkernels; s++)
        if (made->program.kernels[s].items) add_call(e, r, number, s);
}

/* ---- outputs ---- */

/* Append a copy of elements in any layout to the array `to`, which has them in row-major order. */
static void add_copy(struct text *t, const char *to, const struct site *from, const struct operand *x) {
    size_t size = dtype_table[x->dtype].size;
    int64_t n = shape_size(x->layout.rank, x->layout.shape) * (int64_t)size;
    if (!n) return;
    if (layout_is_contiguous(&x->layout)) {
        text_add(t, "memcpy(%s, %s + %" PRId64 ", %" PRId64 ");\n", to, from->base, from->offset, n);
        return;
    }
    text_add(t, "{\nchar *to = (char *)%s;\n", to);
    for (int a = 0; a < x->layout.rank; a++)
        text_add(t, "for (int64_t i%d = 0; i%d < %" PRId64 "; i%d++)\n", a, a, x->layout.shape[a], a);
    text_add(t, "{\nmemcpy(to, %s + %" PRId64, from->base, from->offset);
    for (int a = 0; a < x->layout.rank; a++)
        if (x->layout.strides[a])
            text_add(t, " + %" PRId64 " * i%d", x->layout.strides[a] * (int64_t)size, a);
    text_add(t, ", %zu);\nto += %zu;\n}\n}\n", size, size);
}
/* Append a copy of each output that its block does not store directly: one of several of a block, or a constant. */
static void add_copies(struct exporting *e, struct routine *r) {
    const struct function *f = r->function;
    for (int i = 0; i < f->given->noutputs; i++) {
        if (f->outputs[i].block >= 0) continue;
        f->outputs[i].used = true;
        int64_t copies = 0;
        struct site p = site_of_operand(e, r, &r->flow->outputs[i], &copies);
        add_copy(&r->text, f->outputs[i].name.text, &p, &r->flow->outputs[i]);
    }
}

void calls_write(struct exporting *e, struct routine *r, struct text *t) {
    for (int k = 0; k < r->flow->nkernels; k++) add_kernel(e, r, k);
    if (r->function) add_copies(e, r);
    if (r->checks) text_add(t, "union {\nuint32_t words[4];\nuint64_t wide[2];\n} cell = {{0, 0, 0, 0}};\n");
    text_add_bytes(t, r->text.data, r->text.length);
    t->failed = t->failed || r->text.failed;
    text_drop(&r->text);
}
