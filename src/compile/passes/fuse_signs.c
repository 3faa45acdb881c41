/*
 * Absorbs negations into sums and differences of a program: a + -b becomes a - b, with the same bits.
 * Negations that are then unused are removed.
 */
#include "compile/passes/fuse.h"
#include "ops/core/row_op.h"

/* Return the instruction that writes register `reg`; NULL if the register is an input. */
static const struct instr *maker(const struct program *p, int reg) {
    return reg < p->ninputs ? NULL : &p->instrs[reg - p->ninputs];
}

static bool is_op(const struct instr *i, const struct op *op) { return i && i->op == op; }

/* Rewrite instruction i, in place, if it has such a form: a + -b to a - b, -a + b to b - a, a - -b to a + b. */
static void turn_round(const struct program *p, struct instr *i) {
    const struct op *add = ROW_OP(add), *sub = ROW_OP(sub), *neg = ROW_OP(neg);
    const struct instr *a = maker(p, i->src[0]), *b = maker(p, i->src[1]);
    if (is_op(i, add) && is_op(b, neg)) {
        i->op = sub;
        i->src[1] = b->src[0];
    } else if (is_op(i, add) && is_op(a, neg)) {
        i->op = sub;
        i->src[0] = i->src[1];
        i->src[1] = a->src[0];
    } else if (is_op(i, sub) && is_op(b, neg)) {
        i->op = add;
        i->src[1] = b->src[0];
    }
}

/* Remove unused negations from program p and renumber its registers. */
static void drop_unused(struct program *p) {
    bool used[PROGRAM_MAX_INPUTS + PROGRAM_MAX_INSTRS + 1] = {false};
    uint16_t now[PROGRAM_MAX_INPUTS + PROGRAM_MAX_INSTRS + 1];
    int kept = 0;
    for (int i = 0; i < p->noutputs; i++) used[p->outputs[i]] = true;
    for (int i = p->ninstrs - 1; i >= 0; i--) {
        used[p->ninputs + i] = used[p->ninputs + i] || !is_op(&p->instrs[i], ROW_OP(neg));
        for (int k = 0; used[p->ninputs + i] && k < p->instrs[i].op->arity; k++)
            used[p->instrs[i].src[k]] = true;
    }
    for (int r = 0; r < p->ninputs; r++) now[r] = (uint16_t)r;
    for (int i = 0; i < p->ninstrs; i++) {
        struct instr instr = p->instrs[i];
        if (!used[p->ninputs + i]) continue;
        for (int k = 0; k < 3; k++) instr.src[k] = k < instr.op->arity ? now[instr.src[k]] : 0;
        now[p->ninputs + i] = (uint16_t)(p->ninputs + kept);
        p->instrs[kept++] = instr;
    }
    for (int i = 0; i < p->noutputs; i++) p->outputs[i] = now[p->outputs[i]];
    p->ninstrs = kept;
}

void fuse_signs(struct program *p) {
    bool any = false;
    for (int i = 0; p && i < p->ninstrs; i++) {
        const struct op *before = p->instrs[i].op;
        if (p->instrs[i].in != TY_BOOL) turn_round(p, &p->instrs[i]);
        any = any || p->instrs[i].op != before;
    }
    if (any) drop_unused(p);
}
