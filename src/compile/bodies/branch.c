/* Branch kernels: a routine for each body; a launch runs the selected one. */
#include "array/device_memory.h"
#include "compile/bodies/branch.h"
#include "control/branch.h"

/* Compile the branches of kernel k, an if or switch, and lay out its workspace, into its plan; a callback of
   the compiler. False, with the fault set, on failure. */
static bool prepare(struct kernel *k, const struct compiling *c, struct arena *arena) {
    const struct branch_attr *a = k->attr;
    const struct body *first = a->bodies[0].body;
    struct branch_plan *p = arena_alloc(arena, sizeof *p + (size_t)a->nbodies * sizeof *p->codes);
    struct layout *layouts = arena_array(arena, (size_t)k->ninputs, sizeof *layouts);
    bool *fixed = arena_array(arena, (size_t)k->ninputs, sizeof *fixed);
    bool *wanted = arena_array(arena, (size_t)first->nroots + 1, sizeof *wanted);
    struct inside *inside = arena_array(arena, (size_t)a->nbodies, sizeof *inside);
    if (!p || !layouts || !fixed || !wanted || !inside) return fault_memory(c->fault, sizeof *p);
    for (int i = 1; i < k->ninputs; i++) {
        layouts[i - 1] = k->inputs[i].layout;
        layouts[i - 1].offset = 0;
    }
    for (int i = 0; i < k->noutputs; i++) wanted[k->results[i]] = true;
    struct given given = {.layouts = layouts, .fixed = fixed};
    k->prepared = p;
    k->width = 1;
    k->workspace = 0;
    k->inside = inside;
    k->ninside = (int)a->nbodies;
    for (int i = 0; i < a->nbodies; i++) {
        p->ncodes++;
        if (!body_code_make(&p->codes[i], a->bodies[i].body, &given, wanted, c, arena)) return false;
        inside[i] = (struct inside){&p->codes[i].flow, &p->codes[i].plan};
        if (p->codes[i].bytes > k->workspace) k->workspace = p->codes[i].bytes;
    }
    return true;
}

static void drop(struct kernel *k) {
    struct branch_plan *p = k->prepared;
    for (int i = 0; i < p->ncodes; i++) body_code_drop(&p->codes[i]);
}

/* Run the branch that the index operand selects, from 0 (out of range: the last), on the other operands.
   slots[] has the addresses of all blocks. False, with the fault set, on failure. */
static bool launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    const struct branch_plan *p = k->prepared;
    int64_t index;
    if (!memory_get(k->device, &index, operand_base(&k->inputs[0], slots), sizeof index, fault)) return false;
    const struct body_code *code = &p->codes[index < 0 || index >= p->ncodes ? p->ncodes - 1 : index];
    void **inside = body_code_slots(code, workspace, fault);
    if (!inside) return false;
    for (int i = 1; i < k->ninputs; i++)
        body_code_bind(inside, code->parameters[i - 1], operand_base(&k->inputs[i], slots));
    for (int i = 0; i < k->noutputs; i++)
        body_code_bind(inside, code->roots[k->results[i]], operand_base(&k->outputs[i], slots));
    body_code_keep(code, inside, workspace);
    bool done = body_code_run(code, inside, workspace, fault);
    body_code_end(code, inside);
    return done;
}

const struct control_kind control_branch = {.prepare = prepare, .launch = launch, .drop = drop};
