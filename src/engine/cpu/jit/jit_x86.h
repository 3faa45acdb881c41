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

/* Encodes op to, a, b with registers; a is 0 if the instruction has no such operand. */
void jit_vector(struct jit_code *code, struct jit_vector_op op, int to, int a, int b);
/* Encodes op to, a, b with b in memory; a is 0 if the instruction has no such operand. */
void jit_vector_at(struct jit_code *code, struct jit_vector_op op, int to, int a, struct jit_at b,
                   struct jit_access access);
/* Copies 16-byte lane `lane` (0-based) of a register of 64 (wide) or 32 bytes to another register. */
void jit_extract(struct jit_code *code, int to, int from, int lane);
/* Stores 16-byte lane `lane` (0-based) of a register of 64 (wide) or 32 bytes. */
void jit_extract_at(struct jit_code *code, struct jit_at to, int from, int lane);
/* Loads 16 bytes into lane `lane` (0-based) of a register and keeps its other lanes. */
void jit_insert_at(struct jit_code *code, int to, struct jit_at from, int lane);
/* Stores 4-byte word `word` (0 .. 3) of a register's first 16 bytes. */
void jit_word_at(struct jit_code *code, struct jit_at to, int from, int word);
/* Clears a vector register. */
void jit_zero(struct jit_code *code, int to);
/* Sets mask register k to the low 16 bits of `from`. */
void jit_mask(struct jit_code *code, int k, enum jit_register from);
/* Clears the upper parts of the vector registers (vzeroupper). */
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
/* Encodes an integer instruction with a memory operand. */
void jit_integer_at(struct jit_code *code, enum jit_integer_op op, enum jit_register to, struct jit_at at);
/* Encodes an integer instruction between registers. */
void jit_integer(struct jit_code *code, enum jit_integer_op op, enum jit_register to, enum jit_register from);
/* to = value. */
void jit_set(struct jit_code *code, enum jit_register to, int32_t value);
/* to += value; no code if it is 0. */
void jit_add(struct jit_code *code, enum jit_register to, int64_t value);
/* Stores a 64-bit value. */
void jit_set_at(struct jit_code *code, struct jit_at at, int32_t value);
/* Compares 64-bit memory with a value and sets the flags. */
void jit_compare_at(struct jit_code *code, struct jit_at at, int8_t value);
/* Decrements memory and sets the flags. */
void jit_count_at(struct jit_code *code, struct jit_at at);
/* Decrements a register and sets the flags. */
void jit_count(struct jit_code *code, enum jit_register counter);
/* Prefetches a cache line into L2 (prefetcht1). */
void jit_prefetch(struct jit_code *code, struct jit_at at);
/* Pushes a 64-bit register. */
void jit_push(struct jit_code *code, enum jit_register r);
/* Pops a 64-bit register. */
void jit_pop(struct jit_code *code, enum jit_register r);
/* Encodes a return from the function. */
void jit_return(struct jit_code *code);
/* Encodes the landing mark of an indirect call (endbr64). */
void jit_entry(struct jit_code *code);
/* Pads with no-ops to a multiple of `bytes`, a power of two. */
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
/* Encodes a jump back to offset `to`. */
void jit_jump_back(struct jit_code *code, enum jit_condition condition, size_t to);
/* Encodes a forward jump; returns the value that jit_land needs. */
size_t jit_jump(struct jit_code *code, enum jit_condition condition);
/* Makes a forward jump lead to the current offset. */
void jit_land(struct jit_code *code, size_t jump);
#endif
