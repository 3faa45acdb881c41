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
#include "base/stop.h"
#include "base/threads/lock.h"
#include "compile/program.h"
#include "compile/routine.h"
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

/* Set the address of OUTPUT block b to its result's memory, in a new tensor if there is none or others hold
   the old one. False, with p->fault set, if memory runs out. */
static bool bind_output(struct ty_program *p, int b) {
    const struct block *block = &p->flow.blocks[b];
    bool written = incremental_writes(&p->incremental, &p->flow, b);
    if (p->results[b] && written && is_shared(p, b)) forget_result(p, b);
    if (!p->results[b]) p->results[b] = tensor_new_value(block->dtype, 1, &block->size);
    if (!p->results[b]) return form_fault(&p->fault, block->dtype, 1, &block->size);
    p->slots[b] = p->results[b]->buffer->data;
    return true;
}

/* Make the missing ones of p->outputs, the tensors that ty_output returns: views of results or constants.
   False, with p->fault set, if memory runs out. */
static bool make_outputs(struct ty_program *p) {
    for (int i = 0; i < p->flow.noutputs; i++) {
        const struct operand *o = &p->flow.outputs[i];
        const struct block *block = &p->flow.blocks[o->slot];
        if (p->outputs[i]) continue;
        struct layout layout = o->layout;
        if (block->kind == BLOCK_CONSTANT) layout.offset += block->leaf->layout.offset;
        p->outputs[i] =
            tensor_new_view(block->kind == BLOCK_CONSTANT ? block->leaf : p->results[o->slot], &layout);
        if (!p->outputs[i]) return fault_memory(&p->fault, sizeof *p->outputs[i]);
    }
    return true;
}

/* ---- binding ---- */

/* Take the values of all variables at one moment (ops/core/variable.h) and find the classes to run.
   arguments[] replaces the variables of that argument number; NULL: none is replaced. */
static void take_variables(struct ty_program *p, ty_tensor *const *arguments) {
    for (int i = 0; i < p->nuses; i++) {
        const struct block *block = &p->flow.blocks[p->uses[i].block];
        p->uses[i].leaf = arguments && block->argument >= 0 ? arguments[block->argument] : block->leaf;
    }
    variables_take(p->nuses, p->uses);
    incremental_begin(&p->incremental, &p->flow, p->nuses, p->uses);
    find_lost(p);
}

/* Set the address of a variable's block to its memory; an update that is not in place gets a new buffer.
   False, with p->fault set, if it has no value or memory runs out. */
static bool bind_use(struct ty_program *p, struct variable_use *use) {
    const struct block *block = &p->flow.blocks[use->block];
    if (!use->buffer && !use->updates)
        return fault_set(&p->fault, E_STATE, "run: variable %s has no value", block->name);
    p->slots[use->block] = use->data;
    if (!use->updates || use->in_place) return true;
    if (!(use->fresh = buffer_new((size_t)block->bytes)))
        return form_fault(&p->fault, block->dtype, 1, &block->size);
    p->slots[use->block] = use->fresh->data;
    return true;
}

/* Set the address of block b for this run: an output, constant or temporary; other kinds are left as they
   are. False, with the fault set, on failure. */
static bool bind_block(struct ty_program *p, int b) {
    const struct block *block = &p->flow.blocks[b];
    int region = p->plan.of_block[b];
    switch (block->kind) {
    case BLOCK_OUTPUT:
        return bind_output(p, b);
    case BLOCK_CONSTANT:
        p->slots[b] = tensor_data(block->leaf);
        break;
    case BLOCK_TEMPORARY:
        p->slots[b] = region >= 0 ? p->arena + p->plan.regions[region].offset : plan_nothing;
        break;
    default:
        break; /* KEPT is bound already; VARIABLE and UPDATE are bound by bind_use */
    }
    return true;
}

/* Allocate the arena if needed, and set the addresses of all blocks and variables. False, with the fault set,
   on failure. */
static bool bind(struct ty_program *p) {
    size_t bytes = (size_t)p->plan.arena_bytes;
    if (bytes && !p->arena && !(p->arena = account_near_alloc(bytes, &p->account)))
        return fault_memory(&p->fault, bytes);
    for (int b = 0; b < p->flow.nblocks; b++)
        if (!bind_block(p, b)) return false;
    for (int i = 0; i < p->nuses; i++)
        if (!bind_use(p, &p->uses[i])) return false;
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

/* Compute the kept data of a kernel before the first run, and again if its constants have changed; do nothing
   otherwise. `workspace` is scratch memory. False, with p->fault set, if memory runs out. */
static bool keep(struct ty_program *p, const struct kernel *kernel, void *workspace) {
    void **kept = &p->slots[kernel->kept_slot];
    if (!kernel->keeps || (*kept && !p->incremental.whole)) return true;
    if (!*kept && !(*kept = mem_data_alloc(kernel->kept))) return fault_memory(&p->fault, kernel->kept);
    prepared_keep(kernel, p->slots, workspace);
    if (stop_end(&p->fault)) return true;
    mem_data_free(*kept, kernel->kept);
    *kept = NULL;
    return false;
}

static void *workspace_of(const struct ty_program *p, int k) {
    int region = p->plan.of_workspace[k];
    return region < 0 ? NULL : p->arena + p->plan.regions[region].offset;
}

/* True if kernel k of the run writes into the memory of a variable. */
static bool overwrites(const struct ty_program *p, const struct kernel *k) {
    if (!p->flow.nupdates || !kernel_updates(&p->flow, k)) return false;
    for (int i = 0; i < p->nuses; i++)
        if (p->uses[i].updates && p->uses[i].in_place) return true;
    return false;
}

/* Launch the kernels of p. All memory is allocated before, and kernels that may refuse run before kernels
   that write over variables, so a failing run changes none. For the same reason requests to stop do not hold
   from the first kernel on that does. False, with the fault set, on failure. */
static bool launch_all(struct ty_program *p) {
    struct progress progress;
    int64_t launched = 0;
    bool done = true, masked = false;
    for (int k = 0; k < p->flow.nkernels; k++)
        if (!keep(p, &p->flow.kernels[k], workspace_of(p, k))) return false;
    progress_begin(&progress, "run", p->flow.nkernels);
    for (int k = 0; k < p->flow.nkernels && done; k++) {
        const struct kernel *kernel = &p->flow.kernels[k];
        if (!(done = progress_step(&progress, k, &p->fault))) break;
        if (!incremental_writes(&p->incremental, &p->flow, kernel->outputs[0].slot)) continue;
        if (!masked && overwrites(p, kernel)) {
            if (!(done = stop_check(&p->fault))) break;
            masked = true;
            stop_mask();
        }
        done = routine_start(&p->flow, kernel, p->slots, workspace_of(p, k), &p->fault);
        launched++;
    }
    if (masked) stop_unmask();
    progress_end(&progress);
    atomic_store_explicit(&p->launched, launched, memory_order_relaxed);
    return done;
}

/* Runs of this thread, innermost first. The function that hears of progress may run programs inside a run. */
struct running {
    const struct ty_program *program;
    struct running *outer;
};
static _Thread_local struct running *innermost;

bool program_runs_here(const struct ty_program *p) {
    for (const struct running *r = innermost; r; r = r->outer)
        if (r->program == p) return true;
    return false;
}

/* ---- entering ---- */

static const struct fault running_here = {true, E_STATE, "run: this thread is running the program already"};
static const struct fault running_elsewhere = {true, E_STATE,
                                               "run: another thread is running the program; inside a run (a "
                                               "function for progress), a thread does not wait"};

/* The last program that ty_run refused on this thread, until it enters that program; 0: none. The program's own
   fault belongs to the run that goes on. */
static _Thread_local struct {
    int64_t program;
    const struct fault *why;
} refused;

const struct fault *program_fault(const struct ty_program *p) {
    if (p->broken.set) return &p->broken;
    return refused.program == p->id && p->id ? refused.why : &p->fault;
}

/* Take p's lock. Return NULL, or the reason why this thread must not wait for it. */
static const struct fault *take_lock(struct ty_program *p) {
    if (!innermost) return pthread_mutex_lock(&p->lock), NULL;
    if (program_runs_here(p)) return &running_here;
    return pthread_mutex_trylock(&p->lock) ? &running_elsewhere : NULL;
}

/* Enter p. Return NULL, or the reason why it is refused. */
static const struct fault *enter(struct ty_program *p) {
    fork_hold_off();
    program_retain(p); /* the function that hears of progress may free it */
    const struct fault *why = take_lock(p);
    if (!why) return NULL;
    fork_allow();
    program_release(p);
    return why;
}

bool program_enter(struct ty_program *p, struct fault *fault) {
    const struct fault *why = enter(p);
    return !why || (fault && fault_copy(fault, why));
}

void program_leave(struct ty_program *p) {
    pthread_mutex_unlock(&p->lock);
    fork_allow();
    program_release(p);
}

/* ---- running ---- */

/* Run the kernels of p, whose lock is held. Progress is not reported while variables are claimed. */
static bool run_bound(struct ty_program *p) {
    struct running running = {p, innermost};
    innermost = &running;
    progress_held += p->holds;
    bool done = bind(p) && launch_all(p);
    progress_held -= p->holds;
    innermost = running.outer;
    return done;
}

/* Buffers are freed after the lock is released: `done` of borrowed memory may run this program, and free it. */
bool program_run(struct ty_program *p, ty_tensor *const *arguments, ty_tensor **values, struct fault *fault) {
    FLOATING_DEFAULT;
    struct buffer *dead = NULL;
    p->fault.set = false;
    p->fault.text[0] = 0;
    atomic_store_explicit(&p->launched, 0, memory_order_relaxed);
    take_variables(p, arguments);
    bool done = run_bound(p);
    if (!done) fault_set(&p->fault, E_INTERNAL, "run: a kernel failed without a reason");
    incremental_end(&p->incremental, p->nuses, p->uses, done);
    variables_give(p->nuses, p->uses, done, &dead);
    p->ran = done;
    for (int i = 0; values && i < p->flow.noutputs; i++) values[i] = done ? ty_retain(p->outputs[i]) : NULL;
    if (!done && fault) fault_copy(fault, &p->fault);
    if (p->transient) give_back(p);
    if (refused.program == p->id) refused.program = 0;
    program_leave(p);
    buffers_end(dead);
    return done;
}

bool program_run_here(struct ty_program *p) {
    const struct fault *why = enter(p);
    if (!why) return program_run(p, NULL, NULL, NULL);
    refused.program = p->id;
    refused.why = why;
    return false;
}
