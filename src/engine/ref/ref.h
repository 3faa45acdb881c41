/*
 * The reference engine: each kernel kind is a function "value at this index of the output", in the widest type, one
 * element at a time. It is the tests' oracle, so it is kept simple.
 */
#ifndef ENGINE_REF_REF_H
#define ENGINE_REF_REF_H
#include "base/arena.h"
#include "ops/core/op.h"

/* State of a launch. Elements hold integers and bools in `i`, and also as a number in `z`. */
struct ref_call {
    const struct kernel *kernel;
    void *const *slots;
    struct fault *fault;
    void *workspace;
};

/* The functions of a kernel kind. */
struct ref_kind {
    /* Return the bytes of workspace, which `check` fills; NULL: none. */
    size_t (*workspace)(const struct kernel *kernel);
    /* Check the inputs' contents before anything is computed. Return false with a fault; NULL: no check. */
    bool (*check)(const struct ref_call *call);
    /* Return the core's value, of kernel->core_dtype, at index[] of the outputs' shape; NULL: MAP. */
    struct element (*value)(const struct ref_call *call, const int64_t *index);
};

#define KERNEL(NAME, name, ...) extern const struct ref_kind ref_##name;
#include "ops/core/kernel/kernels.def"

/* --- element.c ----------------------------------------------------------------------------------- */
/* Return the element of a dtype at `from`. */
struct element ref_load(ty_dtype dtype, const void *from);
/* Return the element of input `input` at index[] of its own shape; 0 outside its guard, the box of valid indices. */
struct element ref_at(const struct ref_call *call, int input, const int64_t *index);
/* Return `e`, of dtype `from`, as a value of dtype `to`: rounded, or wrapped. */
struct element ref_convert(ty_dtype to, ty_dtype from, struct element e);
/* Return `e`, in the widest type of dtype's class, as a value of dtype: rounded, or wrapped. */
struct element ref_round(ty_dtype dtype, struct element e);
/* Return an integer as an element. */
struct element ref_integer(int64_t i);
/* Return a + b in the widest type of dtype's class, not rounded. */
struct element ref_add(ty_dtype dtype, struct element a, struct element b);
/* Return a * b in the widest type of dtype's class, not rounded. */
struct element ref_mul(ty_dtype dtype, struct element a, struct element b);
/* Return the least value of a dtype: minus infinity, the smallest integer, false. */
struct element ref_least(ty_dtype dtype);
/* Return the greatest value of a dtype: infinity, the largest integer, true. */
struct element ref_greatest(ty_dtype dtype);
/* Return true if `e` is not zero; NaN counts as nonzero. */
bool ref_is_nonzero(ty_dtype dtype, struct element e);
/* Return true if `e` replaces `best` as maximum (sign 1) or minimum (sign -1): it is better, or the first NaN. */
bool ref_beats(ty_dtype dtype, int sign, struct element e, struct element best);
/* Return an integer element as an index below `size`; negative ones count from the end. -1 if outside. */
int64_t ref_index(ty_dtype dtype, struct element e, int64_t size);

/* --- row.c ----------------------------------------------------------------------------------------- */
/* Return true if the engine knows the instruction's operator for its dtype. */
bool ref_instr_known(const struct instr *instr);
/* Return an instruction's value, rounded to its dtype. */
struct element ref_instr_run(const struct instr *instr, const struct element *registers);
/* Return an instruction's value in the widest type, not rounded. */
struct element ref_instr_exact(const struct instr *instr, const struct element *registers);

/* --- program.c ------------------------------------------------------------------------------------- */
enum { REF_REGISTERS = PROGRAM_MAX_INPUTS + PROGRAM_MAX_INSTRS };
/* Check a program; NULL is valid. Return false with a fault if an instruction is unknown or the program exceeds
   REF_REGISTERS. */
bool ref_program_check(const struct program *program, struct fault *fault);
/* Run a program: compute registers[] and their dtypes[] after the inputs, which the caller has filled. */
void ref_program_run(const struct program *program, struct element *registers, ty_dtype *dtypes);
/* Return register e, of dtype `from`, as `to`: the same bits where a view was fused (dtypes of equal size). */
struct element ref_viewed(ty_dtype to, ty_dtype from, struct element e);
#endif
