/*
 * Runs of programs: bind every block to memory, launch the kernels in order, then publish outputs and
 * updates. An output or variable that the caller still holds keeps its bytes: the program allocates a new
 * buffer for it, the only allocation of a run.
 */
#include <string.h>
#include "array/form.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "array/progress.h"
#include "base/context/stop.h"
#include "base/threads/lock.h"
#include "compile/packed.h"
#include "compile/runs/handed.h"
#include "compile/runs/parts.h"
#include "compile/program.h"
#include "compile/routine.h"
#include "compile/runs/run_device.h"
#include "compile/runs/stepped.h"
#include "compile/runs/sections_run.h"
#include "compile/runs/ticket.h"
#include "ops/core/memory/destination.h"
#include "ops/core/kernel/prepared.h"

/* ---- outputs ---- */

/* True if anyone but p holds a reference to the result of block b, to a view of it or to its buffer. */
static bool is_shared(const struct ty_program *p, int b) {
    const ty_tensor *result = p->results[b];
    int ours = 1;
    if (atomic_load(&result->refs) != 1) return true;
    for (int i = p->first_output[b] - 1; i >= 0; i = p->next_output[i] - 1) {
        if (!p->outputs[i]) continue;
        if (atomic_load(&p->outputs[i]->refs) != 1) return true;
        ours++;
    }
    return atomic_load(&result->buffer->refs) != ours;
}

/* Release p's references to the result of block b and to its views. */
static void forget_result(struct ty_program *p, int b) {
    for (int i = p->first_output[b] - 1; i >= 0; i = p->next_output[i] - 1) {
        if (!p->outputs[i]) continue;
        ty_release(p->outputs[i]);
        p->outputs[i] = NULL;
    }
    if (p->results[b]) ty_release(p->results[b]);
    p->results[b] = NULL;
}

/* Mark, for an incremental run, the classes of outputs that are gone or may have been overwritten by others. */
static void find_lost(struct ty_program *p) {
    for (int b = 0; p->incremental.versions && b < p->flow.nblocks; b++) {
        if (p->flow.blocks[b].kind != BLOCK_OUTPUT) continue;
        if (p->results[b] && tensor_may_change(p->results[b])) forget_result(p, b);
        if (!p->results[b]) incremental_lose(&p->incremental, &p->flow, b);
    }
}

/* Return the destination of this run, or the operand that was given away, that has the memory for OUTPUT block b;
   NULL: none. */
static const ty_tensor *memory_for(const struct ty_program *p, int b) {
    int output = p->first_output[b] - 1;
    if (p->device) return NULL; /* the memory is the host's */
    if (p->handed) return handed_for(p, b);
    if (!p->destinations || output < 0 || p->next_output[output]) return NULL;
    ty_tensor *d = p->destinations[output];
    return d && (stepped_writes(p, output) || program_may_write(p, output, d)) ? d : NULL;
}

/* Return a new flat tensor for the result of an OUTPUT block: in the memory of d, or unless there is one in memory
   of its own. NULL, with p->fault set, on failure. */
static ty_tensor *new_result(struct ty_program *p, const struct block *block, const ty_tensor *d) {
    int64_t size = block->size, step = 1;
    struct layout flat = {1, d ? d->layout.offset : 0, &size, &step};
    ty_tensor *x =
        d ? tensor_new_view(d, &flat) : tensor_new_value_on(p->device, block->dtype, 1, &size, &p->fault);
    if (!x) form_fault(&p->fault, block->dtype, 1, &size);
    return x;
}

/* Copy the elements of an earlier result to block b, whose address is set. False, with p->fault set, on failure. */
static bool copy_result(struct ty_program *p, int b, const ty_tensor *before) {
    const char *from = tensor_at(before, p->device, &p->fault);
    return from && memory_copy(p->device, p->slots[b], from, (size_t)p->flow.blocks[b].bytes, &p->fault);
}

/* Set the address of OUTPUT block b to its result's memory, in a new tensor if there is none or others hold the
   old one; the new one has the old elements if the run computes parts of it. False, with p->fault set, if memory
   runs out. */
static bool bind_output(struct ty_program *p, int b) {
    const struct block *block = &p->flow.blocks[b];
    int runs = incremental_writes(&p->incremental, b);
    const ty_tensor *d = memory_for(p, b);
    ty_tensor *before = NULL;
    if (p->results[b] && runs != RUNS_NOT && (d || is_shared(p, b))) {
        if (runs == RUNS_PARTS) before = ty_retain(p->results[b]);
        forget_result(p, b);
    }
    if (p->results[b] && runs != RUNS_NOT) run_written(p, p->results[b]);
    if (!p->results[b]) p->results[b] = new_result(p, block, d);
    p->slots[b] = p->results[b] ? tensor_at(p->results[b], p->device, &p->fault) : NULL;
    bool done = p->slots[b] && (!before || copy_result(p, b, before));
    if (before) ty_release(before);
    return done;
}

/* Copy the outputs that were computed beside their destinations. False, with p->fault set, on failure. */
static bool deliver(struct ty_program *p) {
    for (int i = 0; p->destinations && i < p->flow.noutputs; i++) {
        ty_tensor *d = p->destinations[i];
        if (d && !stepped_writes(p, i) && !destination_copy(d, p->outputs[i], &p->fault)) return false;
    }
    return true;
}

/* Forget the outputs that have destinations, and results that lie there: the program does not hold the caller's
   memory. */
static void part_with_destinations(struct ty_program *p) {
    for (int i = 0; p->destinations && i < p->flow.noutputs; i++) {
        int b = p->flow.outputs[i].slot;
        const ty_tensor *result = p->flow.blocks[b].kind == BLOCK_OUTPUT ? p->results[b] : NULL;
        if (!p->destinations[i]) continue;
        if (result && result->buffer == p->destinations[i]->buffer) forget_result(p, b);
        if (p->outputs[i]) ty_release(p->outputs[i]);
        p->outputs[i] = NULL;
    }
    p->destinations = NULL;
}

/* Return output i: a view of a result or constant.  NULL if memory runs out. */
static ty_tensor *new_output(const struct ty_program *p, int i) {
    const struct operand *o = &p->flow.outputs[i], *form = &p->flow.forms[i];
    const struct block *block = &p->flow.blocks[o->slot];
    const ty_tensor *base = block->kind == BLOCK_CONSTANT ? block->leaf : p->results[o->slot];
    bool bytes = dtype_stored(form->dtype) || dtype_stored(base->dtype); /* of numbers for storage */
    struct layout layout = bytes ? form->layout : o->layout;
    if (bytes)
        layout.offset =
            (dtype_bytes(base->dtype, base->layout.offset) + o->layout.offset) * dtype_share(form->dtype);
    else
        layout.offset += base->layout.offset;
    ty_tensor *output = tensor_new_view(base, &layout);
    if (output) output->dtype = form->dtype;
    return output;
}

/* True if output i is a constant whose elements stay, and so must not become the caller's memory (ty_expose). */
static bool is_fixed(const struct ty_program *p, int i) {
    const struct block *block = &p->flow.blocks[p->flow.outputs[i].slot];
    return block->kind == BLOCK_CONSTANT && !tensor_may_change(block->leaf) &&
           !dtype_stored(p->flow.forms[i].dtype);
}

/* True if the caller holds x or its memory, or may have written to it. */
static bool is_lent(const ty_tensor *x) {
    return atomic_load(&x->refs) != 1 || atomic_load(&x->buffer->refs) != 1 || tensor_may_change(x);
}

/* Return a copy of output i, a constant.  NULL, with p->fault set, on failure. */
static ty_tensor *copy_of_constant(struct ty_program *p, int i) {
    ty_tensor *view = new_output(p, i);
    ty_tensor *y = view ? tensor_new_value(view->dtype, view->layout.rank, view->layout.shape) : NULL;
    bool done = y ? destination_copy(y, view, &p->fault) : fault_memory(&p->fault, sizeof *y);
    if (done) y->weak = view->weak;
    if (y && !done) ty_release(y);
    if (view) ty_release(view);
    return done ? y : NULL;
}

/* Make the missing ones of p->outputs, the tensors that ty_output returns: views of results, and copies of constants.
   Copies that the caller holds are made anew.  False, with p->fault set, on failure. */
static bool make_outputs(struct ty_program *p) {
    for (int i = 0; i < p->flow.noutputs; i++) {
        bool fixed = is_fixed(p, i), given = p->destinations && p->destinations[i];
        if (p->outputs[i] && fixed && is_lent(p->outputs[i])) {
            ty_release(p->outputs[i]);
            p->outputs[i] = NULL;
        }
        if (p->outputs[i]) continue;
        p->outputs[i] = fixed && !given ? copy_of_constant(p, i) : new_output(p, i);
        if (!p->outputs[i]) return !p->fault.set && fault_memory(&p->fault, sizeof *p->outputs[i]);
        p->outputs[i]->place = p->places[i];
    }
    return true;
}

/* ---- binding ---- */

/* Take the values of all variables at one moment (ops/core/variable.h) and find the classes to run.
   arguments[] replaces the variables of that argument number; NULL: none is replaced.  False, with p->fault set and
   nothing taken, if the thread must not wait for a variable. */
static bool take_variables(struct ty_program *p, ty_tensor *const *arguments) {
    for (int i = 0; i < p->nuses; i++) {
        const struct block *block = &p->flow.blocks[p->uses[i].block];
        p->uses[i].leaf = arguments && block->argument >= 0 ? arguments[block->argument] : block->leaf;
    }
    if (!variables_take(p->nuses, p->uses))
        return fault_set(&p->fault, E_STATE,
                         "run: a variable is being updated by the run around this one, or by another thread; "
                         "inside a run that updates variables, a thread does not wait");
    incremental_begin(&p->incremental, &p->flow, p->nuses, p->uses);
    find_lost(p);
    incremental_choose(&p->incremental, &p->flow, p->nuses, p->uses);
    return true;
}

/* Set the address of block b for this run: a constant or temporary; other kinds are left as they are. False, with
   p->fault set, on failure. */
static bool bind_block(struct ty_program *p, int b) {
    const struct block *block = &p->flow.blocks[b];
    int region = p->plan.of_block[b];
    switch (block->kind) {
    case BLOCK_CONSTANT:
        return (p->slots[b] = tensor_at(block->leaf, p->device, &p->fault)) != NULL;
    case BLOCK_TEMPORARY:
        p->slots[b] = region >= 0 ? p->arena + p->plan.regions[region].offset : plan_nothing;
        return true;
    default:
        return true; /* KEPT is bound already; VARIABLE and UPDATE are bound by run_bind_use, OUTPUT by bind_output */
    }
}

/* Allocate the arena if needed, and set the addresses of all blocks and variables. False, with the fault set,
   on failure. */
static bool bind(struct ty_program *p) {
    if ((p->device || (p->plan.arena_bytes && !p->arena)) && !run_make_arena(p)) return false;
    for (int b = 0; b < p->flow.nblocks; b++)
        if (!bind_block(p, b)) return false;
    for (int i = 0; i < p->nuses; i++)
        if (!run_bind_use(p, &p->uses[i])) return false;
    if (p->destinations && !p->device && !stepped_begin(p, &p->fault)) return false;
    for (int b = 0; b < p->flow.nblocks; b++) /* last: a destination must not lie where others read */
        if (p->flow.blocks[b].kind == BLOCK_OUTPUT && !bind_output(p, b)) return false;
    return make_outputs(p);
}

/* ---- launching ---- */

/* Release all outputs and the arena of p. */
static void give_back(struct ty_program *p) {
    for (int b = 0; b < p->flow.nblocks; b++)
        if (p->results[b]) forget_result(p, b);
    for (int i = 0; i < p->flow.noutputs; i++) {
        if (p->outputs[i]) ty_release(p->outputs[i]);
        p->outputs[i] = NULL;
    }
    program_drop_arena(p);
}

static void *workspace_of(const struct ty_program *p, int k) {
    return routine_workspace(&p->plan, p->arena, k);
}

/* Compute the kept data of kernel k, which keeps some, before the first run, and again if its constants have changed;
   do nothing otherwise. Data of real constants is shared with other programs. False, with p->fault set, if memory runs
   out. */
static bool keep(struct ty_program *p, int k) {
    const struct kernel *kernel = &p->flow.kernels[k];
    void **kept = &p->slots[kernel->kept_slot];
    if (*kept && !(p->flow.classes.n && p->incremental.whole)) return true;
    if (!*kept && !(*kept = packed_new(kernel->kept))) return fault_memory(&p->fault, kernel->kept);
    prepared_keep(kernel, p->slots, workspace_of(p, k));
    if (!stop_end(&p->fault)) {
        atomic_store(&p->packed[kernel->kept_slot], NULL);
        packed_end(*kept, kernel->kept);
        *kept = NULL;
        return false;
    }
    if (!p->flow.classes.n) *kept = packed_share(*kept, kernel->kept);
    atomic_store(&p->packed[kernel->kept_slot], *kept);
    return true;
}

/* True if the run writes updates into the memory of a variable. */
static bool overwrites(const struct ty_program *p) {
    for (int i = 0; i < p->nuses; i++)
        if (p->uses[i].updates && p->uses[i].in_place) return true;
    return false;
}

/* Mask requests to stop, if the kernels to run next write into the memory of a variable; *masked tells if that has been
   done.  False, with the fault set, if there is such a request. */
static bool mask(struct ty_program *p, bool updates, bool *masked) {
    if (*masked || !updates || !overwrites(p)) return true;
    if (!stop_check(&p->fault)) return false;
    stop_mask();
    return *masked = true;
}

/* Add to a counter of the run, while no section runs. */
static void count_here(_Atomic int64_t *counter, int64_t more) {
    int64_t before = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, before + more, memory_order_relaxed);
}

/* Launch kernel k, unless it is up to date. False, with the fault set, on failure. */
static bool launch_one(struct routine_run *run, struct ty_program *p, int k, bool *masked,
                       const struct device_cell *cell) {
    const struct kernel *kernel = &p->flow.kernels[k];
    if (incremental_runs(&p->incremental, k) == RUNS_NOT) return true;
    if (!mask(p, p->flow.nupdates && kernel_updates(&p->flow, kernel), masked)) return false;
    count_here(&run->launched, 1);
    count_here(&run->computed, parts_computed(&p->incremental, &p->flow, k));
    return cell ? run_on_device(run, p, k, cell) : routine_run_kernel(run, k, &p->fault);
}

/* Return the section that begins with kernel k and may run side by side; NULL if there is none, or if one of its kernels
   runs in parts, since these share a workspace. */
static const struct section *section_at(const struct context_thread *t, const struct ty_program *p, int k) {
    const struct section *s = sections_begin(t, &p->flow, k);
    for (int i = k; s && i < s->end; i++)
        if (incremental_runs(&p->incremental, i) == RUNS_PARTS) return NULL;
    return s;
}

/* Launch the kernels of p. All memory is allocated before, and kernels that may refuse run before kernels
   that write over variables, so a failing run changes none. For the same reason requests to stop do not hold
   from the first kernel on that does. False, with the fault set, on failure. */
static bool launch_all(const struct context_thread *t, struct ty_program *p) {
    struct progress progress;
    struct routine_run run = {.program = p,
                              .flow = &p->flow,
                              .plan = &p->plan,
                              .slots = p->slots,
                              .arena = p->arena,
                              .incremental = &p->incremental,
                              .progress = &progress};
    struct device_cell cell, *mine = p->device ? &cell : NULL;
    bool done = true, masked = false;
    for (int k = 0; k < p->flow.nkernels; k++)
        if (p->flow.kernels[k].keeps && !keep(p, k)) return false;
    if (mine && !run_cell_open(p, mine)) return false;
    progress_begin_of(t, &progress, "run", p->flow.nkernels);
    for (int k = 0; k < p->flow.nkernels && done; k++) {
        const struct section *s = section_at(t, p, k);
        if (!(done = progress_step(&progress, k, &p->fault))) break;
        if (s) {
            done = mask(p, s->updates, &masked) && section_run(&run, s, &p->fault);
            k = s->end - 1;
        } else {
            done = launch_one(&run, p, k, &masked, mine);
        }
    }
    if (masked) stop_unmask();
    if (mine) done = run_cell_end(p, mine, done);
    progress_end(&progress);
    atomic_store_explicit(&p->launched, atomic_load(&run.launched), memory_order_relaxed);
    atomic_store_explicit(&p->computed, atomic_load(&run.computed), memory_order_relaxed);
    return done;
}

/* Runs of this thread, innermost first. The function that hears of progress may run programs inside a run. */
struct running {
    const struct ty_program *program;
    struct running *outer;
};

static bool runs_on(const struct context_thread *t, const struct ty_program *p) {
    for (const struct running *r = t->runs; r; r = r->outer)
        if (r->program == p) return true;
    return false;
}

/* ---- entering ---- */

static const struct fault running_here = {true, E_STATE, "run: this thread is running the program already"};
static const struct fault running_elsewhere = {true, E_STATE,
                                               "run: another thread is running the program; inside a run (a "
                                               "function for progress), a thread does not wait"};

const struct fault *program_fault(const struct ty_program *p) {
    if (p->broken.set) return &p->broken;
    const struct context_thread *t = thread_now();
    return t->refused_program == p->id && p->id ? t->refused_why : &p->fault;
}

/* Take p's lock. Return NULL, or the reason why this thread must not wait for it. */
static const struct fault *take_lock(struct context_thread *t, struct ty_program *p) {
    if (!t->runs) return pthread_mutex_lock(&p->lock), NULL;
    if (runs_on(t, p)) return &running_here;
    return pthread_mutex_trylock(&p->lock) ? &running_elsewhere : NULL;
}

/* Enter p. Return NULL, or the reason why it is refused. */
static const struct fault *enter(struct context_thread *t, struct ty_program *p) {
    fork_hold_off();
    program_retain(p); /* the function that hears of progress may free it */
    const struct fault *why = take_lock(t, p);
    if (!why) return NULL;
    fork_allow();
    program_release(p);
    return why;
}

bool program_enter(struct ty_program *p, struct fault *fault) {
    const struct fault *why = enter(thread_now(), p);
    return !why || (fault && fault_copy(fault, why));
}

void program_leave(struct ty_program *p) {
    pthread_mutex_unlock(&p->lock);
    fork_allow();
    program_release(p);
}

/* ---- running ---- */

bool program_runs_here(const struct ty_program *p) { return runs_on(thread_now(), p); }

/* Run the kernels of p, whose lock is held, on thread t. Progress is not reported while variables are claimed. */
static bool run_bound(struct context_thread *t, struct ty_program *p) {
    struct running running = {p, t->runs};
    t->runs = &running;
    t->held += p->holds;
    bool done = (!p->device || tickets_look(p)) && bind(p) && launch_all(t, p);
    t->held -= p->holds;
    t->runs = running.outer;
    return done;
}

/* Buffers are freed after the lock is released: `done` of borrowed memory may run this program, and free it. */
bool program_run_into(struct ty_program *p, ty_tensor *const *arguments, ty_tensor *const *destinations,
                      ty_tensor **values, struct fault *fault) {
    FLOATING_DEFAULT;
    struct context_thread *t = thread_now();
    struct buffer *dead = NULL;
    p->fault.set = false;
    p->fault.text[0] = 0;
    atomic_store_explicit(&p->launched, 0, memory_order_relaxed);
    atomic_store_explicit(&p->computed, 0, memory_order_relaxed);
    p->destinations = destinations;
    bool taken = take_variables(p, arguments), done = taken && run_bound(t, p);
    if (!done) fault_set(&p->fault, E_INTERNAL, "run: a kernel failed without a reason");
    if (taken) {
        if (p->device) run_settle_uses(p, done);
        incremental_end(&p->incremental, p->nuses, p->uses, done);
        variables_give(p->nuses, p->uses, done, &dead);
    }
    done = done && deliver(p);
    p->ran = done;
    for (int i = 0; values && i < p->flow.noutputs; i++) values[i] = done ? ty_retain(p->outputs[i]) : NULL;
    part_with_destinations(p);
    if (p->stepped.at) stepped_end(p);
    p->handed = NULL;
    if (!done && fault) fault_copy(fault, &p->fault);
    if (p->transient) give_back(p);
    if (t->refused_program == p->id) t->refused_program = 0;
    program_leave(p);
    buffers_end(dead);
    return done;
}

bool program_run(struct ty_program *p, ty_tensor *const *arguments, ty_tensor **values, struct fault *fault) {
    return program_run_into(p, arguments, NULL, values, fault);
}

/* Let program_fault tell this thread why it did not enter p. Always return false. */
static bool refuse_here(struct context_thread *t, const struct ty_program *p, const struct fault *why) {
    t->refused_program = p->id;
    t->refused_why = why;
    return false;
}

bool program_run_here(struct ty_program *p, ty_tensor *const *destinations) {
    struct context_thread *t = thread_now();
    const struct fault *why = enter(t, p);
    return why ? refuse_here(t, p, why) : program_run_into(p, NULL, destinations, NULL, NULL);
}

bool program_fail_here(struct ty_program *p, const struct fault *fault) {
    struct context_thread *t = thread_now();
    const struct fault *why = enter(t, p);
    if (why) return refuse_here(t, p, why);
    if (t->refused_program == p->id) t->refused_program = 0;
    p->ran = false;
    fault_copy(&p->fault, fault);
    program_leave(p);
    return false;
}
