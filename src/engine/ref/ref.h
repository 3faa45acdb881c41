/*
 * The reference engine: every kernel kind as one function "the value at this index of the output", in
 * the widest type, one element at a time.  It is the oracle of the tests, so nothing here is clever.
 */
#ifndef ENGINE_REF_REF_H
#define ENGINE_REF_REF_H
#include "base/arena.h"
#include "ops/core/op.h"

/* One launch.  Elements carry integers and bools in `i` and, as a number, in `z` as well. */
struct ref_call {
    const struct kernel *kernel;
    void *const *slots;
    struct fault *fault;
    void *workspace;
};

struct ref_kind {
    /* Bytes of workspace for `check` to fill; NULL: none. */
    size_t (*workspace)(const struct kernel *kernel);
    /* Looks at the contents of the inputs before anything is computed; NULL: nothing to look at. */
    bool (*check)(const struct ref_call *call);
    /* The core's value (of dtype kernel->core_dtype) at an index of the outputs' shape; NULL: MAP. */
    struct element (*value)(const struct ref_call *call, const int64_t *index);
};

#define KERNEL(NAME, name, ...) extern const struct ref_kind ref_##name;
#include "ops/core/kernels.def"

/* --- element.c ----------------------------------------------------------------------------------- */
struct element ref_load(ty_dtype dtype, const void *from);
/* The element of input `input` at an index of its own shape. */
struct element ref_at(const struct ref_call *call, int input, const int64_t *index);
/* `e`, an element of dtype `from`, as an element of dtype `to`: rounded, wrapped, converted. */
struct element ref_convert(ty_dtype to, ty_dtype from, struct element e);
/* `e`, just computed in the widest type of dtype's class, rounded or wrapped to it. */
struct element ref_round(ty_dtype dtype, struct element e);
struct element ref_integer(int64_t i);
/* Sum and product in the widest type of dtype's class; not rounded. */
struct element ref_add(ty_dtype dtype, struct element a, struct element b);
struct element ref_mul(ty_dtype dtype, struct element a, struct element b);
/* The least value of a dtype: minus infinity, the smallest integer, false. */
struct element ref_least(ty_dtype dtype);
struct element ref_greatest(ty_dtype dtype);
bool ref_is_nonzero(ty_dtype dtype, struct element e);
/* Whether `e` displaces `best` as a maximum (sign 1) or minimum (sign -1): it is beyond it, or the first NaN.
 */
bool ref_beats(ty_dtype dtype, int sign, struct element e, struct element best);
/* Reads an integer element as an index into `size` things, negative from the end; -1: outside. */
int64_t ref_index(ty_dtype dtype, struct element e, int64_t size);

/* --- row.c ----------------------------------------------------------------------------------------- */
/* Whether the rows have a meaning for the instruction. */
bool ref_instr_known(const struct instr *instr);
struct element ref_instr_run(const struct instr *instr, const struct element *registers);
/* The value of a row in the widest type, not rounded. */
struct element ref_instr_exact(const struct instr *instr, const struct element *registers);

/* --- program.c ------------------------------------------------------------------------------------- */
enum { REF_REGISTERS = PROGRAM_MAX_INPUTS + PROGRAM_MAX_INSTRS };
/* Faults when an instruction has no meaning or the program does not fit REF_REGISTERS; NULL is fine. */
bool ref_program_check(const struct program *program, struct fault *fault);
/* Computes the registers behind the inputs, which are filled. */
void ref_program_run(const struct program *program, struct element *registers);
#endif
