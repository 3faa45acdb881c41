/* Compilation of programs, and public functions on them. */
#include "compile/runs/cut.h"
#include "compile/program.h"
#include "array/progress.h"
#include <stdio.h>
#include <string.h>
#include "base/options.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/machine/isa.h"
#include "base/context/stop.h"
#include "base/map.h"
#include "array/remote.h"
#include "compile/packed.h"
#include "compile/passes.h"
#include "compile/routine.h"
#include "compile/runs/run_device.h"
#include "compile/runs/ticket.h"
#include "graph/walk.h"
#include "compile/shadow.h"
#include "ops/core/kernel/devices.h"
#include "ops/core/op.h"
#include "ops/core/watch.h"

/* ---- checking the request ---- */

/* Check an update: a variable, and a value of its dtype and shape. False, with the fault set, on failure. */
static bool check_update(const ty_update *u, struct fault *fault) {
    char left[160], right[160];
    if (!ty_ok(u->variable))
        return fault_set(fault, ty_error_code(u->variable), "compile: a variable to update: %s",
                         ty_error(u->variable));
    if (!ty_ok(u->value)) return fault_tensor(fault, u->value);
    if (u->variable->op != &op_input)
        return fault_set(fault, E_ARGUMENT,
                         "compile: only lazy variables (ty_var) can be updated; this is a %s",
                         u->variable->promise   ? "promise"
                         : u->variable->tracked ? "tracked variable (ty_track)"
                                                : "value");
    if (tensor_same_form(u->variable, u->value)) return true;
    return fault_set(fault, E_DTYPE,
                     "compile: a variable is %s, its next value is %s; shapes and dtypes must match",
                     tensor_describe_into(left, sizeof left, u->variable),
                     tensor_describe_into(right, sizeof right, u->value));
}

/* Check that the options' changing tensors are variables that can be set between runs. False, with the fault
   set, on failure. */
static bool check_changing(const ty_compile_options *o, struct fault *fault) {
    for (int i = 0; i < o->nchanging; i++) {
        const ty_tensor *x = tensor_of(o->changing[i]);
        char words[160];
        if (!ty_ok(x))
            return fault_set(fault, ty_error_code(x), "compile: a variable that changes: %s", ty_error(x));
        if (x->op != &op_input)
            return fault_set(fault, E_ARGUMENT,
                             "compile: only lazy variables (ty_var) change between runs; this is %s",
                             tensor_describe_into(words, sizeof words, x));
    }
    return true;
}

/* Check all updates; no variable may be updated twice. False, with the fault set, on failure. */
static bool check_updates(const ty_compile_options *o, struct fault *fault) {
    struct map seen = {0};
    for (int i = 0; i < o->nupdates && !fault->set && check_update(&o->updates[i], fault); i++) {
        const ty_tensor *variable = o->updates[i].variable;
        bool is_new;
        if (!map_put(&seen, map_key(variable), i, &is_new))
            fault_memory(fault, sizeof seen);
        else if (!is_new)
            fault_set(fault, E_ARGUMENT, "compile: variable %s is updated twice", ty_name(variable));
    }
    map_drop(&seen);
    return !fault->set;
}

/* Check the user's rewrite rule r, number i in messages: no field is NULL and the operator exists. False,
   with the fault set, on failure. */
static bool check_rewrite(const ty_rewrite *r, int i, struct fault *fault) {
    if (!r->name || !r->op || !r->act)
        return fault_set(fault, E_ARGUMENT, "compile: rewrite %d has NULL for %s", i,
                         !r->name ? "its name"
                         : !r->op ? "its operator"
                                  : "its function");
    if (!OPTIONS_UNUSED(r, "compile: a rewrite", fault)) return false;
    return op_find(r->op) ||
           fault_set(fault, E_ARGUMENT, "compile: rewrite %s names the unknown operator \"%s\"", r->name,
                     r->op);
}

/* Check the engine, outputs[n] and options, and store the engine. False, with the fault set, on failure, in
   p->broken. */
static bool check_request(struct ty_program *p, int n, ty_tensor *const *outputs,
                          const ty_compile_options *o) {
    struct fault why;
    fault_clear(&why);
    if (!p->engine)
        p->engine = o->engine ? engine_open(o->engine, &why) : engine_of(outputs ? n : 0, outputs);
    if (!p->engine) return fault_from(&p->broken, "compile", why.code, why.text);
    p->device = p->engine->device;
    if (n < 0 || o->nupdates < 0 || o->nchanging < 0)
        return fault_set(&p->broken, E_ARGUMENT,
                         "compile: a negative number of outputs, updates or changing variables");
    if ((n && !outputs) || (o->nupdates && !o->updates) || (o->nchanging && !o->changing))
        return fault_set(
            &p->broken, E_ARGUMENT,
            "compile: an array is NULL; expected %d outputs, %d updates and %d changing variables", n,
            o->nupdates, o->nchanging);
    if (o->max_bytes < 0)
        return fault_set(&p->broken, E_LIMIT, "compile: max_bytes is %lld; expected 0 (no limit) or more",
                         (long long)o->max_bytes);
    if (o->pack_steps < 0)
        return fault_set(&p->broken, E_ARGUMENT, "compile: pack_steps is %lld; expected 0 or more",
                         (long long)o->pack_steps);
    if (o->nrewrites < 0 || (o->nrewrites && !o->rewrites))
        return fault_set(&p->broken, E_ARGUMENT, "compile: %d rewrites: %s", o->nrewrites,
                         o->rewrites ? "expected 0 or more" : "the array is NULL");
    for (int i = 0; i < o->nrewrites; i++)
        if (!check_rewrite(&o->rewrites[i], i, &p->broken)) return false;
    for (int i = 0; i < n; i++)
        if (!ty_ok(outputs[i])) return fault_tensor(&p->broken, outputs[i]);
    return check_updates(o, &p->broken) && check_changing(o, &p->broken);
}

/* ---- compiling ---- */

/* Allocate and fill the tables for runs of p. False, with the fault set, on failure, in p->broken. */
static bool make_tables(struct ty_program *p) {
    size_t blocks = (size_t)p->flow.nblocks + 1;
    p->slots = mem_array(blocks, sizeof *p->slots);
    p->packed = mem_array(blocks, sizeof *p->packed);
    p->uses = mem_array(blocks, sizeof *p->uses);
    p->results = mem_array(blocks, sizeof *p->results);
    p->outputs = mem_array((size_t)p->flow.noutputs + 1, sizeof *p->outputs);
    p->first_output = mem_array(blocks, sizeof *p->first_output);
    p->next_output = mem_array((size_t)p->flow.noutputs + 1, sizeof *p->next_output);
    p->places = mem_array((size_t)p->flow.noutputs + 1, sizeof *p->places);
    if (!p->slots || !p->packed || !p->uses || !p->results || !p->outputs || !p->first_output ||
        !p->next_output || !p->places)
        return fault_memory(&p->broken, blocks * sizeof *p->slots);
    p->slots[p->flow.nblocks] = cut_zeros;
    for (int b = 0; b < p->flow.nblocks; b++) {
        enum block_kind kind = p->flow.blocks[b].kind;
        p->holds |= kind == BLOCK_UPDATE;
        if (kind == BLOCK_VARIABLE || kind == BLOCK_UPDATE)
            p->uses[p->nuses++] = (struct variable_use){.block = b, .updates = kind == BLOCK_UPDATE};
    }
    for (int i = p->flow.noutputs - 1; i >= 0; i--) {
        int *first = &p->first_output[p->flow.outputs[i].slot];
        p->next_output[i] = *first;
        *first = i + 1;
    }
    return incremental_make(&p->incremental, &p->flow, p->nuses) ||
           fault_memory(&p->broken, (size_t)p->flow.classes.n);
}

/* Fill in the report's figures about kernels, blocks and memory. */
static void fill_report(struct ty_program *p) {
    ty_report *r = &p->report;
    r->nodes_after = r->kernels = p->flow.nkernels;
    for (int k = 0; k < p->flow.nkernels; k++) r->edges_after += p->flow.kernels[k].ninputs;
    r->blocks = p->plan.nregions;
    r->inplace += p->plan.inplace;
    r->arena_bytes = p->plan.arena_bytes;
    r->live_bound = p->plan.live_bound;
    r->workspace_bytes = p->plan.workspace_bytes;
    r->unplanned_bytes = p->plan.unplanned_bytes;
    r->stays_bytes = p->plan.stays_bytes;
}

/* Compile the graph of n outputs roots[] and check the shadow computations, if any. False, with the fault
   set, on failure, in p->broken. */
static bool compile_roots(struct ty_program *p, int n, ty_tensor **roots, const ty_compile_options *o,
                          const struct plan_use *sharing) {
    struct shadows shadows = {0};
    struct compiling c = {
        p->engine, o, &p->report, &p->broken, o->shadow ? &shadows : NULL, o->keep_graph ? &p->story : NULL,
        sharing};
    bool done = routine_make(&p->flow, &p->plan, &c, NULL, n, roots) && make_tables(p);
    for (int i = 0; i < n && done; i++) p->places[i] = roots[i]->place;
    p->refuses = done && p->device && flow_refuses(&p->flow);
    done = done && (!o->shadow || shadows_agree(&shadows, p->engine, &p->broken));
    shadows_drop(&shadows);
    return done;
}

/* Check the request and compile the outputs and the updates' values. False, with the fault set, on failure,
   in p->broken. */
static bool compile_all(struct ty_program *p, int n, ty_tensor *const *outputs, const ty_compile_options *o,
                        const struct plan_use *sharing) {
    if (!check_request(p, n, outputs, o)) return false;
    ty_tensor **roots = mem_array((size_t)n + (size_t)o->nupdates, sizeof *roots);
    if (!roots) return fault_memory(&p->broken, (size_t)(n + o->nupdates) * sizeof *roots);
    for (int i = 0; i < n; i++) roots[i] = tensor_resolve(outputs[i]);
    for (int i = 0; i < o->nupdates; i++) roots[n + i] = tensor_resolve(o->updates[i].value);
    ty_scope *scope = ty_open();
    bool done = compile_roots(p, n, roots, o, sharing);
    ty_close(scope);
    mem_free(roots);
    return done;
}

/* Return a program with nothing in it, with one reference; NULL: no memory. */
static struct ty_program *program_empty(void) {
    struct ty_program *p = mem_alloc(sizeof *p);
    if (!p) return NULL;
    static _Atomic int64_t programs;
    pthread_mutex_init(&p->lock, NULL);
    p->id = atomic_fetch_add_explicit(&programs, 1, memory_order_relaxed) + 1;
    atomic_init(&p->refs, 1);
    return p;
}

/* Compile a program as program_new_shared does; engine NULL: that of the options. */
static struct ty_program *compile(const struct engine *engine, int n, ty_tensor *const *outputs,
                                  ty_compile_options options, const struct plan_use *sharing) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("compile");
    double start = debug_clock();
    struct ty_program *p = program_empty();
    if (!p) return NULL;
    p->engine = engine;
    if (launch_watches() & WATCH_NUMBERS) options.no_fuse = true; /* the trap names single operators */
    if (compile_all(p, n, outputs, &options, sharing))
        fill_report(p);
    else
        fault_set(&p->broken, E_INTERNAL, "compile: failed without a reason");
    p->report.compile_ms = debug_clock() - start;
    if (debug_level() < 2) return p;
    char *text = ty_program_text(p);
    if (text) fputs(text, stderr);
    mem_free(text);
    return p;
}

struct ty_program *program_new_shared(int n, ty_tensor *const *outputs, ty_compile_options options,
                                      const struct plan_use *sharing) {
    return compile(NULL, n, outputs, options, sharing);
}
struct ty_program *program_new_by(const struct engine *engine, int n, ty_tensor *const *outputs,
                                  ty_compile_options options) {
    return compile(engine, n, outputs, options, NULL);
}
struct ty_program *program_new(int n, ty_tensor *const *outputs, ty_compile_options options) {
    return program_new_shared(n, outputs, options, NULL);
}

/* ---- lifetime ---- */

struct ty_program *program_retain(struct ty_program *p) {
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

size_t program_bytes(const struct ty_program *p) {
    size_t blocks = (size_t)p->flow.nblocks, outputs = (size_t)p->flow.noutputs;
    size_t bytes = sizeof *p + routine_bytes(&p->flow, &p->plan) + (size_t)p->report.kept_bytes;
    bytes += blocks * (sizeof *p->slots + sizeof *p->packed + sizeof *p->uses + sizeof *p->results +
                       sizeof *p->first_output);
    bytes += outputs * (sizeof *p->outputs + sizeof *p->next_output);
    return bytes + p->story.text.capacity;
}

void program_parts(const void *program, lru_each each, void *context) {
    const struct ty_program *p = program;
    routine_parts(&p->flow, each, context);
    for (int b = 0; p->packed && b < p->flow.nblocks; b++) {
        const void *data = atomic_load(&p->packed[b]);
        if (data) each(context, data, (size_t)p->flow.blocks[b].bytes);
    }
}

void program_drop_arena(struct ty_program *p) {
    if (p->device) {
        device_free(p->device, p->arena);
        device_free(p->device, p->zeros);
    } else if (!p->lent) {
        account_near_free(p->arena, (size_t)p->plan.arena_bytes, p->account);
    }
    p->zeros = NULL;
    p->arena = NULL;
    p->account = NULL;
}

void program_release(struct ty_program *p) {
    if (atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1) return;
    for (int b = 0; p->results && b < p->flow.nblocks; b++)
        if (p->results[b]) ty_release(p->results[b]);
    for (int i = 0; p->outputs && i < p->flow.noutputs; i++)
        if (p->outputs[i]) ty_release(p->outputs[i]);
    if (p->device) tickets_forget(p);
    program_drop_arena(p);
    for (int b = 0; p->slots && b < p->flow.nblocks; b++)
        if (p->flow.blocks[b].kind == BLOCK_KEPT && p->slots[b])
            packed_end(p->slots[b], (size_t)p->flow.blocks[b].bytes);
    mem_free(p->slots);
    mem_free(p->packed);
    mem_free(p->uses);
    mem_free(p->results);
    mem_free(p->outputs);
    mem_free(p->first_output);
    mem_free(p->next_output);
    mem_free(p->places);
    incremental_drop(&p->incremental);
    text_drop(&p->story.text);
    routine_drop(&p->flow, &p->plan);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}

/* ---- public functions ---- */

/* result of ty_compile if there is no memory */
static struct ty_program no_memory = {
    .broken = {true, E_MEMORY, "out of memory: a program could not be allocated"}};

ty_program *ty_compile_sized(int n, ty_tensor *const *outputs, const ty_compile_options *given,
                             size_t given_size) {
    ty_compile_options options;
    struct fault fault;
    fault_clear(&fault);
    bool known = OPTIONS_READ(options, given, given_size, &fault);
    struct ty_program *p = known ? program_new(n, outputs, options) : program_empty();
    if (p && !known) p->broken = fault;
    return p ? p : &no_memory;
}

void ty_program_free(ty_program *program) {
    if (program && program != &no_memory) program_release(program);
}

const char *ty_program_error(const ty_program *program) {
    const struct fault *fault = program_fault(program_of(program));
    return fault->set ? fault->text : "";
}
ty_tensor *ty_program_failure(const ty_program *program) {
    return tensor_failure(program_fault(program_of(program)));
}

void ty_program_report_sized(const ty_program *program, ty_report *told, size_t size) {
    program = program_of(program);
    ty_report report = program_report(program);
    options_write(told, size, &report, sizeof report);
}

bool ty_run(ty_program *program) {
    program = program_of(program);
    return !program->broken.set && program_run_here(program, NULL);
}

bool ty_run_outputs(ty_program *program, int n, ty_tensor **outputs) {
    program = program_of(program);
    if (n > 0 && !outputs) return false; /* no place for an error message */
    struct fault fault = program->broken;
    if (n != program->flow.noutputs)
        fault_set(&fault, E_ARGUMENT, "run: %d outputs were requested; the program has %d", n,
                  program->flow.noutputs);
    bool done = !fault.set && program_enter(program, &fault) && program_run(program, NULL, outputs, &fault);
    for (int i = 0; i < n; i++) outputs[i] = done ? tensor_return(outputs[i]) : tensor_fault(&fault);
    return results_settled(n, outputs) && done;
}

/* Check that the caller's memory of `bytes` bytes is aligned and can hold the arena of p; NULL passes. False,
   with the fault set, if not, or if p is incremental and has run. */
static bool check_memory(const struct ty_program *p, const void *memory, size_t bytes, struct fault *fault) {
    int64_t needed = p->plan.arena_bytes;
    int off = (int)((uintptr_t)memory % PLAN_ALIGN);
    if (p->ran && p->incremental.versions)
        return fault_set(fault, E_STATE,
                         "memory: an incremental program that has run keeps its memory, which holds results");
    if (off)
        return fault_set(fault, E_ARGUMENT,
                         "memory: the address is %d bytes past a multiple of %d; use aligned_alloc(%d, ...)",
                         off, PLAN_ALIGN, PLAN_ALIGN);
    if (memory && p->device)
        return fault_set(fault, E_STATE, "memory: the program's memory is on %s", p->device->name);
    return !memory || bytes >= (size_t)needed ||
           fault_set(fault, E_ARGUMENT, "memory: the program needs %lld bytes (report.arena_bytes); got %zu",
                     (long long)needed, bytes);
}

bool ty_program_memory(ty_program *program, void *memory, size_t bytes, ty_tensor **error) {
    struct ty_program *p = program_of(program);
    struct fault fault = p->broken;
    if (!fault.set && program_enter(p, &fault)) {
        if (check_memory(p, memory, bytes, &fault)) {
            program_drop_arena(p);
            p->arena = memory;
            p->lent = memory;
        }
        program_leave(p);
    }
    if (fault.set && error) *error = tensor_fault(&fault);
    return !fault.set;
}

ty_tensor *ty_output(ty_program *program, int i) {
    program = program_of(program);
    if (program->broken.set) return tensor_fault(&program->broken);
    if (i < 0 || i >= program->flow.noutputs)
        return ty_poison_code(E_INDEX, "output: index %d is out of bounds: the program has %d output%s", i,
                              program->flow.noutputs, program->flow.noutputs == 1 ? "" : "s");
    if (program_runs_here(program))
        return ty_poison_code(E_STATE,
                              "output: this thread is running the program; its outputs are incomplete");
    if (program->fault.set) return tensor_fault(&program->fault);
    if (program->ran && !program->outputs[i])
        return ty_poison_code(E_STATE, "output: the last run wrote output %d into a destination", i);
    return program->ran ? program->outputs[i]
                        : ty_poison_code(E_STATE, "output: the program has not run yet; call ty_run first");
}

bool ty_program_check(const ty_program *program, ty_tensor **error) {
    program = program_of(program);
    struct fault fault = program->broken;
    bool well = !fault.set && memory_plan_check(&program->plan, &program->flow, &fault) &&
                flow_check_updates(&program->flow, &fault) && flow_check_classes(&program->flow, &fault);
    if (error) *error = well ? NULL : tensor_fault(&fault);
    return well;
}
