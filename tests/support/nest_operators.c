/* Operators of the interpreter of nests: rows, casts and views by the loops of cpu, and random numbers. */
#include <string.h>
#include "engine/cpu/random/random.h"
#include "ops/random/philox.h"
#include "tests/support/nest_folds.h"

static size_t dtype_size(ty_dtype dtype) { return dtype_table[dtype].size; }
static value random_bits(const ty_nest_instr *s, const value *registers) {
    uint64_t of[3], element;
    for (int i = 0; i < 3; i++) memcpy(&of[i], registers[s->from[i]].bytes, 8);
    element = of[0] / (s->out == TY_U64 ? 2 : 4);
    uint32_t w[4] = {(uint32_t)element, (uint32_t)(element >> 32), (uint32_t)of[2], (uint32_t)(of[2] >> 32)};
    philox(w, (uint32_t)of[1], (uint32_t)(of[1] >> 32));
    uint64_t wide = w[of[0] % 2 * 2] | (uint64_t)w[of[0] % 2 * 2 + 1] << 32;
    value v = {{0}};
    memcpy(v.bytes, s->out == TY_U64 ? (void *)&wide : (void *)&w[of[0] % 4], dtype_size(s->out));
    return v;
}

static value random_normal(const ty_nest_instr *s, const value *registers) {
    uint64_t element, words[2];
    double wide[2];
    float narrow[2];
    size_t size = dtype_size(s->in);
    for (int i = 0; i < 2; i++) memcpy((char *)words + (size_t)i * size, registers[s->from[i]].bytes, size);
    memcpy(&element, registers[s->from[2]].bytes, sizeof element);
    if (s->out == TY_F32)
        random_loops_current()->normal_f32(2, (const uint32_t *)words, narrow);
    else
        random_loops_current()->normal_f64(2, words, wide);
    value v = {{0}};
    memcpy(v.bytes, s->out == TY_F32 ? (void *)&narrow[element % 2] : (void *)&wide[element % 2],
           dtype_size(s->out));
    return v;
}

value nest_compute(const ty_nest_instr *s, const value *registers) {
    const value *from[3];
    for (int k = 0; k < 3; k++) from[k] = &registers[s->from[k < s->n ? k : 0]];
    if (!strcmp(s->name, "view_as")) return *from[0];
    if (!strcmp(s->name, "random_bits")) return random_bits(s, registers);
    if (!strcmp(s->name, "random_normal")) return random_normal(s, registers);
    return nest_apply(op_find(s->name), s->in, s->out, from[0], from[1], from[2]);
}
