/* Values of elementwise operators, from the text of elementwise.def, in the widest type of each class. */
#include "engine/ref/math.h"
#include "engine/ref/ref.h"

#define WHEN_1(...) __VA_ARGS__
#define WHEN_0(...)
#define PICK_1(function) function
#define PICK_0(function) NULL
#define PASTE(a, b) a##b
#define WHEN_(has, ...) PASTE(WHEN_, has)(__VA_ARGS__)
#define PICK_(has, function) PASTE(PICK_, has)(function)
#define WHEN(has, ...) WHEN_(has, __VA_ARGS__)
#define PICK(has, function) PICK_(has, function)

/* One application: operands, result, computing dtype and its width (1 for bool). */
struct ref_row {
    struct element in[3], out;
    int bits;
    ty_dtype dtype;
};

#define T ref_signed
#define ROW(name) signed_##name
#define TABLE signed_rows
#define GET(e) ((T)(e).i)
#define PUT(e, v) ((e).i = (int64_t)(v))
#define HAS_FLOAT 0
#define HAS_FLOATC 0
#define HAS_REAL 1
#define HAS_BITS 1
#include "engine/ref/rows.kernel.c"

/* bool as well: results are stored as "not zero". */
#define T ref_unsigned
#define ROW(name) unsigned_##name
#define TABLE unsigned_rows
#define GET(e) ((T)(uint64_t)(e).i)
#define PUT(e, v) ((e).i = (int64_t)(v))
#define HAS_FLOAT 0
#define HAS_FLOATC 0
#define HAS_REAL 1
#define HAS_BITS 1
#include "engine/ref/rows.kernel.c"

#define T ref_real
#define ROW(name) real_##name
#define TABLE real_rows
#define GET(e) creall((e).z)
#define PUT(e, v) ((e).z = (v))
#define HAS_FLOAT 1
#define HAS_FLOATC 1
#define HAS_REAL 1
#define HAS_BITS 0
#include "engine/ref/rows.kernel.c"

#define T ref_complex
#define ROW(name) complex_##name
#define TABLE complex_rows
#define GET(e) ((e).z)
#define PUT(e, v) ((e).z = (v))
#define HAS_FLOAT 0
#define HAS_FLOATC 1
#define HAS_REAL 0
#define HAS_BITS 0
#include "engine/ref/rows.kernel.c"

static void (*row_find(const struct instr *instr))(struct ref_row *) {
    switch (dtype_table[instr->in].klass) {
    case CLASS_SIGNED:
        return signed_rows[instr->op->row];
    case CLASS_FLOAT:
        return real_rows[instr->op->row];
    case CLASS_COMPLEX:
        return complex_rows[instr->op->row];
    default:
        return unsigned_rows[instr->op->row];
    }
}

bool ref_instr_known(const struct instr *instr) {
    return instr->op == &op_cast || (instr->op->row >= 0 && row_find(instr));
}

struct element ref_instr_exact(const struct instr *instr, const struct element *registers) {
    struct ref_row r = {.bits = instr->in == TY_BOOL ? 1 : 8 * (int)dtype_table[instr->in].size,
                        .dtype = instr->in};
    for (int i = 0; i < instr->op->arity; i++) r.in[i] = registers[instr->src[i]];
    row_find(instr)(&r);
    return r.out;
}

struct element ref_instr_run(const struct instr *instr, const struct element *registers) {
    if (instr->op == &op_cast) return ref_convert(instr->out, instr->in, registers[instr->src[0]]);
    return ref_round(instr->out, ref_instr_exact(instr, registers));
}
