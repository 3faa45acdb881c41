/*
 * Outputs of programs in given memory. The plan of the arena does not know that memory. So an output is written
 * there only if each kernel that reads overlapping memory of variables or constants comes before the first that
 * writes the output, or is that kernel and reads each element before it writes the one at its address.
 */
#include <tyto/memory.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/threads/lock.h"
#include "compile/program.h"
#include "compile/routine.h"
#include "ops/core/memory/destination.h"
#include "ops/core/memory/overlap.h"

/* Return the index of the first kernel that writes block b; nkernels if none does. */
static int first_writer(const struct flow *f, int b) {
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].noutputs; i++)
            if (f->kernels[k].outputs[i].slot == b) return k;
    return f->nkernels;
}

/* True if kernel k, the first that writes block `to`, reads block `from`, at the same address, only element by element,
   each before it writes it. */
static bool reads_in_place(const struct flow *f, const struct kernel *k, int from, int to) {
    if (kernel_table[k->kind].launches) return routine_reads_in_place(k, from, to);
    if (k->kind == KERNEL_ROWS) return false; /* order inside is not known here */
    for (int i = 0; i < k->noutputs; i++)
        if (k->outputs[i].slot == to && !operand_is_whole(f, &k->outputs[i])) return false;
    for (int i = 0; i < k->ninputs; i++)
        if (k->inputs[i].slot == from && (!kernel_may_overwrite(k, i) || !operand_is_whole(f, &k->inputs[i])))
            return false;
    return true;
}

/* True if kernel k, which writes destination *to with steps as its block b, reads leaf block `from`, at *place, only
   element by element, each before it writes the one at the same address. */
static bool reads_at_steps(const struct kernel *k, int from, const struct place *place, int b,
                           const struct place *to) {
    int output = 0;
    while (output < k->noutputs && k->outputs[output].slot != b) output++;
    struct place written = {to->data, &k->outputs[output].layout, to->size};
    written.data += written.layout->offset * (int64_t)to->size;
    for (int i = 0; i < k->ninputs; i++) {
        struct place read = {place->data, &k->inputs[i].layout, place->size};
        read.data += read.layout->offset * (int64_t)place->size;
        if (k->inputs[i].slot != from || !places_meet(&read, &written)) continue;
        if (k->kind == KERNEL_ROWS || !kernel_may_overwrite(k, i) || k->inputs[i].guard ||
            !places_equal(&read, &written))
            return false;
    }
    return true;
}

/* True if all kernels have read what they need of leaf block `from`, at *place, when destination `to` of block b is
   written, by the kernel `instead` unless that is NULL. Kernels of the first writer's section may run after it. */
static bool is_read_before(const struct flow *f, int from, const struct place *place, int b,
                           const struct place *to, const struct kernel *instead) {
    int first = first_writer(f, b);
    const struct section *section = first < f->nkernels ? section_of(f, first) : NULL;
    bool same =
        place->data == to->data && f->blocks[from].bytes == f->blocks[b].bytes && place->size == to->size;
    for (int k = section ? section->first : first; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].ninputs; i++) {
            if (f->kernels[k].inputs[i].slot != from) continue;
            if (k != first) return false;
            if (instead ? !reads_at_steps(instead, from, place, b, to)
                        : !same || !reads_in_place(f, &f->kernels[k], from, b))
                return false;
        }
    return true;
}

bool program_leaves_allow(const struct ty_program *p, int b, const struct place *to,
                          const struct kernel *instead) {
    const struct flow *f = &p->flow;
    for (int c = 0; c < f->nblocks; c++) {
        const struct block *block = &f->blocks[c];
        if (block->kind != BLOCK_CONSTANT) continue;
        struct place leaf = place_of(block->leaf);
        if (places_meet(&leaf, to) && !is_read_before(f, c, &leaf, b, to, instead)) return false;
    }
    for (int i = 0; i < p->nuses; i++) {
        const struct variable_use *use = &p->uses[i];
        struct place leaf = {use->data, &use->leaf->layout, to->size};
        leaf.size = dtype_table[use->leaf->dtype].size;
        if (!use->data || !places_meet(&leaf, to)) continue;
        if (use->updates || !is_read_before(f, use->block, &leaf, b, to, instead)) return false;
    }
    return true;
}

bool program_may_write(const struct ty_program *p, int i, const ty_tensor *d) {
    const struct operand *o = &p->flow.outputs[i];
    struct place to = place_of(d);
    return !p->incremental.versions && layout_is_contiguous(&d->layout) && operand_is_whole(&p->flow, o) &&
           program_leaves_allow(p, o->slot, &to, NULL);
}

/* Check the destinations of ty_run_into against the program's outputs. False, with the fault set, if one does not
   fit. */
static bool check(const struct ty_program *p, int n, ty_tensor *const *destinations, struct fault *fault) {
    if (n != p->flow.noutputs)
        return fault_set(fault, E_ARGUMENT,
                         "run_into: %d destinations were given; the program has %d outputs", n,
                         p->flow.noutputs);
    if (n > 0 && !destinations)
        return fault_set(fault, E_ARGUMENT, "run_into: the array of destinations is NULL");
    ty_tensor **forms = mem_array((size_t)n, sizeof *forms);
    ty_scope *scope = ty_open();
    bool done = forms;
    for (int i = 0; i < n && done; i++) {
        const struct operand *o = &p->flow.forms[i];
        forms[i] = tensor_return(tensor_new(o->dtype, o->layout.rank, 0, 0));
        done = ty_ok(forms[i]);
        for (int a = 0; done && a < o->layout.rank; a++) forms[i]->layout.shape[a] = o->layout.shape[a];
    }
    done = done ? destinations_check("run_into", n, destinations, forms, fault)
                : fault_memory(fault, (size_t)n * sizeof *forms);
    ty_close(scope);
    mem_free(forms);
    return done;
}

bool ty_run_into(ty_program *program, int n, ty_tensor *const *destinations) {
    FLOATING_DEFAULT;
    struct ty_program *p = program_of(program);
    struct fault fault;
    fault_clear(&fault);
    if (p->broken.set) return false;
    return check(p, n, destinations, &fault) ? program_run_here(p, destinations)
                                             : program_fail_here(p, &fault);
}
