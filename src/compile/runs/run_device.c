#include "compile/runs/run_device.h"
#include "array/form.h"
#include "base/context/stop.h"
#include "compile/runs/cut.h"
#include "compile/runs/ticket.h"
#include "ops/core/kernel/cell.h"
#include "ops/core/kernel/prepared.h"

/* ---- memory ---- */

/* Return a new buffer for a variable's next value, in the memory where p runs.  NULL, with p->fault set, on failure. */
static struct buffer *new_value(struct ty_program *p, const struct block *block) {
    size_t bytes = (size_t)block->bytes;
    if (p->device && bytes) return buffer_new_on(p->device, bytes, &p->fault);
    struct buffer *b = buffer_new(bytes);
    if (!b) form_fault(&p->fault, block->dtype, 1, &block->size);
    return b;
}

bool run_find_use(struct ty_program *p, struct variable_use *use) {
    const struct block *block = &p->flow.blocks[use->block];
    struct buffer *b = use->buffer;
    if (!b && !use->updates)
        return fault_set(&p->fault, E_STATE, "run: variable %s has no value", block->name);
    bool fresh = use->updates && !use->in_place;
    if (fresh && !(b = use->fresh = new_value(p, block))) return false;
    char *data = buffer_at(b, p->device, &p->fault);
    p->slots[use->block] = data + (fresh || !data ? 0 : use->offset);
    if (data && use->in_place && !p->device) buffer_written_home(b);
    if (!data || !fresh || !p->refuses || !use->buffer) return data;
    const char *now = buffer_at(use->buffer, p->device, &p->fault); /* the value if a kernel refuses */
    return now && device_copy(p->device, data, now + use->offset, (size_t)block->bytes, &p->fault);
}

bool run_make_arena(struct ty_program *p) {
    size_t bytes = (size_t)p->plan.arena_bytes;
    if (p->device && p->incremental.versions && !p->zeros) {
        p->zeros = device_allocate(p->device, sizeof cut_zeros, &p->fault);
        if (!p->zeros) return false;
        if (!device_zero(p->device, p->zeros, sizeof cut_zeros, &p->fault)) {
            device_free(p->device, p->zeros);
            p->zeros = NULL;
            return false;
        }
        p->slots[p->flow.nblocks] = p->zeros;
    }
    if (!bytes || p->arena) return true;
    p->arena =
        p->device ? device_allocate(p->device, bytes, &p->fault) : account_near_alloc(bytes, &p->account);
    return p->arena || fault_memory(&p->fault, bytes);
}

void run_settle_uses(struct ty_program *p, bool done) {
    for (int i = 0; p->device && i < p->nuses; i++) {
        struct variable_use *use = &p->uses[i];
        if (!use->updates || !use->in_place) continue;
        if (done)
            buffer_written_on(use->buffer, p->device);
        else if (use->data) /* the host's memory has the value before the run */
            buffer_written_home(use->buffer);
    }
}

void run_written_on(const struct ty_program *p, const ty_tensor *x) {
    if (p->device && x->buffer->bytes)
        buffer_written_on(x->buffer, p->device);
    else
        buffer_written_home(x->buffer);
}

/* ---- refusals ---- */

bool flow_refuses(const struct flow *f) {
    for (int k = 0; k < f->nkernels; k++)
        if (f->kernels[k].shared && !f->kernels[k].shared->kernel.away &&
            kernel_may_refuse(f, &f->kernels[k]))
            return true;
    return false;
}

bool run_cell_open(struct ty_program *p, struct device_cell *cell) {
    *cell = (struct device_cell){0};
    return !p->refuses || cell_open(p->device, cell, &p->fault);
}

/* Return 1 if kernel k must not run, since the cell is set: loops, branches and calls do not look at it themselves; 0 if it
   may.  -1, with the fault set, on failure. */
static int must_not_run(struct ty_program *p, int k, const struct device_cell *cell) {
    const struct kernel_row *row = &kernel_table[p->flow.kernels[k].kind];
    char copy[DEVICE_CELL];
    if (!cell->address || !(row->launches || row->foreign)) return 0;
    int number = cell_read(p->device, cell, copy, &p->fault);
    return number > 0 ? 1 : number;
}

bool run_on_device(struct routine_run *run, struct ty_program *p, int k, const struct device_cell *cell) {
    struct context_thread *t = thread_now();
    const struct device_cell *outer = t->cell;
    int refused = must_not_run(p, k, cell);
    if (refused) return refused > 0;
    struct device_cell mine = *cell;
    mine.number = k + 1;
    mine.looks = kernel_updates(&p->flow, &p->flow.kernels[k]);
    t->cell = cell->address ? &mine : NULL;
    bool done = routine_run_kernel(run, k, &p->fault);
    t->cell = outer;
    return done;
}

/* True if the run needs no wait for its refusals: variables keep their values then, since kernels that write them look
   at the cell.  Evaluations wait, as their values may be tested for poison. */
static bool may_defer(const struct ty_program *p) {
    bool keeps = !p->incremental.versions && !p->destinations && !p->transient;
    for (int i = 0; i < p->nuses; i++) keeps = keeps && (!p->uses[i].updates || p->uses[i].buffer);
    return keeps;
}

bool run_cell_end(struct ty_program *p, struct device_cell *cell, bool done) {
    char copy[DEVICE_CELL];
    struct fault why;
    fault_clear(&why);
    if (!cell->address) return done;
    if (done && may_defer(p) && ticket_give(p, cell, &why)) return true;
    fault_clear(&why);
    int number = cell_read(p->device, cell, copy, &why);
    if (number > p->flow.nkernels || (number > 0 && !p->flow.kernels[number - 1].shared)) {
        cell_wrong(p->device, number, p->flow.nkernels, &p->fault);
    } else if (number > 0) {
        fault_clear(&p->fault);
        p->device->family->refusal(p->device, &p->flow.kernels[number - 1].shared->kernel, copy, &p->fault);
    } else if (number < 0) {
        fault_copy(&p->fault, &why);
    }
    cell_close(p->device, cell);
    return done && !number;
}

bool run_in_body(struct device *d, struct routine_run *run, int k, struct fault *fault) {
    const struct kernel *kernel = &run->flow->kernels[k];
    struct context_thread *t = thread_now();
    const struct device_cell *outer = t->cell;
    struct device_cell cell = {0};
    char copy[DEVICE_CELL];
    bool checks = kernel->shared && !kernel->shared->kernel.away && kernel_may_refuse(run->flow, kernel);
    if (checks && !cell_open(d, &cell, fault)) return false;
    cell.number = 1;
    if (checks) t->cell = &cell;
    bool done = routine_run_kernel(run, k, fault);
    t->cell = outer;
    int refused = checks && done ? cell_read(d, &cell, copy, fault) : 0;
    if (refused > 0) d->family->refusal(d, &kernel->shared->kernel, copy, fault);
    if (checks) cell_close(d, &cell);
    return done && !refused;
}
