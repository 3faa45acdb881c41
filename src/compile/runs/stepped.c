/*
 * Destinations with steps. The kernel that computes an output is prepared once more with the destination's steps in
 * place of a dense block, if its kind allows that; the cache of prepared kernels keeps it for later runs. Axes with
 * negative steps are turned around in an elementwise kernel, in all of its operands, because kernels write forwards.
 * In a group of rows, the kernel inside that writes the output gets the steps.
 */
#include "compile/runs/stepped.h"
#include <string.h>
#include "base/alloc.h"
#include "compile/routine.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/core/kernel/operand.h"
#include "ops/core/attributes.h"
#include "ops/core/memory/overlap.h"

/* Return the index of the only kernel that writes block b, if none reads it; -1 if there is none or several do. */
static int only_writer(const struct flow *f, int b) {
    int found = -1;
    for (int k = 0; k < f->nkernels; k++) {
        for (int i = 0; i < f->kernels[k].ninputs; i++)
            if (f->kernels[k].inputs[i].slot == b) return -1;
        for (int i = 0; i < f->kernels[k].noutputs; i++) {
            if (f->kernels[k].outputs[i].slot != b) continue;
            if (found >= 0) return -1;
            found = k;
        }
    }
    return found;
}

/* True if the kind of k writes outputs with steps, or it is a group of rows, and this kernel keeps nothing of its
   operands. */
static bool may_step(const struct kernel *k) {
    const struct kernel_row *kind = &kernel_table[k->kind];
    return (k->kind == KERNEL_ROWS || (!kind->dense && !kind->launches)) && !k->kept;
}

static bool is_backwards(const struct layout *l, int axis) {
    return l->shape[axis] > 1 && l->strides[axis] < 0;
}

static void turn(struct layout *l, int axis) {
    l->offset += (l->shape[axis] - 1) * l->strides[axis];
    l->strides[axis] = -l->strides[axis];
}

/* Turn axes around in which the only output of k has negative steps. False if an operand does not allow that. */
static bool turn_forwards(struct kernel *k) {
    struct layout *to = &k->outputs[0].layout;
    bool any = false, fits = kernel_table[k->kind].in_place && k->noutputs == 1;
    for (int i = 0; i < to->rank; i++) any = any || is_backwards(to, i);
    if (!any) return true;
    for (int i = 0; i < k->ninputs; i++)
        fits = fits && !k->inputs[i].guard &&
               shape_equal(k->inputs[i].layout.rank, k->inputs[i].layout.shape, to->rank, to->shape);
    for (int axis = 0; fits && axis < to->rank; axis++) {
        if (!is_backwards(to, axis)) continue;
        for (int i = 0; i < k->ninputs; i++) turn(&k->inputs[i].layout, axis);
        turn(to, axis);
    }
    return fits;
}

/* Copy n operands with their layouts to the arena. NULL if memory runs out. */
static struct operand *copy_operands(int n, const struct operand *from, struct arena *arena) {
    struct operand *x = arena_array(arena, (size_t)n + 1, sizeof *x);
    for (int i = 0; x && i < n; i++) {
        x[i] = from[i];
        if (!layout_copy(&x[i].layout, &from[i].layout, arena)) return NULL;
    }
    return x;
}

/* Give the outputs of k in block b the steps of `steps`. False if these cannot express their shape, or an output is no
   dense block. */
static bool step_outputs(struct kernel *k, int b, const struct layout *steps) {
    struct layout_room room;
    for (int i = 0; i < k->noutputs; i++) {
        struct layout *l = &k->outputs[i].layout;
        if (k->outputs[i].slot != b) continue;
        if (l->offset || k->outputs[i].guard || !layout_is_contiguous(l) ||
            !layout_reshape(steps, l->rank, l->shape, layout_room_init(&room, l->rank)))
            return false;
        if (l->rank) memcpy(l->strides, room.layout.strides, sizeof *l->strides * (size_t)l->rank);
    }
    return true;
}

/* Give all operands of an elementwise kernel the shape of `steps`. False if strides cannot express that; with the fault
   set if memory runs out. */
static bool reshape(struct kernel *k, const struct layout *steps, struct arena *arena, struct fault *fault) {
    struct layout_room room;
    if (!kernel_table[k->kind].in_place) return false;
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        struct operand *x = kernel_operand(k, i);
        if (x->guard ||
            !layout_reshape(&x->layout, steps->rank, steps->shape, layout_room_init(&room, steps->rank)))
            return false;
        if (!layout_copy(&x->layout, &room.layout, arena)) return fault_memory(fault, sizeof room);
    }
    return true;
}

/* Copy the operands of k to the arena. False, with the fault set, if memory runs out. */
static bool copy_kernel(struct kernel *k, struct arena *arena, struct fault *fault) {
    k->inputs = copy_operands(k->ninputs, k->inputs, arena);
    k->outputs = copy_operands(k->noutputs, k->outputs, arena);
    return (k->inputs && k->outputs) || fault_memory(fault, sizeof *k->inputs);
}

/* Give the kernel inside of group k that writes output block b of the group the steps of `steps`. False if none can
   have them; with the fault set if memory runs out. */
static bool redirect_rows(struct kernel *k, int b, const struct layout *steps, struct arena *arena,
                          struct fault *fault) {
    struct rows_attr *a = arena_copy(arena, k->attr, sizeof *a);
    int found = -1, block = k->ninputs;
    while (k->outputs[block - k->ninputs].slot != b) block++;
    if (a) a->kernels = arena_copy(arena, a->kernels, sizeof *a->kernels * (size_t)a->nkernels);
    if (!a || !a->kernels) return fault_memory(fault, sizeof *a);
    for (int i = 0; i < a->nkernels; i++) {
        const struct kernel *inner = &a->kernels[i];
        for (int j = 0; j < inner->ninputs; j++)
            if (inner->inputs[j].slot == block) return false;
        for (int j = 0; j < inner->noutputs; j++) {
            if (inner->outputs[j].slot != block) continue;
            if (found >= 0 || !may_step(inner)) return false;
            found = i;
        }
    }
    k->attr = a;
    for (int i = 0; i < steps->rank; i++)
        if (is_backwards(steps, i)) return false;
    return found >= 0 && copy_kernel(&a->kernels[found], arena, fault) &&
           step_outputs(&a->kernels[found], block, steps) && step_outputs(k, b, steps);
}

/* Let kernel k, a copy, write block b with the layout of destination d. False if its kind, or strides, do not allow
   that; with the fault set if memory runs out. */
static bool redirect(struct kernel *k, int b, const ty_tensor *d, struct arena *arena, struct fault *fault) {
    if (!copy_kernel(k, arena, fault)) return false;
    k->constant = 0;
    if (k->kind == KERNEL_ROWS) return redirect_rows(k, b, &d->layout, arena, fault);
    if (step_outputs(k, b, &d->layout)) return turn_forwards(k);
    return reshape(k, &d->layout, arena, fault) && step_outputs(k, b, &d->layout) && turn_forwards(k);
}

/* Prepare s->kernel. False if its workspace beyond the planned one would exceed the bytes of block b, so that a copy
   takes less; with the fault set on failure. */
static bool prepare(const struct ty_program *p, struct stepped_kernel *s, int b, struct arena *arena,
                    struct fault *fault) {
    ty_compile_options options = {0};
    ty_report report = {0};
    struct compiling c = {.engine = p->engine, .options = &options, .report = &report, .fault = fault};
    size_t planned = p->flow.kernels[s->number].workspace;
    if (!routine_join(&s->kernel, &c, arena)) return false;
    s->beyond = s->kernel.workspace > planned ? s->kernel.workspace : 0;
    if (s->beyond > (size_t)p->flow.blocks[b].bytes) return false;
    s->workspace = s->beyond ? mem_data_alloc(s->beyond) : NULL;
    return s->workspace || !s->beyond || fault_memory(fault, s->beyond);
}

/* Add a kernel for output i and its destination d, which has steps, if there is one. False, with the fault set, on
   failure. */
static bool add(struct ty_program *p, struct stepped *all, int i, const ty_tensor *d, struct fault *fault) {
    const struct operand *o = &p->flow.outputs[i];
    int b = o->slot, number = only_writer(&p->flow, b);
    bool fits = number >= 0 && operand_is_whole(&p->flow, o) && p->next_output[p->first_output[b] - 1] == 0;
    for (int k = 0; k < all->n; k++) fits = fits && all->at[k].number != number;
    if (!fits || !may_step(&p->flow.kernels[number])) return true;
    struct stepped_kernel *s = &all->at[all->n];
    struct place to = place_of(d);
    *s = (struct stepped_kernel){.output = i, .number = number, .kernel = p->flow.kernels[number]};
    if (!redirect(&s->kernel, b, d, &all->arena, fault)) return !fault->set;
    if (!program_leaves_allow(p, b, &to, &s->kernel)) return true;
    if (prepare(p, s, b, &all->arena, fault)) return ++all->n;
    routine_part(&s->kernel);
    return !fault->set;
}

bool stepped_begin(struct ty_program *p, struct fault *fault) {
    struct stepped *all = &p->stepped;
    for (int i = 0; p->destinations && i < p->flow.noutputs; i++) {
        const ty_tensor *d = p->destinations[i];
        if (!d || layout_is_contiguous(&d->layout) || p->incremental.versions) continue;
        if (!all->at) all->at = arena_array(&all->arena, (size_t)p->flow.noutputs, sizeof *all->at);
        if (!all->at) return fault_memory(fault, sizeof *all->at);
        if (!add(p, all, i, d, fault)) return false;
    }
    return true;
}

void stepped_end(struct ty_program *p) {
    struct stepped *all = &p->stepped;
    for (int i = 0; i < all->n; i++) {
        if (all->at[i].workspace) mem_data_free(all->at[i].workspace, all->at[i].beyond);
        routine_part(&all->at[i].kernel);
    }
    arena_drop(&all->arena);
    *all = (struct stepped){0};
}

bool stepped_writes(const struct ty_program *p, int i) {
    for (int k = 0; k < p->stepped.n; k++)
        if (p->stepped.at[k].output == i) return true;
    return false;
}

bool stepped_start(const struct ty_program *p, int k, void *workspace, struct fault *fault) {
    const struct kernel *kernel = &p->flow.kernels[k];
    for (int i = 0; i < p->stepped.n; i++) {
        if (p->stepped.at[i].number != k) continue;
        kernel = &p->stepped.at[i].kernel;
        if (p->stepped.at[i].workspace) workspace = p->stepped.at[i].workspace;
    }
    return routine_start(&p->flow, kernel, p->slots, workspace, fault);
}
