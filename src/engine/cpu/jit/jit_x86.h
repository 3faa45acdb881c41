/*
 * Writes x86-64 instructions as bytes: the few that a batch-reduce kernel is made of, on vectors of 64 bytes
 * (EVEX) or 32 (VEX).  Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2,
 * sections 2.1, 2.3 and 2.7.
 *
 * Nothing fails on the way: what does not fit is dropped and `n` says how long the code would be.  Labels are
 * offsets; a jump forward is written first and pointed at its place afterwards.
 */
#ifndef ENGINE_CPU_JIT_JIT_X86_H
#define ENGINE_CPU_JIT_JIT_X86_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_code {
    uint8_t *bytes;
    size_t n, room;
    bool wide;         /* 32 registers and masks (EVEX); else 16 registers (VEX) */
    int vector;        /* bytes of a vector: 64 (wide), 32, 16 */
    bool long_vectors; /* some had more than 16 bytes: their upper parts must be cleared in the end */
};

enum jit_register { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* Memory at base + offset. */
struct jit_at {
    enum jit_register base;
    int32_t offset;
};

/* A vector instruction: opcode map (1: 0F, 2: 0F38, 3: 0F3A), prefix (1: 66, 2: F3, 3: F2), 64-bit elements,
 * opcode. */
struct jit_vector_op {
    uint8_t map, prefix, wide, opcode;
};
/* What a vector instruction does with its operand in memory.  mask: register k1 .. k7, 0 none; loads zero the
   rest. unit: bytes that offsets are counted in when they are short: of what is in memory.  vector: as in
   jit_code, 0: that; what a shorter load leaves of a register is cleared. */
struct jit_access {
    int mask, unit, vector;
    bool broadcast, store;
};

/* op to, a, b  (b a register or memory; a 0 where the instruction has no such operand). */
void jit_vector(struct jit_code *code, struct jit_vector_op op, int to, int a, int b);
void jit_vector_at(struct jit_code *code, struct jit_vector_op op, int to, int a, struct jit_at b,
                   struct jit_access access);
/* 16 bytes of a register of 64 (wide) or 32, number `lane`, to another register or to memory. */
void jit_extract(struct jit_code *code, int to, int from, int lane);
void jit_extract_at(struct jit_code *code, struct jit_at to, int from, int lane);
/* 16 bytes from memory to a register, as its number `lane`; the others stay. */
void jit_insert_at(struct jit_code *code, int to, struct jit_at from, int lane);
/* 4 bytes of a register's first 16, number `word`, to memory. */
void jit_word_at(struct jit_code *code, struct jit_at to, int from, int word);
/* A vector register of zeros. */
void jit_zero(struct jit_code *code, int to);
/* Mask register k = register (16 bits); what vectors leave behind is cleared. */
void jit_mask(struct jit_code *code, int k, enum jit_register from);
void jit_clear(struct jit_code *code);

/* 64-bit integer instructions with their opcode: JIT_LOAD to = memory, JIT_ADD to += memory, ... */
enum jit_integer_op {
    JIT_LOAD = 0x8b,
    JIT_STORE = 0x89,
    JIT_ADD = 0x03,
    JIT_OR = 0x0b,
    JIT_TEST = 0x85,
    JIT_ADDRESS = 0x8d
};
void jit_integer_at(struct jit_code *code, enum jit_integer_op op, enum jit_register to, struct jit_at at);
void jit_integer(struct jit_code *code, enum jit_integer_op op, enum jit_register to, enum jit_register from);
/* register = value; register += value (nothing where it is 0); memory = value; memory compared with a value;
   memory or register less one. */
void jit_set(struct jit_code *code, enum jit_register to, int32_t value);
void jit_add(struct jit_code *code, enum jit_register to, int64_t value);
void jit_set_at(struct jit_code *code, struct jit_at at, int32_t value);
void jit_compare_at(struct jit_code *code, struct jit_at at, int8_t value);
void jit_count_at(struct jit_code *code, struct jit_at at);
void jit_count(struct jit_code *code, enum jit_register counter);
void jit_prefetch(struct jit_code *code, struct jit_at at);
void jit_push(struct jit_code *code, enum jit_register r);
void jit_pop(struct jit_code *code, enum jit_register r);
void jit_return(struct jit_code *code);
/* Where functions that are called through pointers begin. */
void jit_entry(struct jit_code *code);
/* Fills up to a multiple of `bytes` (a power of two) with instructions that do nothing. */
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
/* Back to an offset. */
void jit_jump_back(struct jit_code *code, enum jit_condition condition, size_t to);
/* Forward: returns what jit_land needs. */
size_t jit_jump(struct jit_code *code, enum jit_condition condition);
void jit_land(struct jit_code *code, size_t jump);
#endif
