/*
 * Loop kernels. The body is compiled for the layout of the sequences, so elements are read in place, and
 * results are written in place. A carry stays in one buffer if the body may overwrite it (pass_update.c).
 * Otherwise it alternates between two buffers, or moves along the rows of its history. A step binds pointers
 * and launches the body's kernels; nothing is allocated.
 */
#include <stdio.h>
#include "base/context/stop.h"
#include <string.h>
#include "array/device_memory.h"
#include "array/progress.h"
#include "base/alloc.h"
#include "compile/bodies/loop.h"
#include "control/loop.h"
#include "graph/walk.h"

/* Indices of steps that are written to a device at once: 32 KiB, whose copy takes about as long as that of one. */
enum { INDICES = 4096 };

/* ---- preparation ---- */

/* Mark in p->wanted the outputs of the loop body that results need, the stop flag, and the next values of
   carries that these read. False, with the fault set, on failure. */
static bool find_wanted(struct loop_plan *p, const struct kernel *k, const struct loop_attr *a,
                        struct fault *fault) {
    const struct body *body = a->body;
    for (int i = 0; i < k->noutputs; i++) {
        int result = k->results[i], history = result - a->ncarries - a->nstacked;
        if (history < 0)
            p->wanted[result] = true;
        else if (history < a->nhistories)
            p->wanted[a->histories[history]] = true;
    }
    if (a->stops) p->wanted[body->nroots - 1] = true;
    for (bool changed = true; changed;) {
        struct walk w = {0};
        ty_tensor **roots = mem_array((size_t)body->nroots, sizeof *roots);
        int n = 0;
        changed = false;
        for (int i = 0; roots && i < body->nroots; i++)
            if (p->wanted[i]) roots[n++] = body->roots[i];
        bool done = roots ? walk_order(&w, n, roots, fault) : fault_memory(fault, sizeof *roots);
        for (int64_t i = 0; done && i < w.count; i++) {
            if (!is_parameter(w.nodes[i]) || parameter_number(w.nodes[i]) >= a->ncarries) continue;
            bool *wanted = &p->wanted[parameter_number(w.nodes[i])];
            changed = changed || !*wanted;
            *wanted = true;
        }
        walk_drop(&w);
        mem_free(roots);
        if (!done) return false;
    }
    return true;
}

/* Return the index of the kernel's output that is result number `result` of the loop; -1 if that result is
   not read. */
static int output_of(const struct kernel *k, int result) {
    for (int i = 0; i < k->noutputs; i++)
        if (k->results[i] == result) return i;
    return -1;
}

/* Lay out carries and the step's index in the workspace, behind that of the loop body. False if memory runs
   out. */
static bool place_carries(struct loop_plan *p, const struct kernel *k, const struct loop_attr *a,
                          struct arena *arena) {
    p->carries = arena_array(arena, (size_t)a->ncarries + 1, sizeof *p->carries);
    p->stacked = arena_array(arena, (size_t)a->nstacked + 1, sizeof *p->stacked);
    if (!p->carries || !p->stacked) return false;
    size_t at = p->code.bytes;
    p->index = at;
    at += PLAN_ALIGN;
    if (p->code.device && p->code.parameters[loop_index_parameter(a)] >= 0) {
        p->indices = at;
        at += (size_t)plan_aligned((a->length < INDICES ? a->length : INDICES) * (int64_t)sizeof(int64_t));
    }
    for (int i = 0; i < a->ncarries; i++) {
        if (!p->wanted[i]) continue;
        int history = loop_history_of(a, i);
        struct carried *c = &p->carries[p->ncarries++];
        *c = (struct carried){.number = i,
                              .last = output_of(k, i),
                              .history = history < 0 ? -1 : output_of(k, loop_history_result(a, history)),
                              .in_place = p->in_place[i],
                              .bytes = tensor_bytes(a->body->parameters[i])};
        for (int j = c->last >= 0; j < 2 - c->in_place && c->history < 0; j++) {
            c->places[j] = at;
            at += (size_t)plan_aligned((int64_t)c->bytes);
        }
    }
    for (int root = a->ncarries; root < a->ncarries + a->nstacked; root++)
        if (output_of(k, root) >= 0)
            p->stacked[p->nstacked++] =
                (struct stacked){root, output_of(k, root), (int64_t)tensor_bytes(a->body->roots[root])};
    p->count = output_of(k, loop_count_result(a));
    p->code.bytes = at;
    return true;
}

/* Return the index of the loop's operand for parameter number `parameter` of its body, which must not be the
   step's index. */
static int operand_of(const struct loop_attr *a, int parameter) {
    return parameter < loop_index_parameter(a) ? parameter : parameter - 1;
}

/* Set *given to the layout of each parameter of the loop body, and if it is fixed, that is, equal in all
   steps: carries are dense; elements have the layout of their sequence without the first axis. False, with no
   fault set, if memory runs out. */
static bool give(struct given *given, const struct kernel *k, const struct loop_attr *a,
                 struct arena *arena) {
    int n = a->body->nparameters;
    struct layout *layouts = arena_array(arena, (size_t)n + 1, sizeof *layouts);
    bool *fixed = arena_array(arena, (size_t)n + 1, sizeof *fixed);
    if (!layouts || !fixed) return false;
    for (int i = 0; i < n; i++) {
        layouts[i] = a->body->parameters[i]->layout;
        if (i < a->ncarries || i == loop_index_parameter(a)) continue;
        fixed[i] = i > loop_index_parameter(a);
        layouts[i] = k->inputs[operand_of(a, i)].layout;
        layouts[i].offset = 0;
        if (fixed[i]) continue;
        layouts[i].rank--;
        layouts[i].shape++;
        layouts[i].strides++;
    }
    *given = (struct given){.layouts = layouts, .fixed = fixed};
    return true;
}

/* Set given->next[i] to the output of the body that may overwrite carry i in place, its next value; -1 if
   carry i has a history that is read or is not wanted. Allocates p->in_place[]. False, with no fault set, if
   memory runs out. */
static bool give_carries(struct given *given, struct loop_plan *p, const struct kernel *k,
                         const struct loop_attr *a, struct arena *arena) {
    int *next = arena_array(arena, (size_t)a->ncarries + 1, sizeof *next);
    p->in_place = arena_array(arena, (size_t)a->ncarries + 1, sizeof *p->in_place);
    if (!next || !p->in_place) return false;
    for (int i = 0, n = 0; i < a->ncarries; i++) {
        int history = loop_history_of(a, i);
        bool kept = history >= 0 && output_of(k, loop_history_result(a, history)) >= 0;
        next[i] = p->wanted[i] && !kept ? n : -1;
        n += p->wanted[i];
    }
    given->ncarries = a->ncarries;
    given->next = next;
    given->in_place = p->in_place;
    return true;
}

/* Compile the loop body of kernel k and lay out the loop's workspace, into its plan; a callback of the
   compiler. False, with the fault set, on failure. */
static bool prepare(struct kernel *k, const struct compiling *c, struct arena *arena) {
    const struct loop_attr *a = k->attr;
    struct loop_plan *p = arena_alloc(arena, sizeof *p);
    struct given given;
    if (p) p->wanted = arena_array(arena, (size_t)a->body->nroots + 1, sizeof *p->wanted);
    if (!p || !p->wanted || !give(&given, k, a, arena)) return fault_memory(c->fault, sizeof *p);
    k->prepared = p;
    if (!find_wanted(p, k, a, c->fault)) return false;
    if (!give_carries(&given, p, k, a, arena)) return fault_memory(c->fault, sizeof *p);
    if (!body_code_make(&p->code, a->body, &given, p->wanted, c, arena)) return false;
    if (!place_carries(p, k, a, arena)) return fault_memory(c->fault, sizeof *p);
    p->inside = (struct inside){&p->code.flow, &p->code.plan};
    k->inside = &p->inside;
    k->ninside = 1;
    k->width = 1;
    k->workspace = p->code.bytes;
    return true;
}

static void drop(struct kernel *k) { body_code_drop(&((struct loop_plan *)k->prepared)->code); }

/* ---- running ---- */

/* State of one launch. */
struct looping {
    const struct kernel *kernel;
    const struct loop_attr *attr;
    const struct loop_plan *plan;
    void *const *outside; /* slots of the enclosing routine */
    void **slots;         /* slots of the body */
    char *workspace;
    struct device *device; /* whose memory all of these are; NULL: the host's */
    int64_t count;         /* number of steps to run */
};

/* Return the address of operand i of the loop. */
static char *operand(const struct looping *l, int i) {
    return operand_base(&l->kernel->inputs[i], l->outside);
}

/* Return the address of output i of the loop. */
static char *output(const struct looping *l, int i) {
    return operand_base(&l->kernel->outputs[i], l->outside);
}

/* Return the address of buffer `which`, 0 or 1, of carry c. Buffer 0 is the loop's output if it has one;
   otherwise buffers lie in the workspace. */
static char *place_of_carry(const struct looping *l, const struct carried *c, int which) {
    return c->last >= 0 && which == 0 ? output(l, c->last) : l->workspace + c->places[which];
}

/* Return the address of element `row`, from 0, of the history of carry c, in the output that holds the
   history. */
static char *history_row(const struct looping *l, const struct carried *c, int64_t row) {
    return output(l, c->history) + row * (int64_t)c->bytes;
}

/* Return the address of carry c after `steps` steps (0: its initial value). With a fixed number of steps, the
   last one writes buffer 0. */
static char *carry_after(const struct looping *l, const struct carried *c, int64_t steps) {
    const struct loop_attr *a = l->attr;
    if (c->history >= 0) return history_row(l, c, a->reverse ? l->count - steps : steps);
    if (c->in_place) return place_of_carry(l, c, 0);
    if (steps == 0) return operand(l, c->number);
    return place_of_carry(l, c, a->stops ? 0 : (int)((l->count - steps) & 1));
}

/* Return the index of a step, which counts from 0. */
static int64_t index_of(const struct looping *l, int64_t step) {
    return l->attr->reverse ? l->count - 1 - step : step;
}

/* On a device, write the indices of the next steps, if steps read them and the last ones written are used up. False,
   with the fault set, on failure. */
static bool write_indices(const struct looping *l, int64_t step, struct fault *fault) {
    if (!l->plan->indices || step % INDICES) return true;
    int64_t left = l->count - step, n = left < INDICES ? left : INDICES;
    size_t bytes = (size_t)n * sizeof(int64_t);
    int64_t *next = mem_array((size_t)n, sizeof *next);
    if (!next) return fault_memory(fault, bytes);
    for (int64_t i = 0; i < n; i++) next[i] = index_of(l, step + i);
    bool done = device_upload(l->device, l->workspace + l->plan->indices, next, bytes, fault);
    mem_free(next);
    return done;
}

/* Bind shared operands, index and stop flag to the loop body, and initialise carries that are changed in
   place or have a history. False, with the fault set, on failure. */
static bool bind_fixed(const struct looping *l, struct fault *fault) {
    const struct loop_attr *a = l->attr;
    const int *blocks = l->plan->code.parameters;
    for (int i = 0; i < loop_shared(a); i++)
        body_code_bind(l->slots, blocks[loop_shared_parameter(a, i)], operand(l, loop_shared_operand(a, i)));
    body_code_bind(l->slots, blocks[loop_index_parameter(a)], l->workspace + l->plan->index);
    if (a->stops)
        body_code_bind(l->slots, l->plan->code.roots[a->body->nroots - 1],
                       l->workspace + l->plan->index + sizeof(int64_t));
    for (int i = 0; i < l->plan->ncarries; i++) {
        const struct carried *c = &l->plan->carries[i];
        bool copied = c->history >= 0 || c->in_place;
        if (copied && c->bytes && carry_after(l, c, 0) != operand(l, c->number) &&
            !memory_copy(l->device, carry_after(l, c, 0), operand(l, c->number), c->bytes, fault))
            return false;
    }
    return true;
}

/* Return the address of carry c after `steps` steps, also in loops that may stop: these alternate between
   both buffers, and `finish` copies the last value to the output if need be. */
static char *turn(const struct looping *l, const struct carried *c, int64_t steps) {
    if (!l->attr->stops || c->history >= 0 || c->in_place || steps == 0) return carry_after(l, c, steps);
    return place_of_carry(l, c, (int)(steps & 1));
}

/* Bind carries, elements of sequences and results of step number `step`, from 0, to the loop body. */
static void bind_step(const struct looping *l, int64_t step) {
    const struct loop_attr *a = l->attr;
    const struct body_code *code = &l->plan->code;
    int64_t index = index_of(l, step);
    if (!l->device) *(int64_t *)(void *)(l->workspace + l->plan->index) = index;
    if (l->plan->indices)
        body_code_bind(l->slots, code->parameters[loop_index_parameter(a)],
                       l->workspace + l->plan->indices + step % INDICES * (int64_t)sizeof index);
    for (int i = 0; i < l->plan->ncarries; i++) {
        const struct carried *c = &l->plan->carries[i];
        body_code_bind(l->slots, code->parameters[c->number], turn(l, c, step));
        body_code_bind(l->slots, code->roots[c->number], turn(l, c, step + 1));
    }
    for (int i = a->ncarries; i < loop_index_parameter(a); i++) {
        const struct operand *x = &l->kernel->inputs[i];
        if (code->parameters[i] >= 0)
            l->slots[code->parameters[i]] =
                operand(l, i) + index * x->layout.strides[0] * (int64_t)dtype_table[x->dtype].size;
    }
    for (int i = 0; i < l->plan->nstacked; i++) {
        const struct stacked *s = &l->plan->stacked[i];
        body_code_bind(l->slots, code->roots[s->root], output(l, s->output) + index * s->bytes);
    }
}

/* Run the steps of the loop until its end or stop flag; *ran is their number. False, with the fault set, on
   failure. */
static bool run_steps(const struct looping *l, int64_t *ran, struct progress *progress, struct fault *fault) {
    const char *flag = l->workspace + l->plan->index + sizeof(int64_t);
    for (*ran = 0; *ran < l->count; ++*ran) {
        if (!progress_step(progress, *ran, fault) || !write_indices(l, *ran, fault)) return false;
        bind_step(l, *ran);
        if (!body_code_run(&l->plan->code, l->slots, l->workspace, fault)) {
            if (stop_said(fault)) return false;
            char words[sizeof fault->text];
            snprintf(words, sizeof words, "%s", fault->text);
            snprintf(fault->text, sizeof fault->text, "step %lld of a loop: %.900s", (long long)*ran, words);
            return false;
        }
        bool stop = false;
        if (l->attr->stops && !memory_get(l->device, &stop, flag, sizeof stop, fault)) return false;
        if (stop) {
            ++*ran;
            return true;
        }
    }
    return true;
}

/* Set elements from .. to-1, exclusive of `to`, of `bytes` bytes each, at `data` to zero: no step has written
   them. False, with the fault set, on failure. */
static bool fill_rest(const struct looping *l, char *data, int64_t bytes, int64_t from, int64_t to,
                      struct fault *fault) {
    return from >= to || memory_zero(l->device, data + from * bytes, (size_t)((to - from) * bytes), fault);
}

/* Copy the last value of carry c to its output, and set the unwritten elements of its history to zero, after `ran`
   steps. False, with the fault set, on failure. */
static bool finish_carry(const struct looping *l, const struct carried *c, int64_t ran, struct fault *fault) {
    const char *from = turn(l, c, ran);
    if (c->history >= 0 &&
        !fill_rest(l, output(l, c->history), (int64_t)c->bytes, ran + 1, l->attr->length + 1, fault))
        return false;
    return c->last < 0 || !c->bytes || output(l, c->last) == from ||
           memory_copy(l->device, output(l, c->last), from, c->bytes, fault);
}

/* Finish carries and stacked results, and write the count of steps, after `ran` steps. False, with the fault set, on
   failure. */
static bool finish(const struct looping *l, int64_t ran, struct fault *fault) {
    for (int i = 0; i < l->plan->ncarries; i++)
        if (!finish_carry(l, &l->plan->carries[i], ran, fault)) return false;
    for (int i = 0; i < l->plan->nstacked; i++) {
        const struct stacked *s = &l->plan->stacked[i];
        if (!fill_rest(l, output(l, s->output), s->bytes, ran, l->attr->length, fault)) return false;
    }
    return l->plan->count < 0 || memory_set(l->device, output(l, l->plan->count), &ran, sizeof ran, fault);
}

/* Run the steps of the loop, whose slots are made, and write the results. False, with the fault set, on failure. */
static bool run(const struct looping *l, struct fault *fault) {
    int64_t ran;
    if (!bind_fixed(l, fault)) return false;
    body_code_keep(&l->plan->code, l->slots, l->workspace);
    struct progress progress;
    progress_begin(&progress, "loop", l->attr->stops ? 0 : l->count);
    bool done = run_steps(l, &ran, &progress, fault);
    progress_end(&progress);
    return done && finish(l, ran, fault);
}

/* Run the loop kernel k on the addresses slots[]: bind operands, run the steps, and write the results. False,
   with the fault set, on failure. */
static bool launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    const struct loop_attr *a = k->attr;
    struct looping l = {.kernel = k,
                        .attr = a,
                        .plan = k->prepared,
                        .outside = slots,
                        .workspace = workspace,
                        .device = k->device,
                        .count = a->length};
    if (a->counted) {
        int64_t wanted;
        if (!memory_get(k->device, &wanted, operand(&l, k->ninputs - 1), sizeof wanted, fault)) return false;
        l.count = wanted < 0 ? 0 : wanted < a->length ? wanted : a->length;
    }
    l.slots = body_code_slots(&l.plan->code, workspace, fault);
    bool done = l.slots && run(&l, fault);
    body_code_end(&l.plan->code, l.slots);
    return done;
}

/* True if block `from` is the first value of a carry that its steps change in place, and `to` its last value. */
static bool reads_in_place(const struct kernel *k, int from, int to) {
    const struct loop_plan *p = k->prepared;
    bool found = false;
    for (int i = 0; i < p->ncarries; i++) {
        const struct carried *c = &p->carries[i];
        bool starts = k->inputs[c->number].slot == from,
             ends = c->last >= 0 && k->outputs[c->last].slot == to;
        if (starts != ends || (starts && (!c->in_place || found))) return false;
        found = found || starts;
    }
    for (int i = 0; i < k->ninputs; i++)
        if (k->inputs[i].slot == from && i >= ((const struct loop_attr *)k->attr)->ncarries) return false;
    return found;
}

const struct control_kind control_loop = {
    .prepare = prepare, .launch = launch, .drop = drop, .reads_in_place = reads_in_place};
