/* Functions of the file: calls of the steps of kernels on places in memory. */
#include <inttypes.h>
#include <string.h>

#include "array/tensor.h"
#include "export/engine.h"
#include "export/export.h"
#include "ops/core/kernel/operand.h"
#include "ops/core/kernel/prepared.h"

/* ---- places of blocks ---- */

/* Return a place in the arena; a function that has none passes no elements there. */
static struct place place_in_arena(const struct function *f, int64_t offset) {
    struct place p = {.offset = offset};
    text_print(p.base, sizeof p.base, f->program->plan.arena_bytes ? "arena" : "state->arena.bytes");
    return p;
}
static struct place place_of_leaf(const struct exporting *e, const struct function *f,
                                  const ty_tensor *leaf) {
    struct place p = {.offset = 0};
    for (int i = 0; i < f->given->ninputs; i++)
        if (f->given->inputs[i] == leaf) {
            f->inputs[i].used = true;
            text_print(p.base, sizeof p.base, "(const char *)%s", f->inputs[i].name.text);
            return p;
        }
    int i = data_find(e, leaf);
    const struct leaf *l = &e->leaves[i];
    if (!l->size) return place_in_arena(f, 0);
    if (l->state) return text_print(p.base, sizeof p.base, "(char *)state->%s", l->name.text), p;
    char address[2 * NAME_BYTES];
    data_address(e, i, address, sizeof address);
    text_print(p.base, sizeof p.base, "(const char *)(%s)", address);
    p.offset = -l->low * (int64_t)dtype_table[l->dtype].size;
    return p;
}
static struct place place_of_output(const struct function *f, int block) {
    struct place p = {.offset = 0};
    for (int i = 0; i < f->given->noutputs; i++)
        if (f->outputs[i].block == block) {
            f->outputs[i].used = true;
            text_print(p.base, sizeof p.base, "(char *)%s", f->outputs[i].name.text);
        }
    return p;
}
static struct place place_of_block(const struct exporting *e, const struct function *f, int block) {
    const struct ty_program *program = f->program;
    const struct block *b = &program->flow.blocks[block];
    if (b->kind == BLOCK_OUTPUT) return place_of_output(f, block);
    if (b->kind != BLOCK_TEMPORARY) return place_of_leaf(e, f, b->leaf);
    int region = program->plan.of_block[block];
    return place_in_arena(f, region < 0 ? 0 : program->plan.regions[region].offset);
}

/* ---- steps ---- */

/* Append the call of step s of kernel number `number`. */
static void add_call(struct exporting *e, const struct function *f, int number, int s) {
    const struct kernel *k = &f->program->flow.kernels[number];
    const struct export_kernel *made = k->shared->kernel.prepared;
    const struct text_kernel *step = &made->program.kernels[s];
    int region = f->program->plan.of_workspace[number];
    const char *comma = "";
    int64_t copies = 0;
    text_add(&e->calls, "%s(", step->name);
    for (int i = 0; i < step->nslots; i++, comma = ", ") {
        int slot = step->slots[i];
        struct place p;
        if (slot < made->nests.noperands) {
            const struct operand *x = kernel_operand(k, slot);
            p = place_of_block(e, f, x->slot);
            order_turn(e, &f->program->flow.blocks[x->slot], x->dtype, &copies, &p);
            p.offset += x->layout.offset * (int64_t)dtype_table[x->dtype].size;
        } else {
            p = place_in_arena(f, f->program->plan.regions[region].offset +
                                      made->temporaries[slot - made->nests.noperands]);
        }
        text_add(&e->calls, "%s%s, %s%" PRId64, comma, p.base, p.offset < 0 ? "(uint64_t)" : "", p.offset);
    }
    if (step->checks) text_add(&e->calls, "%s(char *)&cell, 0", comma), comma = ", ";
    for (int i = 0; i < step->nvalues; i++, comma = ", ")
        text_add(&e->calls, "%sUINT64_C(%" PRIu64 ")", comma, step->values[i]);
    if (step->checks) text_add(&e->calls, "%s1", comma);
    text_add(&e->calls, ");\n");
    if (step->checks) text_add(&e->calls, "if (cell.words[0]) return %d;\n", ++e->nrefusals);
    e->report.calls++;
}
static void add_kernel(struct exporting *e, const struct function *f, int number) {
    const struct kernel *k = &f->program->flow.kernels[number];
    const struct export_kernel *made = k->shared->kernel.prepared;
    for (int s = 0; s < made->program.nkernels; s++)
        if (made->program.kernels[s].items) add_call(e, f, number, s);
}

/* ---- outputs ---- */

/* Append a copy of each output that is no parameter of its block. */
static void add_copies(struct exporting *e, const struct function *f) {
    for (int i = 0; i < f->given->noutputs; i++) {
        const struct operand *o = &f->program->flow.outputs[i];
        if (f->outputs[i].block >= 0) continue;
        f->outputs[i].used = true;
        struct place p = place_of_block(e, f, o->slot);
        p.offset += o->layout.offset * (int64_t)dtype_table[o->dtype].size;
        text_add(&e->calls, "memcpy(%s, %s + %" PRId64 ", %" PRId64 ");\n", f->outputs[i].name.text, p.base,
                 p.offset, (int64_t)tensor_bytes(f->outputs[i].tensor));
    }
}

void calls_write(struct exporting *e, const struct function *f) {
    for (int k = 0; k < f->program->flow.nkernels; k++) add_kernel(e, f, k);
    add_copies(e, f);
}
