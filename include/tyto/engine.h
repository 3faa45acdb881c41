/*
 * Engines of the user's own: kernels as lists of nests, and the functions that an engine provides.  Include it beside
 * <tyto/tyto.h>.  docs/engines.md has a picture of a nest, examples/engine.c a complete engine.
 *
 * A nest is a perfect nest of loops that reads elements, computes with them, folds values over some loops, computes
 * again, and writes elements.  An engine for nests needs no code for single kinds of kernels.
 *
 * One iteration of a nest works on registers, numbered in this order.  Each is computed once, from lower ones:
 *
 *   reads[0 .. nreads)                     an element of memory, a constant, or an index
 *   before[0 .. nbefore)                   operators
 *   folds[0 .. nfolds)                     sums, maxima, places of maxima ... of registers above, over the FOLD loops
 *   after[0 .. nafter)                     operators on folds and on reads that do not step along FOLD loops
 *   writes[0 .. nwrites)                   stores of registers; no registers of their own
 *
 * A plain engine runs these loops: PARALLEL dims in any order, in them ORDERED or RUN dims in order, in them FOLD dims:
 * reads, before, folds; behind the FOLD dims: after, writes.  Sizes and offsets count elements, not bytes.
 *
 * Example: SCATTER ADD of updates f32[1000,64] (slot 1) into target f32[50,64] (slot 0) at index i64[1000] (slot 2),
 * result in slot 3.
 *
 *   step 0  dims [1000 PARALLEL]; reads r0 = slot 2 [1], r1 = INDEX [1];
 *           check r0 in 0 .. 49, negative ones count from 50; position r1
 *   step 1  dims [3200 PARALLEL]; reads r0 = slot 0 [1]; write slot 3 [1] = r0
 *   step 2  dims [64 PARALLEL, 1000 ORDERED]; reads r0 = slot 2 [0,1], r1 = slot 1 [1,64];
 *           write slot 3 [1,0] + 64 * r0 (wrap, bound 50) ADD r1
 *
 * Lists belong to the library: they are valid and do not change from the call of `prepare` until that of `drop`.
 * TY_NEST_LANGUAGE is the version of these structs.
 */
#ifndef TYTO_ENGINE_H
#define TYTO_ENGINE_H

#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the structs of nests and of their enums.  The library refuses engines for another version. */
#define TY_NEST_LANGUAGE 1

/* Most loops of a nest: an axis of a kernel becomes two at most, and a contraction adds some. */
enum { TY_NEST_DIMS = 160 };

/* ---- loops ---- */

/* PARALLEL dims come first, then ORDERED or RUN, then FOLD; a nest with RUN has no FOLD and no ORDERED. */
typedef enum ty_nest_role {
    TY_NEST_PARALLEL, /* iterations may run at once: none reads or writes what another one writes */
    TY_NEST_ORDERED,  /* iterations run in order: later ones may write, or join to, the same elements */
    TY_NEST_RUN,      /* a scan: iterations run in order, and each writes the value of the folds so far */
    TY_NEST_FOLD      /* each iteration adds a term to the folds; nothing is written inside */
} ty_nest_role;

/* A loop from 0 to size-1.  A ragged loop goes from v to w-1, where v and w are the values of the reads `begin` and
   `end`, clamped to 0 .. size.  These reads step along earlier dims only. */
typedef struct ty_nest_dim {
    int64_t size;       /* 0 .. */
    int32_t role;       /* ty_nest_role */
    int32_t begin, end; /* numbers of reads; -1: not ragged */
} ty_nest_dim;

/* ---- accesses ---- */

/* An indirect part of an address, or a condition.  Let v be the value of an earlier read of an integer dtype, plus
   bound if `wrap` and v < 0.  The access is *outside* unless 0 <= v < bound and, if `exact`, v % divide is 0.  If it is
   inside, (v / divide) * stride is added to its offset; v / divide is first reduced modulo `modulo`, unless that is 0.
   With an INDEX as `read` and a stride of 0 a term is a bounds check, as for padding. */
typedef struct ty_nest_term {
    int32_t read;     /* number of an earlier read; in a write: of any read */
    bool wrap, exact; /* see above */
    int64_t bound;    /* 0 .. */
    int64_t divide;   /* 1 .. */
    int64_t modulo;   /* 0 .. */
    int64_t stride;   /* elements of the access */
} ty_nest_term;

/* Values of `slot` that are no memory. */
enum {
    TY_NEST_INDEX = -1,   /* the value is the offset itself, an i64 */
    TY_NEST_CONSTANT = -2 /* the value is `constant` */
};

/* An element at offset + sum of strides[d] * index of dim d + terms.  Outside (see ty_nest_term), a read is 0 (all
   bits) and a write does nothing; neither touches memory.  Terms apply to an INDEX and a CONSTANT, too: a constant 1
   with terms is 1 inside and 0 outside. */
typedef struct ty_nest_access {
    int32_t slot;           /* operand: inputs, then outputs; then temporaries; or TY_NEST_INDEX, _CONSTANT */
    ty_dtype dtype;         /* in memory, and of the register */
    int64_t offset;         /* elements */
    const int64_t *strides; /* ndims of them, elements; may be 0 or negative */
    int32_t nterms;
    bool late; /* a read that only `after`, writes and terms of writes use; it steps along no FOLD dim */
    const ty_nest_term *terms; /* nterms of them */
    uint64_t constant[2];      /* CONSTANT: the bytes of an element of dtype */
    /* a CONSTANT of u64 in which alone many kernels differ: a compiling engine should pass it as an argument */
    bool varies;
} ty_nest_access;

/* ---- computing ---- */

enum { TY_NEST_ALWAYS = 0xFFFF }; /* in place of a register: there is no condition */

/*
 * An operator on registers.  Names are rows of <tyto/elementwise.def>, whose formula defines the value, or:
 *
 *   cast           to another dtype, as ty_cast
 *   view_as        the same bits as another dtype of equal size
 *   random_bits    (element i u64, key u64, sequence u64): u32: word i % 4 of Philox block i / 4; u64: word i % 2 of
 *                  block i / 2
 *   random_normal  (p, q, element u64), p, q u32 or u64: f32 or f64 by Box and Muller; even elements: cosine, odd: sine
 */
typedef struct ty_nest_instr {
    const char *name;    /* static text */
    ty_dtype in, out;    /* in: dtype of the operands (of `where`: of the second and third) */
    uint16_t n, from[3]; /* n operands, 1 .. 3: lower registers */
} ty_nest_instr;

/* SUM and DOT begin with 0, PROD with 1, MAX with the least value, MIN with the greatest, ARGMAX and ARGMIN with place
   -1.  In a RUN dim SUM begins with the first term.  Of equal extremes the first stays; of zeros of both signs, either
   may.  The first NaN stays, whatever follows. */
typedef enum ty_nest_fold_kind {
    TY_NEST_SUM,
    TY_NEST_PROD,
    TY_NEST_MAX,    /* of bool: any */
    TY_NEST_MIN,    /* of bool: all */
    TY_NEST_ARGMAX, /* the register is `second` (i64) of the extreme of `value` */
    TY_NEST_ARGMIN,
    TY_NEST_DOT,   /* sum = value * second + sum; reals: rounded once (fma); complex: below */
    TY_NEST_LINEAR /* RUN only: y = value * y + second, from y = 0; reals: fma; complex: `mul`, then `add` */
} ty_nest_fold_kind;
/* DOT of complex numbers v and s is four fma in this order: re += v.re * s.re, im += v.re * s.im, re += v.im *
   -s.im, im += v.im * s.re. */

/*
 * Order of a fold of real or complex numbers; integers, MAX and MIN give the same value in any order.  Terms count
 * from 0 in row-major order of the FOLD dims, without those for which `when` is false.
 *
 * FOLD dims.  A block ends after `block` terms (0: never), and with the last index of the innermost `inner` FOLD dims
 * (0: of all).  Term n of a block goes to lane n % lanes.  At the end of a block, lanes that have terms are joined:
 *   HALVES  lane i and lane i + lanes/2, then lanes/4 ..., to lane 0; the block's result is lane 0, joined with the
 *           start. Results of blocks are joined in pairs as a binary counter carries: two results of as many blocks
 *           at once, the earlier one on the left; at the end the remaining ones, from the last one on (the earlier
 *           one always on the left).
 *   CHAIN   lane 0 starts with the result so far, other lanes with 0; lanes 1, 2, ... are added to lane 0 in order:
 *           this is the result so far.
 *   DOTS    as CHAIN, but each end of the innermost `run` FOLD dims continues at lane 0.  Lanes start with 0 and are
 *           joined as in HALVES; then the result is added to the result so far.
 *   NEAR    as DOTS, of one FOLD dim and without `when`.  But terms behind the last whole group of lanes go to lane 0,
 *           and lanes are joined otherwise: of 8, lane i and lane i + 4; then 0 and 1, 2 and 3; then these two.  Lanes
 *           are 4 or 8.
 * With lanes 1 and block 0, each of these joins is one sum in order.
 * Each index of the outermost `spans` FOLD dims (0: none) is a span with its own result; these are added in order.
 *
 * RUN dim.  The axis is cut into parts of `block` steps (0: one part), and each part is scanned on its own.  Then the
 * total of the earlier parts is joined, on the left, to each result of the part.  A part has groups of `lanes` steps:
 * for g = 1, 2, 4 ... lanes/2, the last result of each even run of g steps is joined, on the left, to all results of
 * the odd run after it; then the last result of the group before is joined, on the left, to each.  A shorter group is
 * filled up with the start value and scanned as a whole one.  lanes 1: one step after the other.
 */
typedef enum ty_nest_join_lanes {
    TY_NEST_HALVES,
    TY_NEST_CHAIN,
    TY_NEST_DOTS,
    TY_NEST_NEAR
} ty_nest_join_lanes;

typedef struct ty_nest_fold {
    int32_t kind;              /* ty_nest_fold_kind */
    ty_dtype dtype;            /* of sums and of `value`; of the register, but i64 for arg* */
    uint16_t value, second;    /* registers; second: of arg*, DOT and LINEAR */
    uint16_t when;             /* bool register: false leaves the term out; or TY_NEST_ALWAYS */
    bool exclusive;            /* RUN: the register has the value before this step */
    uint8_t join;              /* ty_nest_join_lanes */
    int32_t lanes;             /* 1 .. 64; a power of 2 but for CHAIN */
    int32_t inner, run, spans; /* numbers of FOLD dims, 0 .. all of them */
    int64_t block;             /* terms, or steps of a RUN; 0: no blocks */
} ty_nest_fold;

/* How a write combines a value with the element in memory.  LEAST, GREATEST: a NaN replaces any number and stays.
   MADD: value * second + element, rounded as in the fold DOT. */
typedef enum ty_nest_store {
    TY_NEST_SET,
    TY_NEST_ADD,
    TY_NEST_MUL,
    TY_NEST_LEAST,
    TY_NEST_GREATEST,
    TY_NEST_MADD
} ty_nest_store;

typedef struct ty_nest_write {
    ty_nest_access to; /* never INDEX or CONSTANT */
    uint16_t value;    /* register of the access' dtype */
    uint16_t when;     /* bool register: false writes nothing; or TY_NEST_ALWAYS */
    uint16_t second;   /* MADD: register of the access' dtype */
    int32_t store;     /* ty_nest_store */
} ty_nest_write;

/* A test: register `value`, an integer, must be in low .. high-1, or the kernel is refused.  u64 values from 2^63 on
   are refused.  Of several refusals of a nest, the one with the lowest value of register `position` is reported,
   then that of the first check.  A refusal ends the kernel: results of later steps must not be visible. */
typedef struct ty_nest_check {
    uint16_t value, position; /* position: i64, 0 <= position */
    uint16_t when;            /* bool register: false checks nothing; or TY_NEST_ALWAYS */
    int64_t low, high;
} ty_nest_check;

typedef struct ty_nest {
    const char *name;                        /* what it computes, in plain words */
    int32_t ndims;                           /* 0 .. TY_NEST_DIMS; 0: one iteration */
    int32_t nreads, nbefore, nfolds, nafter; /* registers: less than TY_NEST_ALWAYS in all */
    int32_t nwrites, nchecks;
    const ty_nest_dim *dims; /* row-major: the last one is innermost */
    const ty_nest_access *reads;
    const ty_nest_instr *before, *after;
    const ty_nest_fold *folds;
    const ty_nest_write *writes;
    /* they test reads and results of `before`; nests with checks have no folds and no writes */
    const ty_nest_check *checks;
} ty_nest;

/* ---- the list ---- */

/* A step is a nest or, if nest is NULL, an algorithm: a function of the library's own texts, called once for each of
   `items` work items, in any order.  If `items` is -1 there is no such function, and `algorithm` is the name of the
   kernel's kind, such as "matrix". */
typedef struct ty_nest_step {
    const ty_nest *nest;
    const char *algorithm; /* name, static text; engines of the user's own get no steps with algorithms */
    int32_t kernel;        /* algorithm: number of the kernel inside ROWS; 0 for other kernels */
    int32_t nslots;        /* algorithm: number of `slots` */
    const int32_t
        *slots;     /* a function: its memory, from element 0 of the slots on; a kind: inputs, then outputs */
    ty_dtype dtype; /* a function: of its numbers */
    int32_t nvalues;
    const uint64_t *values; /* a function: sizes and flags, its last arguments */
    int64_t items;
} ty_nest_step;

/* Scratch memory of a list; its contents before and after a launch do not matter. */
typedef struct ty_nest_temporary {
    ty_dtype dtype;
    int64_t size; /* elements */
} ty_nest_temporary;

/* Steps run in order: each sees what earlier ones wrote.  Slots 0 .. noperands-1 are the kernel's inputs, then its
   outputs; temporary i is slot noperands + i.  An output may share the memory of an input; then each nest reads an
   element no later than in the iteration that writes it. */
typedef struct ty_nests {
    int32_t nsteps, noperands, ntemporaries; /* 0 .. */
    const ty_nest_step *steps;
    const ty_nest_temporary *temporaries;
} ty_nests;

/* ---- working with lists ------------------------------------------------------------------------ */

/* Describe a list as text, some lines for each step, as docs/engines.md shows it.  If ty_nests_check refuses the list,
   the text is the reason.  The caller frees it with ty_free.  NULL: `nests` is NULL, or memory ran out. */
TY_API char *ty_nests_describe(const ty_nests *nests);
/*
 * Check a list, such as one that your own pass has made: registers, dtypes, roles of loops.  In nests without ragged
 * loops, of at most 16384 iterations, accesses must stay in their slots and parallel iterations must write apart.
 *
 * low, high: for each of the n slots, low <= element < high; n must be noperands + ntemporaries.  n 0 with NULL: the
 * operands have any size.  False, with the reason in *error unless NULL (a poisoned tensor), if a rule is broken.
 */
TY_API bool ty_nests_check(const ty_nests *nests, int n, const int64_t *low, const int64_t *high,
                           ty_tensor **error);

/* The value of a register: memory that begins with the bytes of an element; the other bytes are 0. */
typedef struct ty_nest_value {
    uint64_t words[2];
} ty_nest_value;

/* Compute `instr` for n elements, as `cpu` does to the bit: result[i] = name(operands[0][i], ..).  Arrays are
   contiguous, of instr->in and instr->out; `from` of instr is not read.  False if there is no such operator for these
   dtypes, or an argument is NULL; nothing is written then. */
TY_API bool ty_nest_apply(const ty_nest_instr *instr, int64_t n, const void *const *operands, void *result);
/* Combine the element at `to` with the registers `value` and `second` of the write, as its `store` says.  The caller
   has tested `when` and found the address `to`.  NULL does nothing. */
TY_API void ty_nest_put(const ty_nest_write *write, const ty_nest_value *registers, void *to);

/* A fold in progress, of one iteration of the loops around it; it keeps the order that ty_nest_fold states. */
typedef struct ty_folding ty_folding;
/* Make the state of fold number `fold` of a nest, which must outlive it.  Each thread needs states of its own.  NULL:
   there is no such fold, its order is not valid, or memory ran out.  The caller frees it with ty_folding_free. */
TY_API ty_folding *ty_folding_new(const ty_nest *nest, int fold);
/* Begin: before the FOLD loops, or the RUN loop.  NULL is allowed. */
TY_API void ty_folding_start(ty_folding *f);
/* Add the term of an iteration, unless `when` is false.  registers[] has those of the nest, by their numbers. */
TY_API void ty_folding_term(ty_folding *f, const ty_nest_value *registers);
/* Tell that the innermost `loops` FOLD loops have ended, 0 .. all of them: 0 after each term, 1 after the innermost
   loop, and so on.  It is not called in RUN loops. */
TY_API void ty_folding_end(ty_folding *f, int loops);
/* Write the register of the fold: after the FOLD loops, or behind each term of a RUN loop. */
TY_API void ty_folding_result(ty_folding *f, ty_nest_value *result);
/* Free the state.  NULL is allowed. */
TY_API void ty_folding_free(ty_folding *f);

/* ---- engines ----------------------------------------------------------------------------------- */

/* Reason of a failure, for the caller of the engine; the library copies it. */
typedef struct ty_engine_error {
    ty_code code;   /* TY_ERROR_NONE: none was given */
    char text[508]; /* one sentence, UTF-8, ends with a 0 */
} ty_engine_error;
/* Set code and text, in printf's format, cut to fit.  Return false, for `return ty_engine_fail(..)`. */
TY_API bool ty_engine_fail(ty_engine_error *error, ty_code code, const char *format, ...);

/* A place in memory of an engine.  Without `allocate`, element i of a slot lies at (char *)memory + offset + i *
   ty_dtype_size(dtype). */
typedef struct ty_engine_place {
    void *memory;   /* result of `allocate`; without that function, an address of the host */
    int64_t offset; /* bytes of element 0, which may be outside of the memory (then it is not accessed) */
} ty_engine_place;

/* A refused launch: the check that failed at the lowest position.  The library makes the message of it. */
typedef struct ty_engine_refusal {
    int64_t position; /* value of the check's register `position` */
    int32_t step;     /* number of the step; -1, as the library sets it: no check failed */
    int32_t check;    /* number of the check in its nest */
} ty_engine_refusal;

/* State of an event. */
typedef enum ty_engine_state { TY_ENGINE_PENDING, TY_ENGINE_DONE, TY_ENGINE_FAILED } ty_engine_state;

/*
 * An engine: a device named "name:0", or "name" for short, of a table of functions.
 *
 * Functions are called by several threads at once, also for one kernel and one stream.  Of the library they may call
 * only the functions above and ty_dtype_size.  They return false, with *error set, on failure.  The code
 * TY_ERROR_DEVICE means that the device is lost: from then on, only functions that free things are called.  In the
 * child of a fork the device is lost, and none is called.
 *
 * A kernel that `prepare` refuses with TY_ERROR_UNSUPPORTED runs on `cpu`, on copies of its operands.  So do kernels
 * with algorithms or with dtypes of `lacks`, for which `prepare` is not called.
 *
 * Memory.  Without `allocate` the engine computes in blocks of the host's memory, which the library aligns to 64 bytes;
 * then all functions of memory and of streams are NULL.  With it all six of memory are required.
 *
 * Streams.  Without `stream_open` all functions of streams are NULL, and every function has done its work when it
 * returns.  With it all six are required, and so is `allocate`: launches and copies may return before they are done.  A
 * stream executes commands in the order in which they were given; different streams have no order.  If a command fails
 * after its function returned, later commands of its stream do nothing, and `wait` returns the reason.
 */
typedef struct ty_engine {
    const char *name; /* 1 to 13 characters of a-z, 0-9 and _, a letter first; copied */
    const char
        *model;    /* one line for people, as in `tyto devices`, cut to 127 bytes; NULL: the name; copied */
    void *context; /* passed to all functions */
    int32_t language; /* TY_NEST_LANGUAGE */
    uint32_t lacks;   /* bit d: kernels with operands of dtype d are not offered */
    int64_t memory;   /* bytes of its memory; 0: those of the machine */
    int64_t most;     /* bytes of the largest block; 0: memory */

    /* --- kernels --- */
    /* Prepare a list: set *kernel to any pointer, which `launch` and `drop` get.  Values of operands are unknown. */
    bool (*prepare)(void *context, const ty_nests *nests, void **kernel, ty_engine_error *error);
    /* Execute a kernel, or give its command to the stream.  slots[]: places of operands, then of temporaries, valid
       until the return.  A list with checks returns when their outcome is known: if one fails, *refusal is set, later
       steps do not run, and the result is true. */
    bool (*launch)(void *context, void *stream, void *kernel, const ty_engine_place *slots,
                   ty_engine_refusal *refusal, ty_engine_error *error);
    /* Free a kernel.  Commands that were given before may still use it.  NULL: there is nothing to free. */
    void (*drop)(void *context, void *kernel);

    /* --- memory --- */
    /* Return a block of `bytes` > 0.  NULL: too little is free or, with *error set, another failure. */
    void *(*allocate)(void *context, size_t bytes, ty_engine_error *error);
    /* Free a block.  Commands that were given before may still use it. */
    void (*release)(void *context, void *memory);
    /* Copy bytes > 0 from the host, to the host, and between places that do not overlap; set bytes to zero.  Host
       memory stays valid until the command ends.  stream: NULL without streams. */
    bool (*upload)(void *context, void *stream, ty_engine_place to, const void *from, size_t bytes,
                   ty_engine_error *error);
    bool (*download)(void *context, void *stream, void *to, ty_engine_place from, size_t bytes,
                     ty_engine_error *error);
    bool (*copy)(void *context, void *stream, ty_engine_place to, ty_engine_place from, size_t bytes,
                 ty_engine_error *error);
    bool (*zero)(void *context, void *stream, ty_engine_place to, size_t bytes, ty_engine_error *error);

    /* --- streams and events --- */
    /* Return a new stream, or NULL with *error set. */
    void *(*stream_open)(void *context, ty_engine_error *error);
    /* Free a stream after its commands. */
    void (*stream_close)(void *context, void *stream);
    /* Return a new event, which comes when all commands given to the stream so far have ended.  NULL, with *error
       set, on failure; these commands must have ended then. */
    void *(*record)(void *context, void *stream, ty_engine_error *error);
    /* Tell whether an event has come, without waiting. */
    ty_engine_state (*state)(void *context, void *event);
    /* Wait on the host for an event.  False, with *error set, if one of its commands failed; all have ended. */
    bool (*wait)(void *context, void *event, ty_engine_error *error);
    /* Free an event, which need not have come. */
    void (*event_release)(void *context, void *event);
} ty_engine;

TY_API bool ty_engine_register_sized(const ty_engine *engine, size_t size, ty_tensor **error);
/* Add an engine, whose struct is copied: ty_use_engine, ty_to, programs and contexts know its name from now on.  At
   most 8 engines are registered at one time, under at most 16 names in the life of the process.  False, with the reason
   in *error unless NULL (a poisoned tensor), if a rule of ty_engine is broken or the name is taken. */
TY_INLINE bool ty_engine_register(const ty_engine *engine, ty_tensor **error) {
    return ty_engine_register_sized(engine, sizeof(ty_engine), error);
}
/*
 * Remove an engine; its functions are not called afterwards.  The call empties caches as ty_trim does, and waits for
 * functions that run.  If the calling thread used the engine, it gets `cpu`.  Kernels in caches of other threads count
 * as use until these threads call ty_trim or end.
 *
 * False, with the reason in *error unless NULL, if there is no such engine, or it is in use: tensors have memory or
 * copies there, or programs have kernels.  Threads that still use a removed engine get errors (TY_ERROR_DEVICE).
 */
TY_API bool ty_engine_unregister(const char *name, ty_tensor **error);

/* Counts of an engine since it was registered. */
typedef struct ty_engine_counts {
    int64_t prepared; /* kernels that it has prepared */
    int64_t refused;  /* kernels that `cpu` computes for it */
    int64_t launches; /* kernels that it was given to execute */
    int64_t kernels;  /* prepared and not dropped yet */
    int64_t held;     /* bytes of its memory that are allocated */
} ty_engine_counts;
TY_API bool ty_engine_counted_sized(const char *name, ty_engine_counts *counts, size_t size);
/* Write the counts of an engine to *counts.  False, with zeros, if there is no such engine. */
TY_INLINE bool ty_engine_counted(const char *name, ty_engine_counts *counts) {
    return ty_engine_counted_sized(name, counts, sizeof(ty_engine_counts));
}

#ifdef __cplusplus
}
#endif
#endif
