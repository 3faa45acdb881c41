/*
 * Kernels as source text.  text_render turns a list of nests (tyto/engine.h) into a program in a dialect of C:
 * a function for each step, and what an engine must know to call it.  text_join makes the whole text of one or more
 * programs, which a compiler takes: what their steps call, once, and the functions of the steps.  The formulas of the
 * rows and the vector mathematics are the same text that cpu compiles, so a device computes cpu's bits.
 *
 * Arguments of a kernel function, in this order:
 *   for each entry of `slots`   the memory of the slot, then the byte offset of the slot's element 0 in it, a u64;
 *   if `checks` or `stops`      the memory of the error cell (below), then its byte offset, a u64;
 *   for each of `values`        a u64: a constant that varies (tyto/engine.h), then the size of a nest of one loop;
 *                               of an algorithm, its work items, then its values;
 *   if `checks`                 a u64: the number of the step in the run, above 0 and below 2^32; plus TEXT_AGAIN in
 *                               the second call.
 * The text reads and writes elements at offset + layout; operands need only the alignment of their elements.
 *
 * Calling a step: `global` work items in each of `ndims` dimensions (1 .. 3), each computing one index of the parallel
 * loops; items beyond the loops return at once, so an engine may round sizes up to its groups.  The text has neither
 * local memory nor barriers.  Steps run in order, each seeing what earlier ones wrote.  A step whose `items` is 0 has
 * nothing to do and must not be called.
 *
 * The error cell of a run is a struct text_cell in device memory, all zero at first.  A step with checks is called
 * twice.  The first call writes its number, and the least `position * nchecks + check` of its refusals, by atomic
 * maxima of the complement.  The second call writes the value that was refused.  Both do nothing if another step has
 * set the cell, so the first step in the run counts.  Later steps may follow without a look at the cell: they touch no
 * memory outside of their operands.  Steps that `stop` do nothing if the cell is set.
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
    bool stops;      /* steps without checks look at the error cell */
    int strips;      /* most vectors of neighbouring columns of a tile of sums; 0: one */
    int lanes; /* f32 of its vectors, a power of 2 up to 16; 0: work items need no vectors, and no tiles */
};

struct text_cell {
    uint32_t step;    /* number of the step that has refused; 0: none */
    uint32_t highest; /* complement of the least position * nchecks + check */
    int64_t value;    /* that was refused */
};
#define TEXT_AGAIN (UINT64_C(1) << 32)

/* A function of the program: one step of the list. */
struct text_kernel {
    char name[32];         /* of the function: "k<hash of the program's steps>_<number of the step>" */
    const char *algorithm; /* NULL: a nest */
    int nslots;
    const int32_t *slots; /* numbers of the list: operands, then temporaries; each appears once in a nest */
    uint64_t writes;      /* bit i: slots[i] is written */
    int nvalues;
    const uint64_t *values; /* further arguments */
    bool checks, stops;
    int nchecks; /* of the step */
    int ndims;
    int64_t global[3]; /* work items; innermost dimension first */
    int64_t items;     /* their product, 0 for an empty step */
};

/* Return the position of the value that a step has refused. */
static inline int64_t text_cell_position(const struct text_cell *cell, const struct text_kernel *step) {
    return ~cell->highest / (uint32_t)step->nchecks;
}

struct text_program {
    const char *steps; /* their functions, without what they call; ends with 0 */
    size_t length;
    const struct text_uses *uses; /* rows, casts, mathematics and algorithms that the steps call */
    int nkernels;
    const struct text_kernel *kernels;
    const char *options; /* for the compiler of the dialect: clBuildProgram, cc */
};

/* Render all steps.  *program and what it refers to lie in `arena`.  False with the fault set if memory runs out, if
   the device lacks a dtype, or if a step is an algorithm without a text. */
bool text_render(const struct ty_nests *nests, const struct text_dialect *dialect, struct text_device device,
                 struct arena *arena, struct text_program *program, struct fault *fault);
/* Append the text of n programs of one dialect, whose steps differ, for a device with or without f64; of each only
   `steps`, `length` and `uses` are read.  If memory runs out, t->failed is set. */
void text_join(struct text *t, int n, const struct text_program *const *programs,
               const struct text_dialect *dialect, bool f64);
/* Return a copy of `uses`, freed by mem_free; NULL if memory runs out. */
struct text_uses *text_uses_copy(const struct text_uses *uses);
#endif
