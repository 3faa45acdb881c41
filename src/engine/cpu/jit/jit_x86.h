/*
 * Encoder for the x86-64 instructions of batch-reduce kernels, on vectors of 64 bytes (EVEX) or 32 (VEX). Intel 64
 * and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.1, 2.3 and 2.7.
 *
 * No call fails: code that exceeds `room` is dropped, while `n` counts the bytes it would need. Labels are offsets; a
 * forward jump is written first and patched later.
 */
#ifndef ENGINE_CPU_JIT_JIT_X86_H
#define ENGINE_CPU_JIT_JIT_X86_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code being written. */
struct jit_code {
    uint8_t *bytes;
    size_t n, room;
    bool wide;         /* 32 registers and masks (EVEX); else 16 registers (VEX) */
    int vector;        /* bytes of a vector: 64 (wide), 32, 16 */
    bool long_vectors; /* vectors above 16 bytes were used: their upper parts must be cleared at the end */
};

enum jit_register { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* Memory at base + offset. */
struct jit_at {
    enum jit_register base;
    int32_t offset;
};

/* A vector instruction: opcode map (1: 0F, 2: 0F38, 3: 0F3A), prefix (1: 66, 2: F3, 3: F2), 64-bit elements,
   opcode. */
struct jit_vector_op {
    uint8_t map, prefix, wide, opcode;
};
/* The memory operand of a vector instruction. mask: register k1 .. k7, 0 none; masked loads zero the rest. unit:
   scale of short offsets, the bytes in memory. vector: bytes, 0: as in jit_code; a shorter load clears the rest of
   the register. */
struct jit_access {
    int mask, unit, vector;
    bool broadcast, store;
};

/* Encode the instruction `op` to, a, b between vector registers; a is 0 if the instruction has no such operand. */
void jit_vector(struct jit_code *code, struct jit_vector_op op, int to, int a, int b);
/* Encode the instruction `op` to, a, b with b in memory, accessed as `access` says; a is 0 if the instruction has
   no such operand. For stores `to` is the source. */
void jit_vector_at(struct jit_code *code, struct jit_vector_op op, int to, int a, struct jit_at b,
                   struct jit_access access);
/* Encode to = maximum or minimum of a and b (`op`: 0F 5F or 5D of floats), but a in lanes where a is NaN. `to` differs from
   a and b. Changes register `spare` (VEX) or mask k1 (EVEX). */
void jit_pick(struct jit_code *code, struct jit_vector_op op, int to, int a, int b, int spare);
/* Encode a copy of 16-byte lane `lane` (0-based) of register `from`, of 64 (wide) or 32 bytes, to register `to`. */
void jit_extract(struct jit_code *code, int to, int from, int lane);
/* Encode a store of 16-byte lane `lane` (0-based) of register `from`, of 64 (wide) or 32 bytes. */
void jit_extract_at(struct jit_code *code, struct jit_at to, int from, int lane);
/* Encode a load of 16 bytes into lane `lane` (0-based) of register `to`; its other lanes stay. */
void jit_insert_at(struct jit_code *code, int to, struct jit_at from, int lane);
/* Encode a store of 4-byte word `word` (0 .. 3) of the first 16 bytes of register `from`. */
void jit_word_at(struct jit_code *code, struct jit_at to, int from, int word);
/* Encode a load of 4 bytes into word `word` (0 .. 3) of the first 16 bytes of register `to`; the others stay. */
void jit_insert_word_at(struct jit_code *code, int to, struct jit_at from, int word);
/* Encode to <<= bits in each 4-byte word of vector register `to`. */
void jit_shift(struct jit_code *code, int to, int bits);
/* Encode the clearing of vector register `to`. */
void jit_zero(struct jit_code *code, int to);
/* Encode the setting of mask register k to the low 16 bits of `from`. */
void jit_mask(struct jit_code *code, int k, enum jit_register from);
/* Encode the clearing of the upper parts of the vector registers (vzeroupper). */
void jit_clear(struct jit_code *code);

/* 64-bit integer instructions with their opcodes: JIT_LOAD to = memory, JIT_ADD to += memory, ... */
enum jit_integer_op {
    JIT_LOAD = 0x8b,
    JIT_STORE = 0x89,
    JIT_ADD = 0x03,
    JIT_OR = 0x0b,
    JIT_TEST = 0x85,
    JIT_ADDRESS = 0x8d
};
/* Encode a 64-bit integer instruction with a register and a memory operand. */
void jit_integer_at(struct jit_code *code, enum jit_integer_op op, enum jit_register to, struct jit_at at);
/* Encode a 64-bit integer instruction between registers. */
void jit_integer(struct jit_code *code, enum jit_integer_op op, enum jit_register to, enum jit_register from);
/* Encode to = value, sign-extended to 64 bits. */
void jit_set(struct jit_code *code, enum jit_register to, int32_t value);
/* Encode to += value, which must fit 32 bits; no code if it is 0. */
void jit_add(struct jit_code *code, enum jit_register to, int64_t value);
/* Encode a 64-bit store of `value`, sign-extended. */
void jit_set_at(struct jit_code *code, struct jit_at at, int32_t value);
/* Encode a comparison of 64-bit memory with `value`, which sets the flags. */
void jit_compare_at(struct jit_code *code, struct jit_at at, int8_t value);
/* Encode a decrement of 64-bit memory, which sets the flags. */
void jit_count_at(struct jit_code *code, struct jit_at at);
/* Encode a decrement of a register, which sets the flags. */
void jit_count(struct jit_code *code, enum jit_register counter);
/* Encode a prefetch of a cache line into L2 (prefetcht1). */
void jit_prefetch(struct jit_code *code, struct jit_at at);
/* Encode a push of a 64-bit register. */
void jit_push(struct jit_code *code, enum jit_register r);
/* Encode a pop into a 64-bit register. */
void jit_pop(struct jit_code *code, enum jit_register r);
/* Encode a return from the function. */
void jit_return(struct jit_code *code);
/* Encode the landing mark of an indirect call (endbr64). */
void jit_entry(struct jit_code *code);
/* Pad the code with no-ops to an offset that is a multiple of `bytes`, a power of two. */
void jit_align(struct jit_code *code, size_t bytes);

/* Conditions by their number in the opcode. */
enum jit_condition {
    JIT_ZERO = 4,
    JIT_NOT_ZERO = 5,
    JIT_LESS = 12,
    JIT_NOT_LESS = 13,
    JIT_NOT_GREATER = 14,
    JIT_GREATER = 15,
    JIT_ALWAYS
};
/* Encode a jump back to offset `to`, taken if `condition` holds. */
void jit_jump_back(struct jit_code *code, enum jit_condition condition, size_t to);
/* Encode a forward jump, taken if `condition` holds. Return the value that jit_land needs to set its target. */
size_t jit_jump(struct jit_code *code, enum jit_condition condition);
/* Let a forward jump lead to the current offset; `jump` comes from jit_jump. */
void jit_land(struct jit_code *code, size_t jump);
#endif
