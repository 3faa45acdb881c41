/*
 * Runs elementwise programs tile by tile. A tile's registers stay in L1, so a program of any length reads its inputs
 * and writes its outputs once. body.h describes the plan.
 */
#include "engine/cpu/elementwise/body.h"
#include "engine/cpu/elementwise/chain.h"
#include <string.h>
#include "base/number.h"
#include "base/machine/cache.h"
#include "engine/cpu/elementwise/collect.h"

/* Location of a value. */
struct tile_place {
    char *base;
    size_t advance; /* bytes per element; 0: a register */
};

/* State of one call of cpu_body_run. */
struct run {
    const struct cpu_body *body;
    char *scratch;
    int64_t start, n;
    const char *operands[BODY_MAX_INPUTS]; /* first element of each input */
    struct tile_place places[BODY_MAX_VALUES];
    char *outputs[PROGRAM_MAX_OUTPUTS];
    bool routed[PROGRAM_MAX_OUTPUTS]; /* the output passes through its register */
    bool in_run[BODY_MAX_INPUTS];     /* GATHERED: the tile lies in one run, so it is not gathered */
    int64_t until[BODY_MAX_INPUTS];   /* end of that run */
    char *laid[PROGRAM_MAX_OUTPUTS];  /* boxes: address of element 0 as if the last tile's run went on */
    int64_t laid_until[PROGRAM_MAX_OUTPUTS]; /* end of that run */
    struct cpu_stretch
        stretches[BODY_MAX_INPUTS]; /* inputs that steps choose by: the stretch in which the tile begins */
    uint8_t sides[BODY_MAX_INPUTS]; /* sides that the tile has */
};

static char *at(const struct run *run, int value, int64_t i) {
    struct tile_place place = run->places[value];
    return place.advance ? place.base + (size_t)i * place.advance : place.base;
}

static char *register_of(const struct run *run, const struct body_value *value) {
    return run->scratch + (size_t)value->reg * run->body->register_bytes;
}

/* Locate all inputs for a run: in memory, or as one repeated element in a register. core: the
   contraction's sums. *filled: number of repeated elements that the registers have from earlier runs. */
static void place_inputs(struct run *run, void *const *slots, const void *core, int64_t *filled) {
    const struct cpu_body *body = run->body;
    int64_t repeats = lesser(run->n, body->tile);
    for (int v = 0; v < body->ninputs; v++) {
        const struct body_value *value = &body->values[v];
        struct tile_place *place = &run->places[v];
        if (value->source == BODY_CORE) {
            *place = (struct tile_place){(char *)(uintptr_t)core, value->size};
            continue;
        }
        const struct body_input *input = &body->inputs[value->input];
        char *first = (char *)slots[input->slot] + input->offset;
        run->operands[value->input] = first;
        if (value->source == BODY_DENSE)
            *place = (struct tile_place){first + (size_t)run->start * value->size, value->size};
        if (value->source == BODY_SPLAT) {
            *place = (struct tile_place){register_of(run, value), 0};
            if (*filled < repeats) cpu_fill(value->size, first, place->base, repeats);
        }
    }
    *filled = greater(*filled, repeats);
}

static bool overlap(const char *a, const char *b, size_t bytes) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < bytes : x - y < bytes;
}

/* Return true if the memory of output k overlaps an input that later steps read; the output must then wait in a
   register. */
static bool is_routed(const struct run *run, int k) {
    const struct body_output *output = &run->body->outputs[k];
    size_t size = run->body->values[output->value].size;
    for (uint32_t left = output->hazards; left; left &= left - 1) {
        struct tile_place input = run->places[__builtin_ctz(left)];
        size_t widest = size > input.advance ? size : input.advance;
        if (overlap(run->outputs[k], input.base, (size_t)run->n * widest)) return true;
    }
    return false;
}

/* Locate all outputs for a run, and mark those that wait in a register. */
static void place_outputs(struct run *run, void *const *slots) {
    const struct cpu_body *body = run->body;
    for (int k = 0; k < body->noutputs; k++) {
        const struct body_output *output = &body->outputs[k];
        size_t size = body->values[output->value].size;
        bool box = output->box.rank > 0, moved = body->steps[output->step].action == BODY_MOVE;
        run->outputs[k] = output->slot < 0 ? run->scratch + body->result_offset
                                           : (char *)slots[output->slot] + output->offset +
                                                 (box ? 0 : (size_t)run->start * size);
        run->laid_until[k] = 0;
        run->routed[k] = moved ? !box && is_routed(run, k) : box || body->bypass || is_routed(run, k);
    }
}

/* Choose for each result of a step where it is made: in its output's memory, or in a register. */
static void place_made(struct run *run) {
    const struct cpu_body *body = run->body;
    for (int v = 0; v < body->nvalues; v++) {
        const struct body_value *value = &body->values[v];
        if (value->source != BODY_MADE && value->source != BODY_GATHERED) continue;
        bool direct = value->output >= 0 && !run->routed[value->output];
        run->places[v] = direct ? (struct tile_place){run->outputs[value->output], value->size}
                                : (struct tile_place){register_of(run, value), 0};
        if (v < body->ninputs) run->in_run[v] = false, run->until[v] = 0;
    }
}

/* Locate elements i .. i+n-1 of input v, which has runs: in one run of memory, as one repeated element in a
   register, or to be gathered. The location stays valid for later tiles of the run. */
static void place_in_run(struct run *run, int v, int64_t i, int64_t n) {
    const struct body_value *value = &run->body->values[v];
    const struct body_input *input = &run->body->inputs[value->input];
    if (i + n <= run->until[v]) return;
    int64_t element = run->start + i;
    char *room = register_of(run, value);
    bool moves = input->layout.strides[input->layout.rank - 1];
    int64_t at = cpu_locate(&input->layout, element), left = input->run - element % input->run;
    if (input->guard)
        left = at < input->low || at >= input->high ? 0 : moves ? lesser(left, input->high - at) : left;
    run->in_run[v] = n <= left;
    run->until[v] = n <= left ? i + left : 0;
    run->places[v] = (struct tile_place){room, 0};
    if (!run->in_run[v]) return;
    const char *x = run->operands[value->input] + at * (int64_t)value->size;
    if (!moves)
        cpu_fill(value->size, x, room, lesser(run->body->tile, lesser(left, run->n - i)));
    else
        run->places[v] =
            (struct tile_place){(char *)((uintptr_t)x - (uintptr_t)i * value->size), value->size};
}

/* Locate elements i .. i+n-1 of all inputs that have runs. */
static void place_runs(struct run *run, int64_t i, int64_t n) {
    const struct cpu_body *body = run->body;
    for (int v = 0; v < body->ninputs; v++) {
        const struct body_value *value = &body->values[v];
        if (value->source == BODY_GATHERED && value->output < 0 && body->inputs[value->input].run)
            place_in_run(run, v, i, n);
    }
}

/* Return the address of elements i .. i+n-1 of output k, a box of a larger block, if they lie in one run; else
   NULL. The location stays valid for later tiles of the run. */
static char *place_in_box(struct run *run, int k, int64_t i, int64_t n) {
    const struct body_output *output = &run->body->outputs[k];
    int64_t size = (int64_t)run->body->values[output->value].size, element = run->start + i;
    if (!output->run) return NULL;
    if (i + n > run->laid_until[k]) {
        run->laid_until[k] = i + output->run - element % output->run;
        run->laid[k] = run->outputs[k] + (cpu_locate(&output->box, element) - i) * size;
    }
    return i + n > run->laid_until[k] ? NULL : run->laid[k] + i * size;
}

/* Store n contiguous values at `from` to elements i .. i+n-1 of output k. */
static void store(struct run *run, int k, const char *from, int64_t i, int64_t n) {
    const struct body_output *output = &run->body->outputs[k];
    size_t size = run->body->values[output->value].size;
    char *to = output->box.rank ? place_in_box(run, k, i, n) : run->outputs[k] + (size_t)i * size;
    if (to)
        (run->body->bypass ? cache_bypass_copy : cache_copy)(to, from, (size_t)n * size);
    else
        cpu_lay(&output->box, size, run->outputs[k], from, run->start + i, n, run->body->bypass);
}

/* ---- guards ---- */

/* Copy n contiguous elements of `size` bytes from `from` to `to`, of any alignment; fast for one element of four
   or eight bytes. */
static inline void move_few(size_t size, char *to, const char *from, int64_t n) {
    if (n == 1 && size == 4)
        memcpy(to, from, 4);
    else if (n == 1 && size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, (size_t)n * size);
}

/* Gather elements i .. i+n-1 of an input into `to`, with zeros where its guard, a box of valid indices, excludes
   them. */
static void gather_guarded(const struct run *run, const struct body_value *value, char *to, int64_t i,
                           int64_t n) {
    const struct body_input *input = &run->body->inputs[value->input];
    int64_t start = run->start + i, end = start + n, last = input->layout.shape[input->layout.rank - 1];
    bool one = input->layout.strides[input->layout.rank - 1] == 1;
    struct cpu_stretch s;
    for (cpu_stretch_begin(&s, input->guard, start); s.at < end; cpu_stretch_next(&s, input->guard)) {
        char *part = to + (size_t)(s.at - start) * value->size;
        int64_t count = lesser(s.end, end) - s.at;
        if (!s.inside)
            memset(part, 0, (size_t)count * value->size);
        else if (one && s.at % last + count <= last)
            move_few(value->size, part,
                     run->operands[value->input] + cpu_locate(&input->layout, s.at) * (int64_t)value->size,
                     count);
        else
            cpu_collect(&input->layout, value->size, run->operands[value->input], part, s.at, count);
    }
}

/* Set run->sides for each guard: elements i .. i+n-1 are all inside, all outside or both. */
static void find_sides(struct run *run, int64_t i, int64_t n) {
    int64_t start = run->start + i;
    for (uint32_t left = run->body->choices; left; left &= left - 1) {
        int input = __builtin_ctz(left);
        struct cpu_stretch *s = &run->stretches[input];
        if (start < s->at || start >= s->end) cpu_stretch_begin(s, run->body->inputs[input].guard, start);
        run->sides[input] = s->end < start + n ? BODY_INSIDE | BODY_OUTSIDE
                            : s->inside        ? BODY_INSIDE
                                               : BODY_OUTSIDE;
        if (!*run->operands[input]) run->sides[input] = BODY_OUTSIDE;
    }
}

/* True if all guarded inputs that are usually inside are so in the whole tile. */
static bool all_inside(const struct run *run) {
    bool inside = true;
    for (uint32_t left = run->body->usual; left && inside; left &= left - 1)
        inside = run->sides[__builtin_ctz(left)] == BODY_INSIDE;
    return inside;
}

static void begin_choices(struct run *run) {
    for (uint32_t left = run->body->choices; left; left &= left - 1)
        run->stretches[__builtin_ctz(left)] = (struct cpu_stretch){0};
}

/* Let the result of a `where` by a guard be its operand `side` (1 inside the guard, 2 outside) in place, for a
   tile with that side only. Return false, with nothing changed, if it must be copied. No step writes over such
   inputs. */
static bool stands_for(struct run *run, const struct body_step *step, int side) {
    int from = step->from[side];
    bool lies =
        from < run->body->ninputs && run->body->values[from].source == BODY_GATHERED && run->in_run[from];
    if (run->body->values[step->to].output >= 0 || !lies) return false;
    run->places[step->to] = run->places[from];
    return true;
}

/* Copy elements begin .. end-1 from one register to another, nothing if the range is empty. Element `start` is
   the first of both, at `from` and `to`. */
static inline void patch(size_t size, char *to, const char *from, int64_t start, int64_t begin, int64_t end) {
    begin = greater(begin, start);
    if (begin < end)
        move_few(size, to + (size_t)(begin - start) * size, from + (size_t)(begin - start) * size,
                 end - begin);
}

/* Copy the elements that a guard of one axis excludes, the ends of its rows, among start .. end-1 of `from` to
   `to`. Elements have `size` bytes. */
static void patch_rows(const struct cpu_guard *g, size_t size, char *to, const char *from, int64_t start,
                       int64_t end) {
    int64_t length = g->size[0], low = g->low[0], high = g->high[0];
    for (int64_t row = start - start % length; row < end; row += length) {
        if (low) patch(size, to, from, start, row, lesser(row + low, end));
        if (high < length) patch(size, to, from, start, row + high, lesser(row + length, end));
    }
}

/* Execute a `where` by a guard, a box of valid indices, on n elements from i: the result is operand 1 inside and
   operand 2 outside. Either may be in place already. */
static void choose(struct run *run, const struct body_step *step, int64_t i, int64_t n) {
    const struct body_value *made = &run->body->values[step->to];
    if (made->output < 0) run->places[step->to] = (struct tile_place){register_of(run, made), 0};
    char *to = at(run, step->to, i);
    int chosen = run->body->values[step->from[0]].input;
    const struct cpu_guard *guard = run->body->inputs[chosen].guard;
    size_t size = made->size;
    const char *inside = at(run, step->from[1], i), *outside = at(run, step->from[2], i);
    bool mixed = run->sides[chosen] == (BODY_INSIDE | BODY_OUTSIDE), patches = !mixed || to != outside;
    const char *most = run->sides[chosen] == BODY_OUTSIDE || !patches ? outside : inside;
    const char *rest = patches ? outside : inside;
    int64_t start = run->start + i, end = start + n;
    if (!mixed && stands_for(run, step, run->sides[chosen])) return;
    if (to != most) cache_copy(to, most, (size_t)n * size);
    if (!mixed) return;
    if (patches && guard->rank == 1) {
        patch_rows(guard, size, to, rest, start, end);
        return;
    }
    for (struct cpu_stretch s = run->stretches[chosen]; s.at < end; cpu_stretch_next(&s, guard)) {
        int64_t first = greater(s.at, start);
        size_t bytes = (size_t)(first - start) * size;
        if (s.inside != patches) move_few(size, to + bytes, rest + bytes, lesser(s.end, end) - first);
    }
}

/* Execute one step on n elements from i. */
static void do_step(struct run *run, const struct body_step *step, int64_t i, int64_t n) {
    char *to = at(run, step->to, i);
    const struct body_value *value = &run->body->values[step->to];
    if (step->action == BODY_LOOP) {
        step->loop(n, to, at(run, step->from[0], i), at(run, step->from[1], i), at(run, step->from[2], i));
    } else if (step->action == BODY_GATHER) {
        if (run->in_run[step->to]) return;
        const struct body_input *input = &run->body->inputs[value->input];
        if (input->guard)
            gather_guarded(run, value, to, i, n);
        else
            cpu_collect(&input->layout, value->size, run->operands[value->input], to, run->start + i, n);
    } else if (step->action == BODY_CHOOSE) {
        choose(run, step, i, n);
    } else {
        const char *from = at(run, step->from[0], i);
        if (run->routed[value->output])
            cache_copy(to, from, (size_t)n * value->size);
        else if (from != to || run->body->outputs[value->output].box.rank)
            store(run, value->output, from, i, n);
    }
}

/* Run a chain of steps on n elements from i: whole vectors by machine code, the rest step by step. */
static void do_chain(struct run *run, const struct body_step *steps, int64_t i, int64_t n) {
    const struct cpu_chain *chain = steps->chain;
    void *arrays[CHAIN_POINTERS];
    int64_t vectors = n / chain->lanes, rest = n - vectors * chain->lanes;
    for (int p = 0; p < chain->npointers; p++)
        arrays[p] = chain->values[p] < 0 ? (void *)(uintptr_t)chain->signs : at(run, chain->values[p], i);
    if (vectors) chain->run(arrays, vectors);
    for (int s = 0; rest && s < chain->nsteps; s++) {
        const struct body_step *step = &steps[s];
        size_t done = (size_t)(n - rest) * run->body->values[step->to].size;
        step->loop(rest, at(run, step->to, i) + done, at(run, step->from[0], i) + done,
                   at(run, step->from[1], i) + done, at(run, step->from[2], i) + done);
    }
}

/* Store n elements from i of all outputs that waited in registers. */
static void store_routed(struct run *run, int64_t i, int64_t n) {
    const struct cpu_body *body = run->body;
    for (int k = 0; k < body->noutputs; k++) {
        if (run->routed[k]) store(run, k, register_of(run, &body->values[body->outputs[k].value]), i, n);
    }
}

/* ---- small bodies ---- */

static inline char *small_register(const struct cpu_body *body, char *scratch, int value) {
    return scratch + (size_t)body->values[value].reg * body->register_bytes;
}

/* Load elements start .. start+n-1 of input v into its register, for a body that runs as one vector. */
static inline void take_small(const struct cpu_body *body, void *const *slots, char *scratch, int v,
                              int64_t start, int64_t n) {
    const struct body_value *value = &body->values[v];
    const struct body_input *input = &body->inputs[value->input];
    const char *x = (const char *)slots[input->slot] + input->offset;
    if (value->reg < 0) return;
    if (value->source == BODY_SPLAT)
        cpu_fill(value->size, x, small_register(body, scratch, v), n);
    else if (input->layout.rank)
        cpu_collect(&input->layout, value->size, x, small_register(body, scratch, v), start, n);
    else
        move_few(value->size, small_register(body, scratch, v), x + (size_t)start * value->size, n);
}

/* Store the register of output k to elements start .. start+n-1, for a body that runs as one vector. */
static inline void lay_small(const struct cpu_body *body, void *const *slots, char *scratch, int k,
                             int64_t start, int64_t n) {
    const struct body_output *output = &body->outputs[k];
    size_t size = body->values[output->value].size;
    char *to = (char *)slots[output->slot] + output->offset;
    const char *from = small_register(body, scratch, output->value);
    if (output->box.rank)
        cpu_lay(&output->box, size, to, from, start, n, false);
    else
        move_few(size, to + (size_t)start * size, from, n);
}

/* Run a chain of steps on the registers by machine code, for a body that runs as one vector. Return the
   number of its steps. */
static int run_small_chain(const struct cpu_body *body, char *scratch, const struct body_step *step) {
    const struct cpu_chain *chain = step->chain;
    void *arrays[CHAIN_POINTERS];
    for (int p = 0; p < chain->npointers; p++)
        arrays[p] = chain->values[p] < 0 ? (void *)(uintptr_t)chain->signs
                                         : small_register(body, scratch, chain->values[p]);
    chain->run(arrays, step->whole / chain->lanes);
    return chain->nsteps;
}

/* Run a body that is one vector on elements start .. start+n-1. */
static void run_small(const struct cpu_body *body, void *const *slots, char *scratch, int64_t start,
                      int64_t n) {
    for (int v = 0; v < body->ninputs; v++) take_small(body, slots, scratch, v, start, n);
    for (int s = 0; s < body->nsteps; s++) {
        const struct body_step *step = &body->steps[s];
        char *to = small_register(body, scratch, step->to);
        const char *from = small_register(body, scratch, step->from[0]);
        if (step->chain) {
            s += run_small_chain(body, scratch, step) - 1;
        } else if (step->action == BODY_LOOP) {
            step->loop(step->whole, to, from, small_register(body, scratch, step->from[1]),
                       small_register(body, scratch, step->from[2]));
        } else if (to != from) {
            memcpy(to, from, (size_t)n * body->values[step->to].size);
        }
    }
    for (int k = 0; k < body->noutputs; k++) lay_small(body, slots, scratch, k, start, n);
}

void cpu_body_run(const struct cpu_body *body, void *const *slots, void *scratch, const void *core,
                  int64_t start, int64_t n) {
    int64_t filled = 0;
    cpu_body_run_next(body, slots, scratch, core, start, n, &filled);
}

void cpu_body_run_next(const struct cpu_body *body, void *const *slots, void *scratch, const void *core,
                       int64_t start, int64_t n, int64_t *filled) {
    if (n <= 0) return;
    if (body->small) {
        run_small(body, slots, scratch, start, n);
        return;
    }
    struct run run;
    run.body = body;
    run.scratch = scratch;
    run.start = start;
    run.n = n;
    place_inputs(&run, slots, core, filled);
    place_outputs(&run, slots);
    place_made(&run);
    begin_choices(&run);
    int64_t edge = body->run ? 0 : n; /* end of a run, which no tile crosses */
    for (int64_t i = 0, count; i < n; i += count) {
        if (i == edge) edge = i + body->run - (start + i) % body->run;
        count = lesser(body->tile, lesser(n, edge) - i);
        if (body->run) place_runs(&run, i, count);
        if (body->choices) find_sides(&run, i, count);
        bool inside = body->inside && all_inside(&run);
        const struct body_step *steps = inside ? body->inside : body->steps;
        for (int s = 0; s < (inside ? body->ninside : body->nsteps); s++) {
            const struct body_step *step = &steps[s];
            const struct cpu_chain *chain = step->chain;
            int by = chain ? chain->by : step->by, sides = chain ? chain->sides : step->sides;
            if (by < 0 || run.sides[by] & sides) (chain ? do_chain : do_step)(&run, step, i, count);
            if (chain) s += chain->nsteps - 1;
        }
        store_routed(&run, i, count);
    }
}

const void *cpu_body_values(const struct cpu_body *body, void *const *slots, void *scratch, int64_t start,
                            int64_t n) {
    if (body->in_place) {
        const struct body_value *value = &body->values[body->outputs[0].value];
        const struct body_input *input = &body->inputs[value->input];
        return (const char *)slots[input->slot] + input->offset + (size_t)start * value->size;
    }
    cpu_body_run(body, slots, scratch, NULL, start, n);
    return (const char *)scratch + body->result_offset;
}

size_t cpu_body_scratch(const struct cpu_body *body) { return body->scratch; }
ty_dtype cpu_body_dtype(const struct cpu_body *body) { return body->values[body->outputs[0].value].dtype; }

bool cpu_body_gathers(const struct cpu_body *body) {
    for (int v = 0; v < body->ninputs; v++)
        if (body->values[v].source == BODY_GATHERED) return true;
    return false;
}
