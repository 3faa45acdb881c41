/*
 * Kernels as source text.  text_render turns a list of nests (tyto/engine.h) into one program in a dialect of C:
 * a function for each step, and what an engine must know to call it.  The formulas of the rows and the vector
 * mathematics are the same text that cpu compiles, so a device computes cpu's bits.
 *
 * Arguments of a kernel function, in this order:
 *   for each entry of `slots`   the memory of the slot, then the byte offset of the slot's element 0 in it, a u64;
 *   for each of `values`        a u64: a constant that varies (tyto/engine.h); of an algorithm, its work items,
 *                               then its values;
 *   if `checks`                 the error cell (below).
 * The text reads and writes elements at offset + layout; operands need only the alignment of their elements.
 *
 * Calling a step: `global` work items in each of `ndims` dimensions (1 .. 3), each computing one index of the parallel
 * loops; items beyond the loops return at once, so an engine may round sizes up to its groups.  The text has neither
 * local memory nor barriers.  Steps run in order, each seeing what earlier ones wrote.  A step whose `items` is 0 has
 * nothing to do and must not be called.
 *
 * The error cell is u32[2], which the engine fills with TEXT_NO_FAULT before the first step with checks.  Such a step
 * lowers cell[0] to the least `position * nchecks + check` of its refusals by atomic minima.  After the step the engine
 * reads the cell; it calls no later step if a value was refused.
 */
#ifndef ENGINE_TEXT_TEXT_H
#define ENGINE_TEXT_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "engine/nest/nest.h"

struct arena;

/* Describes a dialect: a table in dialect_<name>.c. */
struct text_dialect;
extern const struct text_dialect text_opencl, text_c99;

/* Abilities of the device.  A program that needs others is refused with a message that names the row or dtype. */
struct text_device {
    bool f64;        /* doubles: f64, c128, and rows that compute in doubles */
    bool wide_index; /* 64-bit indices are as fast as 32-bit ones; else indices are 32-bit where they fit */
    int lanes; /* f32 of its vectors, a power of 2 up to 16; 0: work items need no vectors, and no tiles */
};

#define TEXT_NO_FAULT UINT32_C(0xffffffff)

/* A function of the program: one step of the list. */
struct text_kernel {
    char name[32]; /* of the function in the text: "step_0", ...; steps that are algorithms may share one */
    const char *algorithm; /* NULL: a nest */
    int nslots;
    const int32_t *slots; /* numbers of the list: operands, then temporaries; each appears once in a nest */
    uint64_t writes;      /* bit i: slots[i] is written */
    int nvalues;
    const uint64_t *values; /* further arguments */
    bool checks;            /* its last argument is the error cell */
    int nchecks;            /* of the step; cell / nchecks is the position, cell % nchecks the check */
    int ndims;
    int64_t global[3]; /* work items; innermost dimension first */
    int64_t items;     /* their product, 0 for an empty step */
};

struct text_program {
    const char *text; /* ends with 0 */
    size_t length;
    bool f64; /* the text uses doubles */
    int nkernels;
    const struct text_kernel *kernels;
    const char *options; /* for the compiler of the dialect: clBuildProgram, cc */
};

/* Render all steps.  *program and what it refers to lie in `arena`.  False with the fault set if memory runs out, if
   the device lacks a dtype, or if a step is an algorithm without a text. */
bool text_render(const struct ty_nests *nests, const struct text_dialect *dialect, struct text_device device,
                 struct arena *arena, struct text_program *program, struct fault *fault);
#endif
