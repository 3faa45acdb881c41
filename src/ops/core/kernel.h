/*
 * A kernel: what an engine is asked to do; and an engine: who is asked.  The kinds of kernels are the rows of
 * kernels.def, their attributes stand in attributes.h; the operators are data inside.
 *
 * Every kind but MAP may carry an epilogue `program`: its register 0 is the core's value, the next are the
 * extra inputs (inputs[ncore..], of the outputs' shape), and it yields all outputs.  Without a program
 * there is one output: the core's value.  An engine without a kind says so in prepare.
 *
 * Outputs are dense row-major (an offset is allowed) or, of kinds that kernel_writes_boxes tells of, boxes of a larger
 * block; they overlap no input, with one exception: a dense output of a
 * program may be the very memory of an input of equal layout and element size that kernel_may_overwrite tells of.
 * So the core must be done with what an epilogue may write before the epilogue runs on it.
 */
#ifndef OPS_CORE_KERNEL_H
#define OPS_CORE_KERNEL_H
#include "array/dtype.h"
#include "array/layout.h"
#include "array/location.h"
#include "base/text.h"

struct op;

enum kernel_kind {
    KERNEL_NONE, /* leaves and views: no work */
#define KERNEL(NAME, ...) KERNEL_##NAME,
#define CONTROL KERNEL
#include "ops/core/kernels.def"
    KERNEL_KINDS
};

/* What kernels.def says of a kind. */
struct kernel_kind_info {
    const char *name;
    int ncore;            /* core inputs, or KERNEL_ANY */
    size_t bytes;         /* attributes have as many, or more */
    size_t bytes_an_axis; /* instead, for each axis of input 0 */
    const char *doc;
};
enum { KERNEL_ANY = -1 };
extern const struct kernel_kind_info kernel_kinds[KERNEL_KINDS];
struct kernel;
/* Whether launching a kernel of this kind may fail, because of values that it reads. */
bool kernel_kind_refuses(enum kernel_kind kind);
/* Whether an output may lie where input i lies, if the layouts agree: each element is read before, and only for, the
   element of the output in its place.  PLACE and SCATTER then write what they change, and nothing else; COPY
   writes nothing. */
bool kernel_may_overwrite(const struct kernel *k, int i);
/* How many first axes of what it runs over are rows: each is computed from the rows in its place of inputs and makes those of
   outputs, with the same bits whatever else there is.  0: none. */
int kernel_rows(const struct kernel *k);
/* Whether outputs may be strided: boxes of larger blocks. */
bool kernel_writes_boxes(const struct kernel *k);
/* "?" for a number that is no kind. */
const char *kernel_kind_name(enum kernel_kind kind);

/* One step of an elementwise program.  op is an elementwise row or the cast. */
struct instr {
    const struct op *op;
    ty_dtype in, out; /* in: dtype of the operands (of `where`: of b and c) */
    uint16_t src[3];
};

/* Registers 0..ninputs-1 are the inputs, ninputs+i is the result of instrs[i]. */
struct program {
    int ninputs, ninstrs, noutputs;
    struct instr *instrs;
    uint16_t *outputs; /* registers */
};
enum { PROGRAM_MAX_INSTRS = 64, PROGRAM_MAX_INPUTS = 24, PROGRAM_MAX_OUTPUTS = 8 };

/* Where an operand of a MAP or REDUCE has its elements: at indices low[i] <= index < high[i] of each axis of its layout,
   some of which are inside.  Outside it is 0, all bits, and its memory is not touched (ops/core/guard.h). */
struct guard {
    bool free; /* nobody looks at what is outside: it may be anything */
    int64_t *low, *high;
};

/* slot: which pointer of launch's table; layout.offset counts elements from there. */
struct operand {
    int slot;
    ty_dtype dtype;
    bool
        passing; /* an output that will have left the caches before it is read, though what the kernel touches is small */
    struct layout layout;
    const struct guard *guard; /* NULL: its elements are everywhere */
};
/* Address of an operand's element 0, which may be outside of its guard, where nothing is. */
static inline char *operand_base(const struct operand *o, void *const *slots) {
    return (char *)slots[o->slot] + o->layout.offset * (int64_t)dtype_table[o->dtype].size;
}

struct flow;
struct memory_plan;
struct inside {
    const struct flow *flow;
    const struct memory_plan *plan;
};

struct kernel {
    enum kernel_kind kind;
    const struct op *op; /* the core's operator; of MAP the first one */
    const void *attr;
    size_t attr_bytes;
    ty_dtype core_dtype; /* dtype of the core's value (register 0 of the epilogue) */
    int ninputs, ncore, noutputs;
    struct operand *inputs, *outputs;
    struct program *prologue;    /* REDUCE only; NULL: the one input itself */
    struct program *program;     /* MAP: the body; else the epilogue or NULL */
    const struct inside *inside; /* CONTROL: the routines that it runs, for who shows or checks them */
    int ninside;
    const int *results;  /* CONTROL: which of the operator's results each output is */
    uint32_t overwrites; /* ROWS: bit i: what kernel_may_overwrite says of inputs[i] */
    int width;           /* threads that launch may use, set by prepare (parallel_width) */
    size_t workspace;    /* bytes that launch needs, set by prepare */
    uint32_t constant;   /* bit i: inputs[i] has the same bytes in every launch */
    size_t kept;         /* bytes that it makes of such inputs once, set by prepare; 0: none */
    int kept_slot;       /* where they lie, from keep on */
    bool keeps;     /* of a program's: it is the first of those that keep the same, and fills kept_slot */
    void *prepared; /* the engine's, from the arena given to prepare */
    const char
        *apart; /* why fusion did not join it with what makes block `apart_from`; NULL: nothing to tell */
    int apart_from;
    struct location location; /* of the node that it computes; of several that became one: not known */
    /* Of a program's: what was prepared for all kernels like this one (prepared.h). */
    struct prepared *shared;
};

/* Whether core inputs and attributes, as an operator has filled them in, are what the kind takes; false after a fault. */
bool kernel_check(const struct kernel *kernel, struct fault *fault);

/* --- engines: a table of functions; src/engine supplies engine_table --- */
struct arena;
struct engine {
    const char *name;
    /* Resolves functions, sizes the workspace; what it needs to remember comes from `arena`. */
    bool (*prepare)(struct kernel *kernel, struct arena *arena, struct fault *fault);
    /* Computes.  slots[operand.slot] is the memory; workspace has kernel->workspace bytes, 64-aligned. */
    bool (*launch)(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault);
    /* Fills slots[kernel->kept_slot], 64-aligned, from constant inputs before the first launch of a kernel
       that keeps something; workspace as there.  NULL: none does. */
    void (*keep)(const struct kernel *kernel, void *const *slots, void *workspace);
    /* Adds what prepare decided, in lines for people; nothing where there is nothing to tell.  NULL: it never has. */
    void (*describe)(const struct kernel *kernel, struct text *t);
};
extern const struct engine *const engine_table[];   /* NULL-terminated */
const struct engine *engine_find(const char *name); /* NULL: none */
const struct engine *engine_current(void);
#endif
