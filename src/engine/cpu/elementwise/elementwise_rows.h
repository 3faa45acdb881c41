/*
 * Parts of elementwise.kernel.c that a unit needs once: which operators have which kinds of types, and the tail of a
 * loop. The columns of PICK are the kinds bool, signed, unsigned, floating, complex; kind 5 is complex in wide lanes.
 */
#ifndef ENGINE_CPU_ELEMENTWISE_ELEMENTWISE_ROWS_H
#define ENGINE_CPU_ELEMENTWISE_ELEMENTWISE_ROWS_H
#include "engine/cpu/loop.h"
#include "engine/cpu/math/math.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* a group uses some of math/ only */

/* Indices of the group's operators in its tables. */
enum {
#define OP1(name, ...) AT_##name,
#define OP2(name, ...) AT_##name,
#define OP3(name, ...) AT_##name,
#include ROW_GROUP_FILE
    ROWS_IN_GROUP
};
#undef OP1
#undef OP2
#undef OP3

#define IN_FLOAT PICK(0, 0, 0, 1, 0)
#define IN_FLOATC PICK(0, 0, 0, 1, 1)
#define IN_INTEGER PICK(0, 1, 1, 0, 0)
#define IN_REAL PICK(0, 1, 1, 1, 0)
#define IN_NUMBER PICK(0, 1, 1, 1, 1)
#define IN_BOUNDED IN_REAL
#define IN_REALB PICK(1, 1, 1, 1, 0)
#define IN_NUMBERB PICK(1, 1, 1, 1, 1)
#define IN_BITS PICK(1, 1, 1, 0, 0)
#define IN_LOGIC PICK(1, 1, 1, 1, 1)
#define IN_CHOICE PICK(1, 1, 1, 1, 1)
#define PICK(b, s, u, f, c) JOIN(PICK_, KIND)(b, s, u, f, c)
#define PICK_0(b, s, u, f, c) b
#define PICK_1(b, s, u, f, c) s
#define PICK_2(b, s, u, f, c) u
#define PICK_3(b, s, u, f, c) f
#define PICK_4(b, s, u, f, c) c
#define PICK_5(b, s, u, f, c) c
#define IF(picked) JOIN(IF_, picked)
#define IF_0(...)
#define IF_1(...) __VA_ARGS__

/* Rows of integers whose bits do not depend on the sign: unsigned types use the loops of signed ones. OWN_LOOP(name)
   is 1 if a type has a loop of its own. */
#define SIGNLESS_add ~, 0
#define SIGNLESS_sub ~, 0
#define SIGNLESS_mul ~, 0
#define SIGNLESS_neg ~, 0
#define SIGNLESS_fma ~, 0
#define SIGNLESS_square ~, 0
#define SIGNLESS_squared_difference ~, 0
#define SIGNLESS_positive ~, 0
#define SIGNLESS_ceil ~, 0
#define SIGNLESS_floor ~, 0
#define SIGNLESS_round ~, 0
#define SIGNLESS_trunc ~, 0
#define SIGNLESS_real ~, 0
#define SIGNLESS_conj ~, 0
#define SIGNLESS_imag ~, 0
#define SIGNLESS_eq ~, 0
#define SIGNLESS_ne ~, 0
#define SIGNLESS_where ~, 0
#define SIGNLESS_is_finite ~, 0
#define SIGNLESS_is_nan ~, 0
#define SIGNLESS_is_inf ~, 0
#define SIGNLESS_is_pos_inf ~, 0
#define SIGNLESS_is_neg_inf ~, 0
#define SIGNLESS_logical_and ~, 0
#define SIGNLESS_logical_or ~, 0
#define SIGNLESS_logical_xor ~, 0
#define SIGNLESS_logical_not ~, 0
#define SIGNLESS_bit_and ~, 0
#define SIGNLESS_bit_or ~, 0
#define SIGNLESS_bit_xor ~, 0
#define SIGNLESS_bit_not ~, 0
#define SIGNLESS_shift_left ~, 0
/* Rows of complex functions: with multiply-adds that are rounded once, c64 and c128 use loops of wide lanes
   (complex_wide.h). */
#if HAS_FMA
#define WIDE_sqrt ~, 0
#define WIDE_div ~, 0
#define WIDE_recip ~, 0
#define WIDE_rsqrt ~, 0
#define WIDE_exp ~, 0
#define WIDE_exp2 ~, 0
#define WIDE_expm1 ~, 0
#define WIDE_log ~, 0
#define WIDE_log2 ~, 0
#define WIDE_log10 ~, 0
#define WIDE_log1p ~, 0
#define WIDE_sin ~, 0
#define WIDE_cos ~, 0
#define WIDE_tan ~, 0
#define WIDE_asin ~, 0
#define WIDE_acos ~, 0
#define WIDE_atan ~, 0
#define WIDE_sinh ~, 0
#define WIDE_cosh ~, 0
#define WIDE_tanh ~, 0
#define WIDE_asinh ~, 0
#define WIDE_acosh ~, 0
#define WIDE_atanh ~, 0
#define WIDE_arg ~, 0
#define WIDE_pow ~, 0
#endif
#define SECOND(a, b, ...) b
#define OWN_OF(...) SECOND(__VA_ARGS__, 1, )
#define OWN_LOOP(name) JOIN(OWN_LOOP_, KIND)(name)
#define OWN_LOOP_0(name) 1
#define OWN_LOOP_1(name) 1
#define OWN_LOOP_2(name) OWN_OF(SIGNLESS_##name)
#define OWN_LOOP_3(name) 1
#define OWN_LOOP_4(name) OWN_OF(WIDE_##name)
#define OWN_LOOP_5(name) JOIN(NOT_, OWN_OF(WIDE_##name))
#define NOT_0 1
#define NOT_1 0
#define IF_OWN(name) JOIN(IF_, OWN_LOOP(name))
#define LOOP_OF(name) JOIN(LOOP_OF_, OWN_LOOP(name))(name)
#define LOOP_OF_1(name) T(loop_##name)
#define LOOP_OF_0(name) JOIN(loop_##name##_, TWIN)

/* CHOICE: the first of three operands is bool. */
#define FIRST_TYPE_CHOICE L(mask)
#define FIRST_TYPE_NUMBER L(vector)
#define FIRST_TYPE_REAL L(vector)
#define FIRST_TYPE_BOUNDED L(vector)
#define FIRST_TYPE_FLOAT L(vector)
#define FIRST_BYTES_CHOICE 1
#define FIRST_BYTES_NUMBER sizeof(STORED)
#define FIRST_BYTES_REAL sizeof(STORED)
#define FIRST_BYTES_BOUNDED sizeof(STORED)
#define FIRST_BYTES_FLOAT sizeof(STORED)
#define FIRST_LOAD_CHOICE L(load_truth)
#define FIRST_LOAD_NUMBER T(load)
#define FIRST_LOAD_REAL T(load)
#define FIRST_LOAD_BOUNDED T(load)
#define FIRST_LOAD_FLOAT T(load)

/* Lanes (a power of two), number of operands, and bytes of an element in the result, the first operand and the
   others. */
struct loop_shape {
    uint8_t lanes, count, y, a, other;
};

/* Compute the last n % lanes elements of y by `loop`, padded with zeros to one vector. Parameters are ordered as a
   loop's, which saves moving registers. */
static __attribute__((noinline)) void run_tail(int64_t n, void *y, const void *a, const void *b,
                                               const void *c, cpu_loop loop, struct loop_shape s) {
    _Alignas(64) char room[4][2 * VECTOR_BYTES] = {{0}}; /* wide lanes of c128 take two vectors */
    const char *operands[] = {a, b, c};
    const size_t bytes[] = {s.a, s.other, s.other}, rest = (size_t)n & (s.lanes - 1u),
                 done = (size_t)n - rest;
    for (int k = 0; k < s.count; k++) memcpy(room[k], operands[k] + done * bytes[k], rest * bytes[k]);
    loop(s.lanes, room[3], room[0], room[1], room[2]);
    memcpy((char *)y + done * s.y, room[3], rest * s.y);
}
#endif
