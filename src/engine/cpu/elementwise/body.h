/*
 * A prepared elementwise program, made by body_prepare.c and run by body.c.
 *
 * Values are the program's registers (inputs first, then results), and one value for each output that merely copies
 * another value. At run time a value lives in memory of an operand, in an output, or in a register: a tile of scratch
 * memory. Steps run in order for each tile.
 *
 * An output with non-temporal stores is made in a register first. Its tile is small, so that writes of a tile and
 * reads of the next follow closely. An output that is a box of a larger block is also made in a register and stored
 * run by run.
 *
 * A body whose elements all fit one vector is "small". All its values are in registers, and steps compute whole
 * vectors, past the last element.
 *
 * Tiles of a guarded input are gathered stretch by stretch, with zeros outside. If nobody reads outside and there is
 * memory, the input is used in place. A choice by a guard is a step of its own that patches the stretches outside. It
 * is a `where` by an input that is one element inside its guard and false outside.
 */
#ifndef ENGINE_CPU_ELEMENTWISE_BODY_H
#define ENGINE_CPU_ELEMENTWISE_BODY_H
#include "engine/cpu/cpu.h"
#include "engine/cpu/elementwise/stretches.h"

enum body_source {
    BODY_MADE,     /* result of a step */
    BODY_CORE,     /* core values, passed to cpu_body_run */
    BODY_DENSE,    /* an input used in place */
    BODY_SPLAT,    /* an input with one element: a register filled once per run */
    BODY_GATHERED, /* an input gathered tile by tile, except tiles inside one of its runs */
};

/* A value of the program. */
struct body_value {
    enum body_source source;
    ty_dtype dtype;
    size_t size;
    int input;    /* DENSE, SPLAT, GATHERED: index of the operand */
    int output;   /* index of the output in whose memory it is made; -1: none */
    int reg;      /* its register; -1: none */
    int last_use; /* index of the last step that reads it; INT_MAX: kept to the end */
};

/* An operand of the program. */
struct body_input {
    int slot;
    int64_t offset;       /* bytes */
    struct layout layout; /* GATHERED: collapsed */
    /* GATHERED: length of the last axis, if it is long and contiguous or has stride 0; else 0 */
    int64_t run;
    const struct cpu_guard *guard; /* GATHERED: NULL: no guard */
    int64_t low, high; /* guarded, with runs: range of elements, counted from the first, that is memory */
    bool chooses;      /* guarded: has one element, by which steps may choose */
};

/* An output of the program. */
struct body_output {
    int slot; /* -1: the result buffer in scratch (cpu_body_values) */
    int64_t offset;
    struct layout box; /* layout of the box, collapsed; rank 0: contiguous */
    int64_t run;       /* length of the box's last axis if contiguous, else 0 */
    int value;
    int step;         /* index of the step that writes it */
    uint32_t hazards; /* inputs read later, as bits: on overlap the output waits in a register */
};

enum body_action { BODY_LOOP, BODY_GATHER, BODY_MOVE, BODY_CHOOSE };
struct cpu_chain;
/* One step over a tile: an operator, a gather, a copy or a choice. */
struct body_step {
    enum body_action action;
    const struct op *op;           /* LOOP: the operator */
    const struct cpu_chain *chain; /* chain that starts with this step; NULL: none */
    cpu_loop loop;
    int to, from[3]; /* values */
    int64_t whole;   /* small bodies: elements, rounded up to whole vectors */
    /* Sides (bits BODY_INSIDE, BODY_OUTSIDE) of a choice by input `by` that need this step; tiles without these
       sides skip it. by -1: always needed. */
    int by, sides;
};
enum { BODY_INSIDE = 1, BODY_OUTSIDE = 2 };

/* The plan, immutable after prepare; owned by the arena. */
struct cpu_body {
    /* ninputs: number of values that are inputs or the core */
    int ninputs, nvalues, nsteps, noutputs, nregisters;
    struct body_input *inputs;
    struct body_value *values;
    struct body_step *steps;
    struct body_output *outputs;
    bool in_place; /* cpu_body_values: the result is a dense input */
    bool bypass;   /* outputs use non-temporal stores */
    bool small;
    int64_t tile;
    int64_t run;      /* tiles end where the shortest runs end; 0: no runs */
    uint32_t choices; /* bit i: steps choose by input i */
    /* Steps of tiles that lie inside the guards of all inputs in `usual`, as most tiles do. */
    struct body_step *inside;
    int ninside;
    uint32_t usual;
    size_t register_bytes, result_offset, scratch;
};

enum { BODY_MAX_INPUTS = 32, BODY_MAX_VALUES = BODY_MAX_INPUTS + PROGRAM_MAX_INSTRS + PROGRAM_MAX_OUTPUTS };
#endif
