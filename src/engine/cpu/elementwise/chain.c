/* Finds chains of steps and generates their code. Code with equal bytes is kept once for the process. */
#include "engine/cpu/elementwise/chain.h"
#include <stdatomic.h>
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/threads/lock.h"
#include "base/threads/unload.h"
#include "engine/cpu/jit/jit_allowed.h"
#include "engine/cpu/jit/jit_memory.h"
#include "engine/cpu/jit/jit_x86.h"
#include "ops/core/row_op.h"

/* ---- cache of code ---- */

enum { MOST_CODES = 1024, SLOTS = 2 * MOST_CODES, CODE_ROOM = 16 << 10 };

LOCK(lock)
static struct jit_pages pages = {.most = MOST_CODES << 12};
static struct {
    const void *at;
    size_t bytes;
} codes[SLOTS];
static int ncodes;
static atomic_bool refused; /* the system allows no machine code, or the cache is full */

__attribute__((destructor)) static void end(void) {
    if (unloading()) jit_memory_forget(&pages);
}

/* Return the address of executable code with these n bytes, shared with equal code. NULL if it cannot be
   made executable. */
static const void *find_code(const uint8_t *bytes, size_t n) {
    const void *found = NULL;
    lock_take(&lock);
    for (size_t i = hash_bytes(bytes, n) % SLOTS; !found; i = (i + 1) % SLOTS) {
        if (codes[i].at) {
            if (codes[i].bytes == n && !memcmp(codes[i].at, bytes, n)) found = codes[i].at;
            continue;
        }
        if (ncodes < MOST_CODES) found = jit_memory_place(&pages, bytes, n);
        if (!found) break;
        codes[i].at = found;
        codes[i].bytes = n;
        ncodes++;
    }
    lock_give(&lock);
    if (!found) atomic_store_explicit(&refused, true, memory_order_relaxed);
    return found;
}

/* ---- steps with an instruction ---- */

enum { UNARY = 1, SQUARE = 2, SIGNS = 4, PICK = 8, ZERO = 16, BOUNDS = 32 };
enum { MAXIMUM = 0x5f, MINIMUM = 0x5d };
enum { XOR = 0xef, AND_NOT = 0xdf };
static const struct {
    const struct op *op;
    uint8_t opcode, how;
} instructions[] = {{ROW_OP(add), 0x58, 0},
                    {ROW_OP(sub), 0x5c, 0},
                    {ROW_OP(mul), 0x59, 0},
                    {ROW_OP(div), 0x5e, 0},
                    {ROW_OP(sqrt), 0x51, UNARY},
                    {ROW_OP(square), 0x59, SQUARE},
                    {ROW_OP(neg), XOR, SIGNS},
                    {ROW_OP(abs), AND_NOT, SIGNS},
                    {ROW_OP(max), MAXIMUM, PICK},
                    {ROW_OP(min), MINIMUM, PICK},
                    {ROW_OP(relu), MAXIMUM, PICK | ZERO},
                    {ROW_OP(clip), MAXIMUM, PICK | BOUNDS}};
enum { INSTRUCTIONS = sizeof instructions / sizeof *instructions };

static int instruction_of(const struct body_step *step) {
    for (int i = 0; i < INSTRUCTIONS; i++)
        if (step->op == instructions[i].op) return i;
    return -1;
}

/* True if the step can be machine code: a loop with an instruction, all of one dtype, f32 or f64. *dtype is then
   that dtype; if false, it is undefined. */
static bool can_chain(const struct cpu_body *body, const struct body_step *step, ty_dtype *dtype) {
    if (step->action != BODY_LOOP || instruction_of(step) < 0) return false;
    *dtype = body->values[step->to].dtype;
    if (*dtype != TY_F32 && *dtype != TY_F64) return false;
    for (int k = 0; k < step->op->arity; k++)
        if (body->values[step->from[k]].dtype != *dtype) return false;
    return true;
}

/* ---- the order ---- */

static bool may_chain(void) {
    bool allowed = isa_current() != ISA_BASE && jit_allowed();
    return allowed && !atomic_load_explicit(&refused, memory_order_relaxed);
}

static bool reads(const struct body_step *step, int value) {
    return step->from[0] == value || step->from[1] == value || step->from[2] == value;
}

/* Move the step at index `from` to index `to`; those between move up or down by one. */
static void put(struct body_step *steps, int from, int to) {
    struct body_step step = steps[from];
    if (from < to)
        memmove(&steps[from], &steps[from + 1], sizeof step * (size_t)(to - from));
    else
        memmove(&steps[to + 1], &steps[to], sizeof step * (size_t)(from - to));
    steps[to] = step;
}

/* Reorder the steps of an elementwise program for long chains: gathers first, and steps needed only outside a guard
   (a box of valid indices) as late as possible. No change without machine code. */
void cpu_chain_order(struct cpu_body *body) {
    if (!may_chain()) return;
    for (int s = body->nsteps - 2; s >= 0; s--) {
        const struct body_step *step = &body->steps[s];
        int to = s;
        bool late = step->by >= 0 && step->sides == BODY_OUTSIDE && step->action == BODY_LOOP;
        if (!late || body->values[step->to].output >= 0) continue;
        while (to + 1 < body->nsteps && !reads(&body->steps[to + 1], step->to)) to++;
        put(body->steps, s, to);
    }
    for (int s = 0, first = 0; s < body->nsteps; s++) {
        enum body_action action = body->steps[s].action;
        if (action == BODY_MOVE) first = s + 1;
        if (action == BODY_GATHER) put(body->steps, s, first++);
    }
    for (int v = 0; v < body->nvalues; v++) body->values[v].last_use = -1;
    for (int s = 0; s < body->nsteps; s++)
        for (int k = 0; k < 3; k++) body->values[body->steps[s].from[k]].last_use = s;
}

/* ---- code ---- */

enum { NOWHERE = -1, MOST_REGISTERS = 32, TIMES = 4, AHEAD = 2048 };

/* A chain being made. */
struct chain_making {
    const struct cpu_body *body;
    const struct body_step *steps;
    int nsteps;
    struct cpu_chain chain;
    int first, end; /* range of steps */
    ty_dtype dtype;
    struct jit_code code;
    int registers;                   /* vector registers of the processor */
    int8_t at[BODY_MAX_VALUES];      /* register of each value, or NOWHERE */
    int8_t pointer[BODY_MAX_VALUES]; /* array of each value, or NOWHERE */
    int holds[MOST_REGISTERS];       /* value of each register, or NOWHERE */
    int signs, zero;                 /* registers of the sign bits and of zeros, or NOWHERE */
    bool fixed[MOST_REGISTERS];      /* keeps its value for all vectors */
};

static const enum jit_register array_registers[CHAIN_POINTERS] = {RAX, RCX, RDX, R8,  R9, R10,
                                                                  R11, RBX, R12, R13, R14};
enum { SAVED_FROM = 7 }; /* index from which registers are callee-saved */

/* Return the index of the chain's pointer to `value` (negative: the constant of signs), a new one if need
   be. NOWHERE if there are too many. */
static int pointer_of(struct chain_making *m, int value) {
    if (value >= 0 && m->pointer[value] >= 0) return m->pointer[value];
    if (m->chain.npointers == CHAIN_POINTERS) return NOWHERE;
    m->chain.values[m->chain.npointers] = (int16_t)value;
    if (value >= 0) m->pointer[value] = (int8_t)m->chain.npointers;
    return m->chain.npointers++;
}

/* Return the n-th free vector register, counted from 0; NOWHERE if there is none. */
static int spare(const struct chain_making *m, int n) {
    for (int r = 0; r < m->registers; r++)
        if (m->holds[r] == NOWHERE && !m->fixed[r] && n-- == 0) return r;
    return NOWHERE;
}

/* Give `value` a free vector register and return its number; NOWHERE if none is free. */
static int take(struct chain_making *m, int value) {
    int r = spare(m, 0);
    if (r < 0) return NOWHERE;
    m->holds[r] = value;
    m->at[value] = (int8_t)r;
    return r;
}

static struct jit_vector_op packed(const struct chain_making *m, int opcode) {
    bool wide = m->dtype == TY_F64;
    bool bits = opcode == XOR || opcode == AND_NOT;
    return (struct jit_vector_op){1, bits || wide, wide, (uint8_t)opcode};
}

static void move(struct chain_making *m, int opcode, int reg, int pointer, int offset) {
    jit_vector_at(&m->code, packed(m, opcode), reg, 0, (struct jit_at){array_registers[pointer], offset},
                  (struct jit_access){.unit = m->code.vector, .store = opcode == 0x11});
}
enum { LOAD = 0x10, STORE = 0x11 };

/* Return true if a value that the chain makes is needed after it: by a later step or as an output. */
static bool is_wanted(const struct chain_making *m, int value) {
    if (m->body->values[value].output >= 0) return true;
    for (int s = m->end; s < m->nsteps; s++)
        if (reads(&m->steps[s], value)) return true;
    return false;
}

static bool is_read_later(const struct chain_making *m, int value, int s) {
    for (s++; s < m->end; s++)
        if (reads(&m->steps[s], value)) return true;
    return false;
}

/* Return the register of a value, loaded if necessary from its array at byte `offset`; NOWHERE if none is free.
   Arrays read at several distances miss at one of them, in stretches that hardware does not predict, so loads
   prefetch ahead. The gradient of squared differences took 8.4 ms without, 7.4 ms with 2 KiB, and 7.8 with 1 or 4
   (Zen 5). */
static int have(struct chain_making *m, int value, int offset) {
    if (m->at[value] >= 0) return m->at[value];
    int pointer = pointer_of(m, value), reg = pointer < 0 ? NOWHERE : take(m, value);
    if (reg >= 0) move(m, LOAD, reg, pointer, offset);
    if (reg >= 0 && m->body->values[value].source == BODY_GATHERED && !m->body->small)
        jit_prefetch(&m->code, (struct jit_at){array_registers[pointer], offset + AHEAD});
    return reg;
}

/* Free the register of a value unless it is fixed or read after step s. */
static void let_go(struct chain_making *m, int value, int s) {
    int reg = m->at[value];
    if (reg < 0 || m->fixed[reg] || is_read_later(m, value, s)) return;
    m->holds[reg] = NOWHERE;
    m->at[value] = NOWHERE;
}

/* Emit step s, a maximum or minimum (PICK) of operands in the registers from[], whose result is in none of them. Return
   its register; NOWHERE if registers run out. */
static int emit_pick(struct chain_making *m, int s, const int *from) {
    const struct body_step *step = &m->steps[s];
    int i = instruction_of(step), how = instructions[i].how, to = take(m, step->to);
    int room = spare(m, 0), between = spare(m, 1);
    if (to < 0 || between < 0) return NOWHERE;
    int second = how & ZERO ? m->zero : from[1];
    if (how & BOUNDS) {
        jit_pick(&m->code, packed(m, MAXIMUM), between, from[0], from[1], room);
        jit_pick(&m->code, packed(m, MINIMUM), to, between, from[2], room);
    } else {
        jit_pick(&m->code, packed(m, instructions[i].opcode), to, from[0], second, room);
    }
    for (int k = 0; k < step->op->arity; k++) let_go(m, step->from[k], s);
    return to;
}

/* Emit step s, one instruction of operands in the registers from[]. Return the register of the result; NOWHERE if
   registers run out. */
static int emit_one(struct chain_making *m, int s, const int *from) {
    const struct body_step *step = &m->steps[s];
    int i = instruction_of(step), how = instructions[i].how;
    for (int k = 0; k < step->op->arity; k++) let_go(m, step->from[k], s);
    int to = take(m, step->to);
    if (to < 0) return NOWHERE;
    int a = how & UNARY ? 0 : how & SIGNS ? m->signs : from[0];
    int b = how & (UNARY | SQUARE | SIGNS) ? from[0] : from[1];
    jit_vector(&m->code, packed(m, instructions[i].opcode), to, a, b);
    return to;
}

/* Emit step s of the chain for the vector at byte `offset` of the arrays. Return false if registers run
   out. */
static bool emit_step(struct chain_making *m, int s, int offset) {
    const struct body_step *step = &m->steps[s];
    int from[3] = {0};
    for (int k = 0; k < step->op->arity; k++)
        if ((from[k] = have(m, step->from[k], offset)) < 0) return false;
    bool picks = instructions[instruction_of(step)].how & PICK;
    int to = (picks ? emit_pick : emit_one)(m, s, from);
    if (to < 0) return false;
    if (is_wanted(m, step->to)) {
        int pointer = pointer_of(m, step->to);
        if (pointer < 0) return false;
        move(m, STORE, to, pointer, offset);
    }
    let_go(m, step->to, s);
    return true;
}

/* Emit all steps of the chain for the vector at byte `offset` of the arrays. Return false if registers run out. */
static bool emit_vector(struct chain_making *m, int offset) {
    for (int s = m->first; s < m->end; s++)
        if (!emit_step(m, s, offset)) return false;
    return true;
}

/* Emit loads of constants, single elements, sign bits and zeros, into registers that keep them. Return false if registers
   run out. */
static bool emit_fixed(struct chain_making *m) {
    for (int s = m->first; s < m->end; s++) {
        const struct body_step *step = &m->steps[s];
        if (instructions[instruction_of(step)].how & SIGNS && m->signs < 0) {
            int pointer = pointer_of(m, NOWHERE);
            if (pointer < 0) return false;
            m->signs = m->registers - 1;
            m->fixed[m->signs] = true;
            move(m, LOAD, m->signs, pointer, 0);
        }
        if (instructions[instruction_of(step)].how & ZERO && m->zero < 0) {
            m->zero = m->registers - 2;
            m->fixed[m->zero] = true;
            jit_zero(&m->code, m->zero);
        }
        for (int k = 0; k < step->op->arity; k++) {
            int value = step->from[k];
            if (m->body->values[value].source != BODY_SPLAT || m->at[value] >= 0) continue;
            int reg = have(m, value, 0);
            if (reg < 0) return false;
            m->fixed[reg] = true;
        }
    }
    return true;
}

/* Emit code that moves all pointers on by this number of vectors, except those to single elements. */
static void advance(struct chain_making *m, int vectors) {
    for (int p = 0; p < m->chain.npointers; p++) {
        int value = m->chain.values[p];
        bool fixed = value < 0 || m->body->values[value].source == BODY_SPLAT;
        if (!fixed) jit_add(&m->code, array_registers[p], vectors * m->code.vector);
    }
}

/* Emit the loop over groups of `times` vectors, as long as that many are left. Return false if registers run out. */
static bool emit_loop(struct chain_making *m, int times) {
    struct jit_code *code = &m->code;
    jit_add(code, RSI, -times);
    size_t none = jit_jump(code, JIT_LESS), loop = code->n;
    for (int i = 0; i < times; i++)
        if (!emit_vector(m, i * code->vector)) return false;
    advance(m, times);
    jit_add(code, RSI, -times);
    jit_jump_back(code, JIT_NOT_LESS, loop);
    jit_land(code, none);
    jit_add(code, RSI, times);
    return true;
}

/* Emit the chain's whole function. Called twice, since the arrays are known only after the first pass. Return false
   if registers or code->room run out. */
static bool emit(struct chain_making *m) {
    struct jit_code *code = &m->code;
    int known = m->chain.npointers;
    code->n = 0;
    code->long_vectors = false;
    m->signs = m->zero = NOWHERE;
    memset(m->at, NOWHERE, sizeof m->at);
    memset(m->fixed, 0, sizeof m->fixed);
    for (int r = 0; r < MOST_REGISTERS; r++) m->holds[r] = NOWHERE;
    m->chain.npointers = 0;
    memset(m->pointer, NOWHERE, sizeof m->pointer);
    jit_entry(code);
    for (int p = SAVED_FROM; p < known; p++) jit_push(code, array_registers[p]);
    for (int p = 0; p < known; p++)
        jit_integer_at(code, JIT_LOAD, array_registers[p], (struct jit_at){RDI, p * (int)sizeof(void *)});
    if (!emit_fixed(m) || !emit_loop(m, TIMES) || !emit_loop(m, 1)) return false;
    jit_clear(code);
    for (int p = known; p-- > SAVED_FROM;) jit_pop(code, array_registers[p]);
    jit_return(code);
    return code->n <= code->room;
}

#define FOUR(x) x, x, x, x
static const uint32_t signs_f32[16] = {FOUR(FOUR(UINT32_C(1) << 31))};
static const uint64_t signs_f64[8] = {FOUR(UINT64_C(1) << 63), FOUR(UINT64_C(1) << 63)};
#undef FOUR

/* ---- chains ---- */

/* Make a chain of steps m->first .. m->end-1, or of fewer if registers run out. Return the number of steps; 0:
   none. */
static int make_chain(struct chain_making *m) {
    for (; m->end - m->first >= 2; m->end--) {
        m->chain.npointers = 0;
        if (!emit(m) || !emit(m)) continue;
        const void *at = find_code(m->code.bytes, m->code.n);
        if (!at) return 0;
        memcpy(&m->chain.run, &at, sizeof at);
        m->chain.nsteps = m->end - m->first;
        m->chain.lanes = m->code.vector / (int)dtype_table[m->dtype].size;
        m->chain.signs = m->dtype == TY_F64 ? (const void *)signs_f64 : signs_f32;
        return m->chain.nsteps;
    }
    return 0;
}

/* Return true if most tiles need the step: it is not only for elements outside a guard, so all tiles may compute
   it. */
static bool is_usual(const struct body_step *step) { return step->by < 0 || step->sides == BODY_INSIDE; }

/* Return the exclusive end of the steps, from s on and at most n, that can form one chain of `dtype`; s itself
   if none can. */
static int end_of(const struct cpu_body *body, const struct body_step *steps, int n, int s, ty_dtype dtype) {
    const struct body_step *first = &steps[s];
    ty_dtype other;
    for (; s < n && can_chain(body, &steps[s], &other) && other == dtype; s++) {
        const struct body_step *step = &steps[s];
        bool same = step->by == first->by && step->sides == first->sides;
        if (!same && !(is_usual(step) && is_usual(first))) break;
    }
    return s;
}

/* Set by and sides, the tiles that run the chain: as in its steps if these agree, else always. */
static void find_when(struct cpu_chain *chain, const struct body_step *steps) {
    chain->by = steps->by;
    chain->sides = steps->sides;
    for (int s = 1; s < chain->nsteps; s++)
        if (steps[s].by != chain->by || steps[s].sides != chain->sides) chain->by = -1;
}

/* Make chains of machine code for n steps where possible, in steps[].chain. room: a buffer for code.
   Return false if out of memory. */
static bool make_chains(const struct cpu_body *body, struct body_step *steps, int n, uint8_t *room,
                        struct arena *arena) {
    bool wide = isa_current() == ISA_AVX512, done = true;
    for (int s = 0; s < n && done; s++) {
        ty_dtype dtype;
        if (!can_chain(body, &steps[s], &dtype)) continue;
        struct chain_making m = {.body = body, .steps = steps, .nsteps = n, .first = s, .dtype = dtype};
        m.end = end_of(body, steps, n, s, dtype);
        if (m.end - m.first < 2) continue;
        m.registers = wide ? 32 : 16;
        m.code = (struct jit_code){.bytes = room, .room = CODE_ROOM, .wide = wide, .vector = wide ? 64 : 32};
        if (!make_chain(&m)) continue;
        find_when(&m.chain, &steps[s]);
        struct cpu_chain *chain = arena_copy(arena, &m.chain, sizeof m.chain);
        if ((done = chain)) steps[s].chain = chain;
        s += m.chain.nsteps - 1;
    }
    return done;
}

/* ---- tiles inside the guards ---- */

/* Return true if the guard, a box of valid indices, is at least four tiles long on the last axis, so that most
   tiles lie inside. */
static bool is_wide(const struct cpu_body *body, const struct cpu_guard *g) {
    return g->high[g->rank - 1] - g->low[g->rank - 1] >= 4 * body->tile;
}

/* Return true if a `where` by a guard needs no copy inside the guard: its result shares the register of operand 1. */
static bool is_in_place(const struct cpu_body *body, const struct body_step *step) {
    const struct body_value *to = &body->values[step->to], *from = &body->values[step->from[1]];
    return step->action == BODY_CHOOSE && from->source == BODY_MADE && to->output < 0 && from->output < 0 &&
           to->reg == from->reg;
}

static bool is_usually(const struct cpu_body *body, int input) {
    return input >= 0 && body->usual >> input & 1;
}

/* List in body->inside the steps of tiles inside all guards that most tiles lie inside: without choices by these
   and without steps needed only outside. So chains continue through them. Return false if out of memory. */
static bool find_inside(struct cpu_body *body, struct arena *arena) {
    int *now = arena_array(arena, (size_t)body->nvalues, sizeof *now);
    for (int i = 0; i < BODY_MAX_INPUTS; i++)
        if (body->choices >> i & 1 && is_wide(body, body->inputs[i].guard)) body->usual |= UINT32_C(1) << i;
    if (!body->usual) return true;
    body->inside = arena_array(arena, (size_t)body->nsteps, sizeof *body->inside);
    if (!now || !body->inside) return false;
    for (int v = 0; v < body->nvalues; v++) now[v] = v;
    for (int s = 0; s < body->nsteps; s++) {
        struct body_step step = body->steps[s];
        step.chain = NULL;
        for (int k = step.action == BODY_CHOOSE; k < 3; k++) step.from[k] = now[step.from[k]];
        if (is_usually(body, step.by) && step.sides == BODY_OUTSIDE) continue;
        if (is_usually(body, step.by)) step.by = -1;
        if (is_in_place(body, &step) && is_usually(body, body->values[step.from[0]].input))
            now[step.to] = step.from[1];
        else
            body->inside[body->ninside++] = step;
    }
    return true;
}

bool cpu_chain_make(struct cpu_body *body, struct arena *arena) {
    if (!may_chain()) return true;
    uint8_t *room = mem_alloc(CODE_ROOM);
    bool done = room && make_chains(body, body->steps, body->nsteps, room, arena) &&
                find_inside(body, arena) && make_chains(body, body->inside, body->ninside, room, arena);
    mem_free(room);
    return done;
}
