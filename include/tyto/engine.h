/*
 * The language of engines: kernels as lists of nests.  docs/engines.md explains it.
 *
 * A nest is a perfect nest of loops that reads elements, computes with them, folds values over some loops, computes
 * again, and writes elements.  Engines that know nests know no kinds of kernels.
 *
 * One iteration of a nest works on registers, numbered in this order.  Each is computed once, from lower ones:
 *
 *   reads[0 .. nreads)                     an element of memory, a constant, or an index
 *   before[0 .. nbefore)                   operators
 *   folds[0 .. nfolds)                     sums, maxima, places of maxima ... of registers above, over the FOLD loops
 *   after[0 .. nafter)                     operators on folds and on reads that do not step along FOLD loops
 *   writes[0 .. nwrites)                   stores of registers; no registers of their own
 *
 * A plain engine is: for all indices of PARALLEL dims at once: for ORDERED dims, in order: for RUN: for FOLD: reads,
 * before, folds; then after, writes.  Numbers of elements and offsets count elements of the access' dtype, not bytes.
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
 * Numbers are those of the language TY_NEST_LANGUAGE.
 */
#ifndef TYTO_ENGINE_H
#define TYTO_ENGINE_H

#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the structs and of the meaning of numbers in them.  A library refuses engines of another one. */
#define TY_NEST_LANGUAGE 1

/* Most loops of a nest: an axis of a kernel becomes two at most, and a contraction adds some. */
enum { TY_NEST_DIMS = 160 };

/* ---- loops ---- */

/* PARALLEL dims come first, then ORDERED or RUN, then FOLD; a nest with RUN has no FOLD and no ORDERED. */
typedef enum ty_nest_role {
    TY_NEST_PARALLEL, /* iterations may run at once: none reads or writes what another one writes */
    TY_NEST_ORDERED,  /* iterations run in order: later ones may write, or join to, the same elements */
    TY_NEST_RUN,      /* iterations run in order and write; folds have their value so far */
    TY_NEST_FOLD      /* folds see all iterations; nothing is written inside */
} ty_nest_role;

/* A loop from 0 to size-1.  A ragged one goes from the value of read `begin` to that of read `end`, less 1; both are
   clamped to 0 .. size.  These reads step along earlier dims only. */
typedef struct ty_nest_dim {
    int64_t size;       /* 0 .. */
    int32_t role;       /* ty_nest_role */
    int32_t begin, end; /* numbers of reads; -1: not ragged */
} ty_nest_dim;

/* ---- accesses ---- */

/* An indirect part of an address, or a condition.  Let v be the value of an earlier read of an integer dtype; if
   `wrap`, negative v count from bound.  The access is *outside* unless 0 <= v < bound, and, if `exact`, divide
   divides v.  Else v / divide, modulo `modulo` unless that is 0, times stride is added to its offset.  With an INDEX
   as `read` and a stride of 0 this is a bounds check, as for padding. */
typedef struct ty_nest_term {
    int32_t read;     /* number of an earlier read; of writes: of any */
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

/* An element at offset + sum of strides[d] * index of dim d + terms.  Outside (see terms), a read is 0 (all bits)
   and a write does nothing; neither touches memory.  This is true of an INDEX and of a CONSTANT, too: a constant 1
   with terms says whether the iteration is inside. */
typedef struct ty_nest_access {
    int32_t slot;           /* operand: inputs, then outputs; then temporaries; or TY_NEST_INDEX, _CONSTANT */
    ty_dtype dtype;         /* in memory, and of the register */
    int64_t offset;         /* elements */
    const int64_t *strides; /* ndims of them, elements; may be 0 or negative */
    int32_t nterms;
    bool late; /* a read: used by `after`, writes and terms of writes only; steps along no FOLD dim */
    const ty_nest_term *terms; /* nterms of them */
    uint64_t constant[2];      /* CONSTANT: the bytes of an element of dtype */
    /* a CONSTANT of u64: many kernels differ in it alone, so engines that compile make it an argument */
    bool varies;
} ty_nest_access;

/* ---- computing ---- */

enum { TY_NEST_ALWAYS = 0xFFFF }; /* no register: no condition */

/*
 * An operator on registers.  Names are rows of <tyto/elementwise.def>, whose formula defines the value, or:
 *
 *   cast           to another dtype, as ty_cast
 *   view_as        the same bits as another dtype of equal size
 *   random_bits    (element i u64, key u64, sequence u64): u32: word i % 4 of Philox block i / 4; u64: i % 2 of i / 2
 *   random_normal  (p, q, element u64), p and q u32 or u64: the normal number, f32 or f64, of a pair of words; even
 *                  elements have the cosine, odd ones the sine
 */
typedef struct ty_nest_instr {
    const char *name;    /* static text */
    ty_dtype in, out;    /* in: dtype of the operands (of `where`: of the second and third) */
    uint16_t n, from[3]; /* n operands, 1 .. 3: lower registers */
} ty_nest_instr;

/* SUM and DOT begin with 0, PROD with 1; MAX and MIN with the least and greatest value, arg* with place -1.  In a
   RUN dim SUM begins with the first term.  The first of equal extremes stays, and the first NaN beats everything
   after it. */
typedef enum ty_nest_fold_kind {
    TY_NEST_SUM,
    TY_NEST_PROD,
    TY_NEST_MAX,    /* of bool: any */
    TY_NEST_MIN,    /* of bool: all */
    TY_NEST_ARGMAX, /* the register is `second` (i64) of the extreme of `value` */
    TY_NEST_ARGMIN,
    TY_NEST_DOT,   /* sum = value * second + sum; reals: rounded once (fma); complex: below */
    TY_NEST_LINEAR /* RUN: y = value * y + second, from y = 0; reals: fma; complex: `mul`, then `add` */
} ty_nest_fold_kind;
/* DOT of complex numbers v and s is four fma in this order: re += v.re * s.re, im += v.re * s.im, re += v.im *
   -s.im, im += v.im * s.re. */

/*
 * The order of a fold of reals; integers, MAX and MIN give the same value in any order.  Terms count from 0 in
 * row-major order of the FOLD dims, without those for which `when` is false.
 *
 * FOLD dims.  A block ends after `block` terms (0: never), and with the last index of the innermost `inner` FOLD
 * dims (0: of all).  Term n of a block goes to lane n % lanes.  At its end lanes that have terms are joined:
 *   HALVES  lane i and lane i + lanes/2, then lanes/4 ..., to lane 0; the block's result is lane 0, joined with the
 *           start. Results of blocks are joined as a binary counter counts: two results of equal length at once, the
 *           earlier one on the left; at the end those that are left, from the last one on (the earlier one always on
 *           the left).
 *   CHAIN   lane 0 starts with the result so far, other lanes with 0; lanes 1, 2, ... are added to lane 0 in order:
 *           this is the result so far.
 *   DOTS    as CHAIN, but each end of the innermost `run` FOLD dims continues at lane 0, all lanes start with 0, are
 *           joined as in HALVES, and the result is added to the result so far.
 *   NEAR    as DOTS, of one FOLD dim and without `when`, but terms behind the last whole group of lanes go to lane 0,
 *           and lanes are joined otherwise: of 8, lane i and lane i + 4; then 0 and 1, 2 and 3; then these two.  Lanes
 *           are 4 or 8.
 * With lanes 1 and block 0, all of them are one sum in order.
 * The outermost `spans` FOLD dims (0: none) count spans: each has a result of its own; they are added in order.
 *
 * RUN dim.  The axis is cut into parts of `block` steps (0: one part), each of which is scanned on its own; then the
 * total of the earlier parts is joined, on the left, to each of its results.  Inside a part, steps are in groups of
 * `lanes`: for g = 1, 2, 4 ... lanes/2, the last result of each even run of g steps is joined, on the left, to all
 * results of the odd run after it; then the last result of the group before is joined, on the left, to each.  A
 * group that is cut short is scanned as a whole one, the start filling it up.  lanes 1: one step after the other.
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
    uint16_t when;             /* bool register: terms where it is false do not exist; or TY_NEST_ALWAYS */
    bool exclusive;            /* RUN: the register has the value before this step */
    uint8_t join;              /* ty_nest_join_lanes */
    int32_t lanes;             /* 1, 2, 4 .. 64 */
    int32_t inner, run, spans; /* numbers of FOLD dims, 0 .. all of them */
    int64_t block;             /* terms, or steps of a RUN; 0: no blocks */
} ty_nest_fold;

/* How a write meets the element that is there.  LEAST, GREATEST: a NaN replaces, and is not replaced.  MADD: as the
   fold DOT, value * second + element. */
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

/* Values that the kernel refuses: register `value`, an integer, must be in low .. high-1.  u64 values from 2^63 on
   are refused.  Of several refusals of a nest, that with the lowest value of register `position`, then the first
   check, is reported; a nest with a refusal ends the kernel: later steps must not run, or must not be seen. */
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
    /* of reads and results of `before`; nests with checks have no folds and no writes */
    const ty_nest_check *checks;
} ty_nest;

/* ---- the list ---- */

/* A step is a nest or, if nest is NULL, an algorithm that is none.  Either it is a function of the library's own texts
   by name, called once for each of `items` work items, in any order.  Or it is a kind of kernels by name, such as
   "matrix", for which there is no function: a whole kernel, and `items` is -1. */
typedef struct ty_nest_step {
    const ty_nest *nest;
    const char *algorithm; /* static text; engines of the user's own are not given such steps */
    int32_t kernel;        /* algorithm: number of the kernel inside ROWS; 0 for other kernels */
    int32_t nslots;        /* algorithm: number of `slots` */
    const int32_t
        *slots;     /* a function: its memory, from element 0 of the slots on; a kind: inputs, then outputs */
    ty_dtype dtype; /* a function: of its numbers */
    int32_t nvalues;
    const uint64_t *values; /* a function: sizes and flags, its last arguments */
    int64_t items;
} ty_nest_step;

/* Memory of the list's own; what it has before a launch and after it does not matter. */
typedef struct ty_nest_temporary {
    ty_dtype dtype;
    int64_t size; /* elements */
} ty_nest_temporary;

/* Steps run in order: each sees what earlier ones wrote.  Slots 0 .. noperands-1 are the kernel's inputs, then its
   outputs; temporary i is slot noperands + i.  An output may be the same memory as an input where the kernel allows
   it: then each nest reads an element in the iteration that writes it, or before. */
typedef struct ty_nests {
    int32_t nsteps, noperands, ntemporaries; /* 0 .. */
    const ty_nest_step *steps;
    const ty_nest_temporary *temporaries;
} ty_nests;

#ifdef __cplusplus
}
#endif
#endif
