/*
 * A prepared elementwise program: what body_prepare.c makes and body.c runs.
 *
 * Values are the program's registers (inputs first, then results), then one for every output that is a
 * mere copy of a value.  At run time a value has a place: memory of an operand, of an output, or a
 * register, which is a tile in scratch.  Steps are done in order for each tile.
 *
 * An output that is stored past the caches is made in a register first; its tile is small, so that the reads
 * of the next tile follow soon upon the writes of this one.  So is an output that is a box of a larger block: its
 * tile is laid down run by run.
 *
 * A body of so few elements that a vector holds them is small: everything is made in registers, and steps take whole
 * vectors, whatever stands behind the last element.
 *
 * Where an input is guarded, a tile is gathered stretch by stretch, zeros outside; but where nobody looks outside, and there
 * is memory, it is used as it lies.  A choice by a guard (`where`, of an input that is one element
 * inside of its guard and false outside) is a step of its own, which patches the stretches outside.
 */
#ifndef ENGINE_CPU_ELEMENTWISE_BODY_H
#define ENGINE_CPU_ELEMENTWISE_BODY_H
#include "engine/cpu/cpu.h"
#include "engine/cpu/elementwise/stretches.h"

enum body_source {
    BODY_MADE,     /* by a step */
    BODY_CORE,     /* handed to run */
    BODY_DENSE,    /* an input, used where it lies */
    BODY_SPLAT,    /* an input with one element: a register filled once a run */
    BODY_GATHERED, /* an input, gathered tile by tile, but for tiles that lie inside one of its runs */
};

struct body_value {
    enum body_source source;
    ty_dtype dtype;
    size_t size;
    int input;    /* DENSE, SPLAT, GATHERED: which operand */
    int output;   /* the output whose memory it is made in; -1: none */
    int reg;      /* its register; -1: needs none */
    int last_use; /* step; INT_MAX: kept to the end */
};

struct body_input {
    int slot;
    int64_t offset;       /* bytes */
    struct layout layout; /* GATHERED: collapsed */
    int64_t run; /* GATHERED: length of its last axis, where that is long and its elements lie side by side
                    or are one element; else 0 */
    const struct cpu_guard *guard; /* GATHERED: NULL: it has elements everywhere */
    int64_t low, high; /* guarded, with runs: elements from the first one on between which there is memory */
    bool chooses;      /* guarded: one element, which steps can choose by */
};

struct body_output {
    int slot; /* -1: the result buffer in scratch (cpu_body_values) */
    int64_t offset;
    struct layout box; /* where its elements lie, collapsed; rank 0: side by side */
    int64_t run;       /* length of the box's last axis, where its elements lie side by side; else 0 */
    int value;
    int step; /* which writes it */
    uint32_t
        hazards; /* inputs that later steps read: were one of them this memory, they would read the output */
};

enum body_action { BODY_LOOP, BODY_GATHER, BODY_MOVE, BODY_CHOOSE };
struct cpu_chain;
struct body_step {
    enum body_action action;
    const struct op *op;           /* LOOP */
    const struct cpu_chain *chain; /* that begins with it; NULL: none */
    cpu_loop loop;
    int to, from[3]; /* values */
    int64_t whole;   /* of a small body: elements of whole vectors */
    /* Where what it makes is only wanted on some sides (bits: BODY_INSIDE, BODY_OUTSIDE) of a choice by input `by`: tiles
       that have none of these go without.  by -1: always. */
    int by, sides;
};
enum { BODY_INSIDE = 1, BODY_OUTSIDE = 2 };

struct cpu_body {
    int ninputs, nvalues, nsteps, noutputs, nregisters; /* ninputs: values that are inputs or the core */
    struct body_input *inputs;
    struct body_value *values;
    struct body_step *steps;
    struct body_output *outputs;
    bool in_place; /* cpu_body_values: the result is a dense input */
    bool bypass;   /* outputs are stored past the caches */
    bool small;
    int64_t tile;
    int64_t run;      /* tiles end where the shortest runs end; 0: there are none */
    uint32_t choices; /* bit i: steps choose by input i */
    /* The steps of tiles that are all inside of the inputs `usual`, of which most tiles are. */
    struct body_step *inside;
    int ninside;
    uint32_t usual;
    size_t register_bytes, result_offset, scratch;
};

enum { BODY_MAX_INPUTS = 32, BODY_MAX_VALUES = BODY_MAX_INPUTS + PROGRAM_MAX_INSTRS + PROGRAM_MAX_OUTPUTS };
#endif
