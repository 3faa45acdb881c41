/*
 * Plans an elementwise program: sources of inputs, memory of results, sharing of registers. Registers are assigned by
 * liveness: a result reuses the register of an operand that it reads last (if sizes are equal), else the first free
 * one. The last step that makes an output writes it in place. An output may alias an input; if later steps read that
 * input, the run checks addresses and lets the output wait in a register.
 */
#include <limits.h>
#include "base/machine/cache.h"
#include "base/number.h"
#include "engine/cpu/elementwise/body.h"
#include "engine/cpu/elementwise/chain.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel_lower.h"
#include "ops/core/row_op.h"

/* The registers' share of L1; the rest is for inputs and outputs. */
enum { REGISTER_BYTES = 32 << 10, TILE_SMALLEST = 64 };
enum { VECTOR_MOST = 64 }; /* bytes of the longest vector */
enum { SKEW = 320 };
enum { BYPASS_TILE_BYTES = 4096, RUN_SHORTEST = 256 };

struct body_builder {
    struct cpu_body *body;
    const struct program *program;
    struct arena *arena;
    struct fault *fault;
    bool gathered[BODY_MAX_INPUTS]; /* its gather step exists */
    bool taken[BODY_MAX_VALUES];    /* registers in use */
};

/* Return the program that stands for NULL: no steps, one input, which is the output. */
static const struct program *identity(void) {
    static uint16_t zero;
    static const struct program program = {1, 0, 1, NULL, &zero};
    return &program;
}

/* Allocate in plan->body the body of a program with all its values, steps and outputs. `core`: a value of the
   caller precedes the inputs. False with the fault set on error, also if the program is too long. */
static bool body_new(struct body_builder *plan, bool core, int ninputs, int noutputs) {
    const struct program *program = plan->program;
    if (core + ninputs > BODY_MAX_INPUTS || program->ninstrs > PROGRAM_MAX_INSTRS ||
        noutputs > PROGRAM_MAX_OUTPUTS)
        return fault_set(plan->fault, E_LIMIT,
                         "cpu: a program of %d inputs, %d steps, %d outputs; at most %d, %d, %d",
                         core + ninputs, program->ninstrs, noutputs, BODY_MAX_INPUTS, (int)PROGRAM_MAX_INSTRS,
                         (int)PROGRAM_MAX_OUTPUTS);
    size_t ins = (size_t)ninputs, outs = (size_t)noutputs,
           values = (size_t)core + ins + (size_t)program->ninstrs + outs;
    struct cpu_body *body;
    size_t bytes = sizeof *body + ins * sizeof *body->inputs + outs * sizeof *body->outputs +
                   values * (sizeof *body->values + sizeof *body->steps);
    plan->body = body = arena_alloc(plan->arena, bytes);
    if (!body) return fault_memory(plan->fault, bytes);
    body->inputs = (struct body_input *)(body + 1); /* all have 8-byte members, so alignment holds */
    body->outputs = (struct body_output *)(body->inputs + ins);
    body->values = (struct body_value *)(body->outputs + outs);
    body->steps = (struct body_step *)(body->values + values);
    body->ninputs = core + ninputs;
    body->noutputs = noutputs;
    return true;
}

static int add_value(struct body_builder *plan, enum body_source source, ty_dtype dtype, int input) {
    plan->body->values[plan->body->nvalues] =
        (struct body_value){source, dtype, dtype_table[dtype].size, input, -1, -1, -1};
    return plan->body->nvalues++;
}

/* Return how elements of a layout are read: in place, as one repeated element, or gathered. */
static enum body_source source_of(const struct layout *l) {
    if (layout_is_contiguous(l)) return BODY_DENSE;
    for (int i = 0; i < l->rank; i++)
        if (l->shape[i] != 1 && l->strides[i] != 0) return BODY_GATHERED;
    return BODY_SPLAT;
}

/* Prepare the guard of operand x, its box of valid indices, in *input. An input without axes left (one element)
   gets an axis of stride 0. Return false with a fault if out of memory. */
static bool add_guard(struct body_builder *plan, struct body_input *input, const struct operand *x,
                      enum body_source source) {
    if (!(input->guard = cpu_guard_prepare(x, plan->arena)))
        return fault_memory(plan->fault, sizeof *input->guard);
    struct layout_room room;
    layout_extent(operand_inside(x, &room), &input->low, &input->high);
    input->low -= x->layout.offset;
    input->high -= x->layout.offset;
    if (!x->guard->free) input->run = 0;
    input->chooses = !x->guard->free && source == BODY_SPLAT && x->dtype == TY_BOOL;
    if (input->layout.rank) return true;
    input->layout.rank = 1;
    input->layout.shape[0] = shape_size(x->layout.rank, x->layout.shape);
    input->layout.strides[0] = 0;
    return true;
}

/* Prepare input i of the body from operand x: its source, layout and runs. False with the fault set on error. */
static bool add_input(struct body_builder *plan, int i, const struct operand *x) {
    struct body_input *input = &plan->body->inputs[i];
    enum body_source source = source_of(&x->layout);
    input->slot = x->slot;
    input->offset = x->layout.offset * (int64_t)dtype_table[x->dtype].size;
    bool taken = x->guard || (plan->body->small && source == BODY_DENSE);
    add_value(plan, taken ? BODY_GATHERED : source, x->dtype, i);
    if (source != BODY_GATHERED && !x->guard) return true;
    struct layout *l = &input->layout;
    if (!layout_copy(l, &x->layout, plan->arena)) return fault_memory(plan->fault, sizeof *input);
    layout_collapse(1, &l);
    int64_t length = l->rank ? l->shape[l->rank - 1] : 0, stride = l->rank ? l->strides[l->rank - 1] : 0;
    if (length >= RUN_SHORTEST && (stride == 0 || stride == 1)) input->run = length;
    return !x->guard || add_guard(plan, input, x, source);
}

/* Return true if one vector holds all elements of each operand, so that the program runs as one vector. Never with
   a core, without outputs, or with guards or complex dtypes. */
static bool is_small(const struct body_builder *plan, bool core, int ninputs, const struct operand *inputs,
                     int noutputs, const struct operand *outputs) {
    size_t widest = 1;
    if (core || !noutputs) return false;
    for (int i = 0; i < ninputs + noutputs; i++) {
        const struct operand *x = i < ninputs ? &inputs[i] : &outputs[i - ninputs];
        if (x->guard || dtype_is(x->dtype, CLASS_COMPLEX)) return false;
    }
    for (int i = 0; i < plan->program->ninstrs; i++) {
        const struct instr *instr = &plan->program->instrs[i];
        if (dtype_is(instr->in, CLASS_COMPLEX)) return false;
        widest = dtype_table[instr->out].size > widest ? dtype_table[instr->out].size : widest;
        widest = dtype_table[instr->in].size > widest ? dtype_table[instr->in].size : widest;
    }
    return plan->program->ninstrs &&
           shape_size(outputs->layout.rank, outputs->layout.shape) * (int64_t)widest <= VECTOR_MOST;
}

/* Append a step that computes value `to` from `count` values from[], and set their last use to it. Return the step. */
static struct body_step *add_step(struct body_builder *plan, enum body_action action, int to, int count,
                                  const int *from) {
    struct cpu_body *body = plan->body;
    struct body_step *step = &body->steps[body->nsteps];
    *step = (struct body_step){.action = action, .to = to, .by = -1};
    for (int k = 0; k < 3; k++) {
        int value = count == 0 ? to : from[k < count ? k : 0];
        step->from[k] = value;
        body->values[value].last_use = body->nsteps;
    }
    body->nsteps++;
    return step;
}

/* Append the step that gathers an input, before its first use; nothing if it exists or the value needs none. */
static void need(struct body_builder *plan, int value) {
    if (plan->body->values[value].source != BODY_GATHERED || plan->gathered[value]) return;
    plan->gathered[value] = true;
    add_step(plan, BODY_GATHER, value, 0, NULL);
}

/* Return true if the instruction is `where` by a guard (an input that is one element inside its guard and false
   outside): both sides are computed and stretches are merged. */
static bool chooses(const struct body_builder *plan, const struct instr *instr) {
    const struct cpu_body *body = plan->body;
    if (instr->op != ROW_OP(where) || instr->src[0] >= body->ninputs) return false;
    const struct body_value *value = &body->values[instr->src[0]];
    return value->source == BODY_GATHERED && body->inputs[value->input].chooses;
}

/* Append the step of a `where` by a guard. Always true. */
static bool add_choice(struct body_builder *plan, const struct instr *instr) {
    int from[3] = {instr->src[0], instr->src[1], instr->src[2]};
    need(plan, from[1]);
    need(plan, from[2]);
    add_step(plan, BODY_CHOOSE, add_value(plan, BODY_MADE, instr->out, -1), 3, from);
    plan->body->choices |= UINT32_C(1) << plan->body->values[from[0]].input;
    return true;
}

/* Append the steps of an instruction, and of inputs that it is the first to read. False, with a fault, if
   the engine has no loop for it. */
static bool add_instr(struct body_builder *plan, const struct instr *instr) {
    if (chooses(plan, instr)) return add_choice(plan, instr);
    int from[3], count = instr->op->arity;
    for (int k = 0; k < count; k++) need(plan, from[k] = instr->src[k]);
    int to = add_value(plan, BODY_MADE, instr->out, -1);
    struct body_step *step = add_step(plan, BODY_LOOP, to, count, from);
    step->op = instr->op;
    step->loop = cpu_loop_find(instr->op, instr->in, instr->out);
    step->whole = VECTOR_MOST / (int64_t)plan->body->values[to].size;
    for (int k = 0; k < count; k++)
        step->whole = greater(step->whole, VECTOR_MOST / (int64_t)plan->body->values[from[k]].size);
    return plan->body->steps[plan->body->nsteps - 1].loop ||
           fault_set(plan->fault, E_UNSUPPORTED, "cpu: %s does not compute in %s", instr->op->name,
                     ty_dtype_name(instr->in));
}

/* Set slot, offset and box of output k; NULL: the result buffer in scratch. Return false with a fault if out of
   memory. */
static bool place_output(struct body_builder *plan, int k, const struct operand *output) {
    struct body_output *o = &plan->body->outputs[k];
    o->slot = output ? output->slot : -1;
    if (!output) return true;
    o->offset = output->layout.offset * (int64_t)dtype_table[output->dtype].size;
    if (layout_is_contiguous(&output->layout)) return true;
    struct layout *box = &o->box;
    if (!layout_copy(box, &output->layout, plan->arena)) return fault_memory(plan->fault, sizeof *o);
    layout_collapse(1, &box);
    if (box->strides[box->rank - 1] == 1) o->run = box->shape[box->rank - 1];
    return true;
}

/* Make output k receive a value. If the value is computed and has no output yet, it is made in the output's memory;
   else a step copies it. */
static void add_output(struct body_builder *plan, int k, int value) {
    struct cpu_body *body = plan->body;
    need(plan, value);
    bool made = body->values[value].source == BODY_MADE || body->values[value].source == BODY_GATHERED;
    if (!made || body->values[value].output >= 0) {
        int copy = add_value(plan, BODY_MADE, body->values[value].dtype, -1);
        add_step(plan, BODY_MOVE, copy, 1, &value);
        value = copy;
    }
    body->values[value].output = k;
    body->outputs[k].value = value;
}

/* Return true if a value is made directly in its output's memory; else it waits in a register until the end of the
   tile. */
static bool is_direct(const struct cpu_body *body, int v) {
    const struct body_output *output = &body->outputs[body->values[v].output];
    bool through = body->bypass || output->box.rank;
    if (body->small) return false;
    return !output->hazards && !(through && body->steps[output->step].action != BODY_MOVE);
}

/* Choose non-temporal stores (body->bypass) if operands and the `bytes` of the core's together would sweep the
   caches. Short runs of a box do not stream: four boxes of 64-float runs in one took 2.7 ms with non-temporal
   stores, 2.5 without. */
static void choose_bypass(struct cpu_body *body, const struct operand *outputs, size_t bytes) {
    if (body->outputs->slot < 0) return;
    size_t n = (size_t)shape_size(outputs->layout.rank, outputs->layout.shape);
    for (int v = 0; v < body->ninputs; v++)
        if (body->values[v].source == BODY_DENSE) bytes += n * body->values[v].size;
    bool passing = true, jumps = false;
    for (int k = 0; k < body->noutputs; k++) {
        const struct body_output *output = &body->outputs[k];
        size_t size = body->values[output->value].size;
        bytes += n * size;
        passing = passing && outputs[k].passing;
        jumps = jumps || (output->box.rank && output->run * (int64_t)size < BYPASS_TILE_BYTES);
    }
    body->bypass = !jumps && cache_bypassed(passing ? SIZE_MAX : bytes);
}

/* Set each output's hazards, the bits of the inputs that are read after it is written. Outputs that wait in a
   register keep it to the end. */
static void find_hazards(struct cpu_body *body) {
    for (int s = 0; s < body->nsteps; s++) {
        int k = body->values[body->steps[s].to].output;
        if (k >= 0) body->outputs[k].step = s;
    }
    for (int k = 0; k < body->noutputs; k++) {
        struct body_output *output = &body->outputs[k];
        for (int v = 0; v < body->ninputs && output->slot >= 0; v++) {
            enum body_source source = body->values[v].source;
            if ((source == BODY_DENSE || source == BODY_CORE) && body->values[v].last_use > output->step)
                output->hazards |= UINT32_C(1) << v;
        }
        if (!is_direct(body, output->value)) body->values[output->value].last_use = INT_MAX;
    }
}

/* ---- steps that only some tiles need ---- */

/* Record that a later step reads the value of step s, in tiles on `sides` (inside, outside) of the guard of
   input `by`, or (by -1) in all tiles. `first`: no other use is known yet. */
static void use_on(struct body_step *s, bool first, int by, int sides) {
    if (first) {
        s->by = by;
        s->sides = sides;
    }
    if (s->by != by) s->by = -1;
    s->sides |= sides;
}

/* Return true if the rows of the guard, a box of valid indices, are so short that every tile has elements inside
   and outside. */
static bool is_narrow(const struct cpu_guard *g) { return 2 * g->size[g->rank - 1] <= cpu_tile; }

/* Set each step's `by` and `sides`, the tiles that need it, from the last step to the first, so that all uses are
   known. Return false with a fault if out of memory. */
static bool find_sides(struct body_builder *plan) {
    struct cpu_body *body = plan->body;
    int *maker = arena_array(plan->arena, (size_t)body->nvalues, sizeof *maker);
    bool *used = arena_array(plan->arena, (size_t)body->nsteps + 1, sizeof *used);
    if (!maker || !used) return fault_memory(plan->fault, (size_t)body->nvalues * sizeof *maker);
    for (int v = 0; v < body->nvalues; v++) maker[v] = -1;
    for (int s = 0; s < body->nsteps; s++) maker[body->steps[s].to] = s;
    for (int s = body->nsteps - 1; s >= 0; s--) {
        struct body_step *step = &body->steps[s];
        bool choice = step->action == BODY_CHOOSE;
        if (step->sides == (BODY_INSIDE | BODY_OUTSIDE)) step->by = -1; /* all its uses come later */
        if (body->values[step->to].output >= 0) use_on(step, false, -1, 0);
        for (int k = choice; k < 3; k++) {
            int m = maker[step->from[k]];
            if (m < 0 || m == s) continue;
            bool first = !used[m] && body->values[step->from[k]].output < 0;
            int by = choice ? body->values[step->from[0]].input : step->by;
            use_on(&body->steps[m], first, by, choice ? k : step->sides);
            used[m] = true;
        }
    }
    for (int s = 0; s < body->nsteps; s++)
        if (body->steps[s].by >= 0 && is_narrow(body->inputs[body->steps[s].by].guard))
            body->steps[s].by = -1;
    return true;
}

/* ---- registers ---- */

/* Give the value register `wish` if that is free, else the first free one; wish -1: any. One is always free, as there
   are as many registers as values. */
static void take_register(struct body_builder *plan, struct body_value *value, int wish) {
    int r = wish < 0 || plan->taken[wish] ? 0 : wish;
    while (plan->taken[r]) r++;
    plan->taken[r] = true;
    value->reg = r;
    if (r >= plan->body->nregisters) plan->body->nregisters = r + 1;
}

/* Free the registers of operands that step s reads last, only those whose size equals the result's (`same_size`) or
   differs from it. */
static void free_registers(struct body_builder *plan, int s, bool same_size) {
    const struct body_step *step = &plan->body->steps[s];
    size_t size = plan->body->values[step->to].size;
    for (int k = 0; k < 3; k++) {
        const struct body_value *value = &plan->body->values[step->from[k]];
        if (value->reg >= 0 && value->last_use == s && (value->size == size) == same_size)
            plan->taken[value->reg] = false;
    }
}

/* Return true if a value's register is filled once and read by many tiles: it is a single repeated element. */
static bool keeps_register(const struct cpu_body *body, const struct body_value *value) {
    if (value->source == BODY_SPLAT) return true;
    if (value->source != BODY_GATHERED || value->output >= 0) return false;
    const struct body_input *input = &body->inputs[value->input];
    return input->run && input->layout.strides[input->layout.rank - 1] == 0;
}

/* Assign registers to all values that need one, each from its step to its last use. */
static void assign_registers(struct body_builder *plan) {
    struct cpu_body *body = plan->body;
    for (int v = 0; v < body->ninputs; v++) {
        if (!keeps_register(body, &body->values[v])) continue;
        body->values[v].last_use = INT_MAX;
        take_register(plan, &body->values[v], -1);
    }
    for (int s = 0; s < body->nsteps; s++) {
        struct body_value *value = &body->values[body->steps[s].to];
        bool direct = value->output >= 0 && is_direct(body, body->steps[s].to);
        if (body->steps[s].action == BODY_GATHER) {
            if (!direct && value->reg < 0) take_register(plan, value, -1);
            continue;
        }
        /* a choice patches its operand if that is not needed later */
        int wish = body->steps[s].action == BODY_CHOOSE ? body->values[body->steps[s].from[1]].reg : -1;
        free_registers(plan, s, true);
        if (!direct) take_register(plan, value, wish);
        free_registers(plan, s, false);
        if (value->reg >= 0 && value->last_use < s) plan->taken[value->reg] = false; /* never read */
    }
}

/* Shorten the tile so that it divides the shortest runs of gathered inputs about equally. Not for bodies with a
   core, whose caller cuts the tiles. */
static void fit_runs(struct cpu_body *body) {
    for (int v = 0; v < body->ninputs; v++) {
        if (body->values[v].source != BODY_GATHERED || body->values[v].output >= 0) continue;
        int64_t run = body->inputs[body->values[v].input].run;
        if (run && (!body->run || run < body->run)) body->run = run;
    }
    if (!body->run || body->values->source == BODY_CORE) return;
    int64_t pieces = (body->run + body->tile - 1) / body->tile, piece = (body->run + pieces - 1) / pieces;
    piece = (piece + 15) / 16 * 16;
    if (piece < body->tile) body->tile = piece;
}

/* Choose the elements per tile so that all registers stay in cache, and compute the bytes of scratch. */
static void choose_tile(struct cpu_body *body) {
    size_t widest = 1;
    for (int v = 0; v < body->nvalues; v++)
        if (body->values[v].size > widest) widest = body->values[v].size;
    int often = body->nregisters;
    for (int v = 0; v < body->ninputs; v++)
        if (body->values[v].source == BODY_GATHERED && body->inputs[body->values[v].input].guard &&
            body->values[v].reg >= 0)
            often--;
    int64_t fit =
        body->nregisters ? REGISTER_BYTES / (int64_t)(widest * (size_t)greater(often, 1)) : cpu_tile;
    if (body->bypass && fit > BYPASS_TILE_BYTES / (int64_t)widest) fit = BYPASS_TILE_BYTES / (int64_t)widest;
    body->tile = fit < TILE_SMALLEST ? TILE_SMALLEST
                 : fit < cpu_tile    ? fit / TILE_SMALLEST * TILE_SMALLEST
                                     : cpu_tile;
    fit_runs(body);
    if (body->nsteps <= 1 && !body->nregisters) body->tile = INT64_MAX / 2;
    body->register_bytes = body->nregisters ? cpu_per_thread((size_t)body->tile * widest) + SKEW : 0;
    body->result_offset = (size_t)body->nregisters * body->register_bytes;
    body->scratch = body->result_offset;
    if (body->noutputs && body->outputs[0].slot < 0)
        body->scratch += cpu_per_thread(CPU_TILE * body->values[body->outputs[0].value].size);
}

struct cpu_body *cpu_body_prepare(const struct program *program, bool core, ty_dtype core_dtype, int ninputs,
                                  const struct operand *inputs, int noutputs, const struct operand *outputs,
                                  struct arena *arena, struct fault *fault) {
    return cpu_body_prepare_behind(0, program, core, core_dtype, ninputs, inputs, noutputs, outputs, arena,
                                   fault);
}

struct cpu_body *cpu_body_prepare_behind(size_t bytes, const struct program *program, bool core,
                                         ty_dtype core_dtype, int ninputs, const struct operand *inputs,
                                         int noutputs, const struct operand *outputs, struct arena *arena,
                                         struct fault *fault) {
    struct body_builder plan = {.program = program ? program : identity(), .arena = arena, .fault = fault};
    int results = noutputs ? noutputs : 1;
    if (!body_new(&plan, core, ninputs, results)) return NULL;
    struct cpu_body *body = plan.body;
    body->small = is_small(&plan, core, ninputs, inputs, noutputs, outputs);
    if (core) add_value(&plan, BODY_CORE, core_dtype, -1);
    for (int i = 0; i < ninputs; i++)
        if (!add_input(&plan, i, &inputs[i])) return NULL;
    int first = plan.program->outputs[0];
    if (!noutputs && first < body->ninputs && body->values[first].source == BODY_DENSE) {
        body->in_place = true;
        body->outputs[0].value = first;
        return body;
    }
    /* loading a vector right after storing one element of it stalls */
    for (int i = 0; i < body->ninputs && body->small; i++) need(&plan, i);
    for (int i = 0; i < plan.program->ninstrs; i++)
        if (!add_instr(&plan, &plan.program->instrs[i])) return NULL;
    for (int k = 0; k < results; k++) {
        if (!place_output(&plan, k, noutputs ? &outputs[k] : NULL)) return NULL;
        add_output(&plan, k, plan.program->outputs[k]);
    }
    if (body->choices && !find_sides(&plan)) return NULL;
    cpu_chain_order(body);
    choose_bypass(body, outputs, bytes);
    find_hazards(body);
    assign_registers(&plan);
    choose_tile(body);
    if (!cpu_chain_make(body, arena)) {
        fault_memory(fault, sizeof *body);
        return NULL;
    }
    return body;
}
