/*
 * A kernel is a unit of work for an engine; an engine executes kernels.  The kinds of kernels are the entries of
 * kernels.def, their attributes are in attributes.h.
 *
 * Every kind but MAP may carry an epilogue `program`.  Its register 0 is the core's value, the next ones are the extra
 * inputs (inputs[ncore..], of the outputs' shape), and it yields all outputs.  Without a program there is one output,
 * the core's value.  An engine that lacks a kind says so in prepare.
 *
 * Outputs are dense and row-major (an offset is allowed) or, unless the kind is `dense`, boxes of a larger block.  They
 * overlap no input, with one exception.  A dense output of a program may alias an input of equal layout and element
 * size for which kernel_may_overwrite is true.  So the core must have read that input before the epilogue writes.
 */
#ifndef OPS_CORE_KERNEL_H
#define OPS_CORE_KERNEL_H
#include "array/dtype.h"
#include "array/layout.h"
#include "array/location.h"
#include "base/for_command.h"
#include "base/text.h"

struct op;

enum kernel_kind {
    KERNEL_NONE, /* leaves and views: no work */
#define KERNEL(NAME, ...) KERNEL_##NAME,
#define CONTROL KERNEL
#include "ops/core/kernel/kernels.def"
    KERNEL_KINDS
};

struct arena;
struct box;
struct device;
struct kernel;
struct prepared;
/* How an axis of an operand moves with an axis of the outputs: index o of that axis reads the operand's indices
   o * stride - low .. o * stride - low + reach, as far as the operand has them. */
struct axis_link {
    int axis; /* of the outputs; -1: each output element may depend on all of the operand's axis */
    int64_t stride, low, reach;
};
/* Entry of kernels.def: all that code outside of engines knows about a kind. */
struct kernel_row {
    const char *name;
    int ncore;            /* number of core inputs, or KERNEL_ANY */
    size_t bytes;         /* least number of bytes of the attributes */
    size_t bytes_an_axis; /* if not 0: bytes of attributes for each axis of input 0 */
    const char *doc;
    bool no_core;     /* its program is the whole computation; other kinds have a core, then an epilogue */
    bool prologue;    /* a prologue may compute the elements of input 0 as the core reads them */
    bool refuses;     /* a launch can fail because of values that it reads; op->refuses narrows this */
    bool looks_first; /* checks values before it writes: a failed launch leaves its outputs unchanged */
    bool dense;       /* outputs must be dense; those of other kinds may be boxes of a larger block */
    bool in_place;    /* an output element is written after, and depends only on, the input elements at
                         its address: outputs may alias any input of their layout */
    bool replaces;    /* the core's value is input 0 with some elements replaced, if need be in place */
    bool picks;       /* reads at most one element of input 0 for each element of the core's value */
    bool light;       /* one pass over memory: recomputed rather than stored for a gradient */
    bool foreign;     /* runs code of the user: equal operands may give other results in each launch */
    bool launches;    /* starts kernels that are watched and counted as launches of their own */
    /* Return the number of leading axes along which the kernel may be split, guards aside.  NULL: 0. */
    int (*rows)(const struct kernel *k);
    /* Set *link for an axis of core input i, if not by `rows` (ops/core/kernel/link.h).  NULL: no axis is linked. */
    void (*link)(const struct kernel *k, int i, int axis, struct axis_link *link);
    bool cuts; /* with `link`: the kernel may be cut along linked axes, like one with `rows` along these */
    /* Adapt attributes of `cut`, a cut copy of k with narrowed operands, to box b of k's outputs, and remove core inputs
       that it does not read.  NULL: nothing to do.  False: it cannot be cut so, or memory ran out. */
    bool (*recut)(struct kernel *cut, const struct kernel *k, const struct box *b, struct arena *arena);
    /* Return the operations of the core (ops/core/kernel/work.h).  NULL: none, for the reason `no_work`. */
    double (*work)(const struct kernel *k);
    const char *no_work;
};
enum { KERNEL_ANY = -1 };
/* Indexed by kind. */
extern const struct kernel_row kernel_table[KERNEL_KINDS];
/* True if an output of k may alias input i when the layouts agree: each element is read before, and only for,
   the output element at the same address. Aliased, PLACE and SCATTER write only the elements that they
   change, and COPY writes nothing. */
bool kernel_may_overwrite(const struct kernel *k, int i);
/* Return the number of leading axes of the index space that are rows: each row of the outputs depends only on the
   same row of the inputs, and its bits do not depend on other rows.  0: no such axes. */
int kernel_rows(const struct kernel *k);
/* Return the name of a kind, "?" if it is invalid. */
const char *kernel_kind_name(enum kernel_kind kind);
/* Return words for messages: the name of the kernel's operator, or of its kind. */
const char *kernel_name(const struct kernel *k);

/* One step of an elementwise program.  op is an elementwise operator or the cast. */
struct instr {
    const struct op *op;
    ty_dtype in, out; /* in: dtype of the operands (of `where`: of b and c) */
    uint16_t src[3];
};

/* Elementwise program.  Registers 0..ninputs-1 are the inputs, register ninputs+i is the result of instrs[i]. */
struct program {
    int ninputs, ninstrs, noutputs;
    struct instr *instrs;
    uint16_t *outputs; /* register numbers */
};
enum { PROGRAM_MAX_INSTRS = 64, PROGRAM_MAX_INPUTS = 24, PROGRAM_MAX_OUTPUTS = 8 };

/* The box in which an operand of a MAP or REDUCE has elements: indices low[i] <= index < high[i] of each axis, not
   empty.  Outside it reads as 0 (all bits), and its memory is not touched (ops/core/guard.h). */
struct guard {
    bool free; /* values outside are never used and may be anything */
    int64_t *low, *high;
};

/* An operand in memory.  slot: index into launch's table of pointers; layout.offset counts elements from there. */
struct operand {
    int slot;
    ty_dtype dtype;
    bool passing; /* an output that will have left the caches before it is read, though the kernel itself
                     touches little memory */
    struct layout layout;
    const struct guard *guard; /* NULL: elements everywhere */
};
/* Return the address of operand o's element 0, where slots[] are the addresses of the launch. The element may
   lie outside of o's guard and must not be read then. */
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
    const struct op *op; /* operator of the core; of MAP, the first one */
    const void *attr;
    size_t attr_bytes;
    ty_dtype core_dtype; /* dtype of the core's value (register 0 of the epilogue) */
    int ninputs, ncore, noutputs;
    struct operand *inputs, *outputs;
    struct program *prologue;    /* kinds with `prologue`; NULL: the input itself */
    struct program *program;     /* MAP: the whole computation; else the epilogue or NULL */
    const struct inside *inside; /* CONTROL: the routines that it runs, for display and checks */
    int ninside;
    const int *results;  /* CONTROL: for each output, the index of the operator's result */
    uint32_t overwrites; /* ROWS: bit i: the value of kernel_may_overwrite for inputs[i] */
    int width;           /* threads that launch may use, set by prepare (parallel_width) */
    size_t workspace;    /* bytes of scratch memory that launch needs, set by prepare */
    uint32_t constant;   /* bit i: inputs[i] has the same bytes in every launch */
    size_t kept;         /* bytes computed once from constant inputs, set by prepare; 0: none */
    int kept_slot;       /* slot of the kept bytes */
    bool looks;          /* on a device: launches may be told to look at an error cell (array/device.h) */
    bool checked; /* another kernel has checked the indices that it reads: it refuses none (pass_checks.c) */
    bool keeps;   /* in a program: first of the kernels that share kept bytes; this one fills kept_slot */
    void *prepared; /* data of the engine, in the arena given to prepare */
    struct device
        *device; /* device of the engine, whose memory the operands are (array/device.h); NULL: the host's */
    struct prepared
        *away;         /* of a device that lacks something: the preparation by `cpu` (away.h); NULL: none */
    const char *apart; /* reason why fusion did not join it with the kernel that makes block `apart_from`;
                          NULL: none */
    int apart_from;
    struct location location; /* location of the node that it computes; unknown if it was made of
                                 several nodes */
    /* In a program: the preparation shared by all equal kernels (prepared.h). */
    struct prepared *shared;
};

/* Check the number of core inputs and the size of attributes, as an operator has filled them in, against the
   kind (kernels.def). False, with the fault set, if one is wrong. */
bool kernel_check(const struct kernel *kernel, struct fault *fault);

struct boxes;
/* --- engines: tables of functions; src/engine defines engine_table --- */
struct arena;
struct engine {
    const char *name;
    /* Select functions and compute kernel->workspace; data that launch needs comes from `arena`.  False and fault
       set on failure. */
    bool (*prepare)(struct kernel *kernel, struct arena *arena, struct fault *fault);
    /* Execute the kernel.  slots[operand.slot] is its memory; workspace has kernel->workspace bytes, 64-byte
       aligned.  False and fault set on failure. */
    bool (*launch)(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault);
    /* Fill slots[kernel->kept_slot], 64-byte aligned, from constant inputs, before the first launch of a kernel
       that keeps bytes.  workspace as in launch.  NULL: no kernel of this engine does. */
    void (*keep)(const struct kernel *kernel, void *const *slots, void *workspace);
    /* Append the decisions of prepare as readable lines, if any.  NULL: none. */
    void (*describe)(const struct kernel *kernel, struct text *t);
    /* Parts of kernels that are not cut but run some of their blocks, so that sums keep their order.  `round` enlarges
       the boxes of the outputs' index space to whole blocks; false: it runs only as a whole.  `launch_part` then
       executes these blocks, as launch does.  NULL: no kernel of this engine runs in parts. */
    bool (*round)(const struct kernel *kernel, struct boxes *boxes);
    bool (*launch_part)(const struct kernel *kernel, const struct boxes *boxes, void *const *slots,
                        void *workspace, struct fault *fault);
    /* Release what prepare made outside of the arena.  NULL: nothing. */
    void (*drop)(struct kernel *kernel);
    /* Device whose memory the operands are: `slots` are addresses of device memory, and launch returns before the
       kernel has run.  NULL: the host's. */
    struct device *device;
};
extern const struct engine *const engine_table[] TABLE_FOR_COMMAND(engine_table); /* NULL-terminated */
/* Return the engine of this name, NULL if there is none (devices.h). */
const struct engine *engine_find(const char *name);
/* Return the engine that computes for the calling thread. */
const struct engine *engine_current(void) FOR_COMMAND(engine_current);
#endif
