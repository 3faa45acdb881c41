/* Operators of nests on some elements, for interpreters: by the loops of `cpu`, so that bits are its. */
#include <string.h>
#include "base/machine/floating.h"
#include "engine/cpu/cpu.h"
#include "engine/cpu/random/random.h"
#include "engine/nest/lower.h"
#include "ops/core/elementwise.h"
#include "ops/core/operators.h"
#include "ops/random/random_bits.h"

/* ---- operators that are no rows ---- */

static void bits_u32(int64_t n, void *out, const void *a, const void *b, const void *c) {
    const uint64_t *i = a, *key = b, *sequence = c;
    uint32_t *to = out;
    for (int64_t k = 0; k < n; k++) to[k] = random_bits_u32(i[k], key[k], sequence[k]);
}

static void bits_u64(int64_t n, void *out, const void *a, const void *b, const void *c) {
    const uint64_t *i = a, *key = b, *sequence = c;
    uint64_t *to = out;
    for (int64_t k = 0; k < n; k++) to[k] = random_bits_u64(i[k], key[k], sequence[k]);
}

static void normal_f32(int64_t n, void *out, const void *a, const void *b, const void *c) {
    const uint32_t *p = a, *q = b;
    const uint64_t *element = c;
    float *to = out, pair[2];
    for (int64_t k = 0; k < n; k++) {
        random_loops_current()->normal_f32(2, (const uint32_t[]){p[k], q[k]}, pair);
        to[k] = pair[element[k] % 2];
    }
}

static void normal_f64(int64_t n, void *out, const void *a, const void *b, const void *c) {
    const uint64_t *p = a, *q = b, *element = c;
    double *to = out, pair[2];
    for (int64_t k = 0; k < n; k++) {
        random_loops_current()->normal_f64(2, (const uint64_t[]){p[k], q[k]}, pair);
        to[k] = pair[element[k] % 2];
    }
}

/* ---- finding ---- */

enum { FOUND = 512 }; /* entries of the table: twice as many as operators, of which kernels use few */

/* Return the operator of this name.  Names of lists are texts of the library, so most calls compare one address. */
static const struct op *find(const char *name) {
    static const struct op *_Atomic found[FOUND];
    const struct op *_Atomic *at = &found[((uintptr_t)name >> 3) % FOUND];
    const struct op *op = atomic_load_explicit(at, memory_order_relaxed);
    if (op && op->name == name) return op;
    op = op_find(name);
    if (op && op->name == name) atomic_store_explicit(at, op, memory_order_relaxed);
    return op;
}

/* Return the loop of an operator that is no row.  NULL: there is none for these dtypes. */
static cpu_loop special(const ty_nest_instr *s) {
    if (!strcmp(s->name, "random_bits") && s->in == TY_U64 && s->n == 3)
        return s->out == TY_U32 ? bits_u32 : s->out == TY_U64 ? bits_u64 : NULL;
    if (strcmp(s->name, "random_normal") != 0 || s->n != 3) return NULL;
    if (s->in == TY_U32 && s->out == TY_F32) return normal_f32;
    return s->in == TY_U64 && s->out == TY_F64 ? normal_f64 : NULL;
}

/* Return the loop of an operator.  NULL: there is none of this name, number of operands and dtypes. */
static cpu_loop loop_of(const ty_nest_instr *s) {
    if (!strncmp(s->name, "random_", 7)) return special(s);
    const struct op *op = find(s->name);
    if (!op || op->arity != s->n || (op != &op_cast && op->row < 0)) return NULL;
    if (op != &op_cast && s->out != row_result(row_table[op->row].out, s->in)) return NULL;
    return cpu_loop_find(op, s->in, s->out);
}

/* True if an instruction has a name, some operands and dtypes. */
static bool is_formed(const ty_nest_instr *s) {
    return s->name && s->n >= 1 && s->n <= 3 && dtype_valid(s->in) && dtype_valid(s->out);
}

static bool is_view(const ty_nest_instr *s) {
    return s->n == 1 && !strcmp(s->name, "view_as") && dtype_table[s->in].size == dtype_table[s->out].size;
}

bool nest_instr_valid(const ty_nest_instr *s) { return is_formed(s) && (is_view(s) || loop_of(s)); }

bool ty_nest_apply(const ty_nest_instr *instr, int64_t n, const void *const *operands, void *result) {
    FLOATING_DEFAULT;
    if (!instr || !operands || !result || n < 0 || !is_formed(instr)) return false;
    for (int i = 0; i < instr->n; i++)
        if (!operands[i]) return false;
    if (is_view(instr)) {
        memmove(result, operands[0], (size_t)n * dtype_table[instr->out].size);
        return true;
    }
    cpu_loop loop = loop_of(instr);
    if (!loop) return false;
    const void *second = operands[instr->n > 1], *third = operands[instr->n > 2 ? 2 : 0];
    loop(n, result, operands[0], second, third);
    return true;
}
