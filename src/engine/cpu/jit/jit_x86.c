/* Instruction encodings. */
#include "engine/cpu/jit/jit_x86.h"
#include <string.h>

/* Append the lowest n bytes of x (n <= 8), lowest first. Bytes past code->room are dropped but counted. */
static inline void put(struct jit_code *code, uint64_t x, size_t n) {
    size_t at = code->n;
    code->n += n;
    if (at + sizeof x > code->room) {
        for (size_t i = at; i < code->n && i < code->room; i++, x >>= 8) code->bytes[i] = (uint8_t)x;
        return;
    }
    memcpy(code->bytes + at, &x, sizeof x); /* hosts that run this code are little-endian */
}

static void byte(struct jit_code *code, int x) { put(code, (uint8_t)x, 1); }
static void word(struct jit_code *code, int32_t x) { put(code, (uint32_t)x, 4); }

static bool short_offset(int64_t x) { return x >= -128 && x <= 127; }

/* Append ModRM, SIB and offset of the memory operand `at`, with register `reg`. One-byte offsets count in units
   of `unit` bytes. */
static void address(struct jit_code *code, int reg, struct jit_at at, int unit) {
    bool none = at.offset == 0 && at.base % 8 != RBP;
    bool little = at.offset % unit == 0 && short_offset(at.offset / unit);
    int mode = none ? 0 : little ? 1 : 2;
    uint64_t x = (uint64_t)(mode << 6 | reg % 8 << 3 | at.base % 8);
    size_t n = 1;
    if (at.base % 8 == RSP) x |= UINT64_C(0x24) << 8, n = 2;
    if (mode) x |= (uint64_t)(mode == 1 ? (uint8_t)(at.offset / unit) : (uint32_t)at.offset) << (8 * n);
    put(code, x, n + (mode == 2 ? 4 : (size_t)mode));
}

static void registers(struct jit_code *code, int reg, int rm) { byte(code, 3 << 6 | reg % 8 << 3 | rm % 8); }

/* --- vectors ----------------------------------------------------------------------------------------- */

/* Return the length code of an access's vectors: 0, 1, 2 for 16, 32, 64 bytes. Sets code->long_vectors above 16. */
static int length_of(struct jit_code *code, struct jit_access access) {
    int length = (access.vector ? access.vector : code->vector) / 32;
    code->long_vectors |= length > 0;
    return length;
}

static uint64_t five(int a, int b, int c, int d, int e) {
    return (uint64_t)(uint8_t)a | (uint64_t)(uint8_t)b << 8 | (uint64_t)(uint8_t)c << 16 |
           (uint64_t)(uint8_t)d << 24 | (uint64_t)(uint8_t)e << 32;
}

/* Append the VEX prefix and the opcode of `op`; the caller appends ModRM and the rest. reg is the destination, a the
   second source, rm the register or base register, length the code of the vector length. W is 0 in map 0F, where
   it is ignored: assemblers write it so and valgrind expects it. */
static void vex(struct jit_code *code, struct jit_vector_op op, int reg, int a, int rm, int length) {
    bool wide = op.wide && op.map != 1;
    put(code,
        five(0xc4, !(reg & 8) << 7 | 1 << 6 | !(rm & 8) << 5 | op.map,
             wide << 7 | (~a & 15) << 3 | length << 2 | op.prefix, op.opcode, 0),
        4);
}

/* Append the EVEX prefix and the opcode of `op`; the caller appends ModRM and the rest. reg is the destination, a
   the second source, rm the register or base register; high: bit 4 of rm, 0 for memory. */
static void evex(struct jit_code *code, struct jit_vector_op op, int reg, int a, int rm, int high,
                 struct jit_access access) {
    bool zero = access.mask && !access.store;
    int length = length_of(code, access);
    put(code,
        five(0x62, !(reg & 8) << 7 | !high << 6 | !(rm & 8) << 5 | !(reg & 16) << 4 | op.map,
             op.wide << 7 | (~a & 15) << 3 | 1 << 2 | op.prefix,
             zero << 7 | length << 5 | access.broadcast << 4 | !(a & 16) << 3 | access.mask, op.opcode),
        5);
}

void jit_vector(struct jit_code *code, struct jit_vector_op op, int to, int a, int b) {
    if (code->wide)
        evex(code, op, to, a, b, b & 16, (struct jit_access){0});
    else
        vex(code, op, to, a, b, length_of(code, (struct jit_access){0}));
    registers(code, to, b);
}

void jit_vector_at(struct jit_code *code, struct jit_vector_op op, int to, int a, struct jit_at b,
                   struct jit_access access) {
    if (code->wide)
        evex(code, op, to, a, b.base, 0, access);
    else
        vex(code, op, to, a, b.base, length_of(code, access));
    address(code, to, b, code->wide ? access.unit : 1);
}

void jit_pick(struct jit_code *code, struct jit_vector_op op, int to, int a, int b, int spare) {
    enum { COMPARE = 0xc2, STORE = 0x11, BLEND_F32 = 0x4a, BLEND_F64 = 0x4b, UNORDERED = 3 };
    struct jit_vector_op compare = op, other = op;
    compare.opcode = COMPARE;
    jit_vector(code, op, to, a, b);
    jit_vector(code, compare, code->wide ? 1 : spare, a, a); /* wide: mask register k1 */
    byte(code, UNORDERED);
    if (code->wide) {
        other.opcode = STORE;
        evex(code, other, a, 0, to, to & 16, (struct jit_access){.mask = 1, .store = true});
        registers(code, a, to);
        return;
    }
    other = (struct jit_vector_op){3, 1, 0, op.wide ? BLEND_F64 : BLEND_F32};
    jit_vector(code, other, to, to, a);
    byte(code, spare << 4);
}

/* vinsertf32x4, vinsertf128 and their counterparts that extract */
static const struct jit_vector_op insert = {3, 1, 0, 0x18}, extract = {3, 1, 0, 0x19};

static struct jit_access sixteen_of_all(const struct jit_code *code, bool store) {
    return (struct jit_access){.unit = 16, .vector = code->wide ? 64 : 32, .store = store};
}

void jit_extract(struct jit_code *code, int to, int from, int lane) {
    struct jit_access access = sixteen_of_all(code, true);
    if (code->wide)
        evex(code, extract, from, 0, to, to & 16, access);
    else
        vex(code, extract, from, 0, to, length_of(code, access));
    registers(code, from, to);
    byte(code, lane);
}

void jit_extract_at(struct jit_code *code, struct jit_at to, int from, int lane) {
    jit_vector_at(code, extract, from, 0, to, sixteen_of_all(code, true));
    byte(code, lane);
}

void jit_insert_at(struct jit_code *code, int to, struct jit_at from, int lane) {
    jit_vector_at(code, insert, to, to, from, sixteen_of_all(code, false));
    byte(code, lane);
}

void jit_word_at(struct jit_code *code, struct jit_at to, int from, int word) {
    static const struct jit_vector_op extract_word = {3, 1, 0, 0x17};
    jit_vector_at(code, extract_word, from, 0, to,
                  (struct jit_access){.unit = 4, .vector = 16, .store = true});
    byte(code, word);
}

void jit_insert_word_at(struct jit_code *code, int to, struct jit_at from, int word) {
    static const struct jit_vector_op insert_word = {3, 1, 0, 0x22};
    jit_vector_at(code, insert_word, to, to, from, (struct jit_access){.unit = 4, .vector = 16});
    byte(code, word);
}

void jit_shift(struct jit_code *code, int to, int bits) {
    enum { LEFT = 6 }; /* extends the opcode */
    jit_vector(code, (struct jit_vector_op){1, 1, 0, 0x72}, LEFT, to, to);
    byte(code, bits);
}

void jit_zero(struct jit_code *code, int to) {
    struct jit_vector_op exclusive_or = {1, 1, 0, 0xef}; /* vpxor(d) */
    if (to < 16) {                                       /* 16 bytes; clears the rest as well */
        vex(code, exclusive_or, to, to, to, 0);
        registers(code, to, to);
        return;
    }
    jit_vector(code, exclusive_or, to, to, to);
}

void jit_mask(struct jit_code *code, int k, enum jit_register from) {
    vex(code, (struct jit_vector_op){1, 0, 0, 0x92}, k, 0, from, 0); /* kmovw */
    registers(code, k, from);
}

void jit_clear(struct jit_code *code) { byte(code, 0xc5), byte(code, 0xf8), byte(code, 0x77); }

/* --- integers ---------------------------------------------------------------------------------------- */

static void opcode(struct jit_code *code, int op, int reg, int rm) {
    byte(code, 0x48 | (reg >> 3 & 1) << 2 | (rm >> 3 & 1));
    if (op > 255) byte(code, op >> 8);
    byte(code, op);
}

void jit_integer_at(struct jit_code *code, enum jit_integer_op op, enum jit_register to, struct jit_at at) {
    opcode(code, op, to, at.base);
    address(code, to, at, 1);
}

void jit_integer(struct jit_code *code, enum jit_integer_op op, enum jit_register to,
                 enum jit_register from) {
    opcode(code, op, to, from);
    registers(code, to, from);
}

void jit_set(struct jit_code *code, enum jit_register to, int32_t value) {
    opcode(code, 0xc7, 0, to);
    registers(code, 0, to);
    word(code, value);
}

void jit_add(struct jit_code *code, enum jit_register to, int64_t value) {
    if (!value) return;
    opcode(code, short_offset(value) ? 0x83 : 0x81, 0, to);
    registers(code, 0, to);
    if (short_offset(value))
        byte(code, (int)value);
    else
        word(code, (int32_t)value);
}

void jit_set_at(struct jit_code *code, struct jit_at at, int32_t value) {
    opcode(code, 0xc7, 0, at.base);
    address(code, 0, at, 1);
    word(code, value);
}

void jit_compare_at(struct jit_code *code, struct jit_at at, int8_t value) {
    opcode(code, 0x83, 0, at.base);
    address(code, 7, at, 1);
    byte(code, value);
}

void jit_count_at(struct jit_code *code, struct jit_at at) {
    opcode(code, 0xff, 0, at.base);
    address(code, 1, at, 1);
}

void jit_count(struct jit_code *code, enum jit_register counter) {
    opcode(code, 0xff, 0, counter);
    registers(code, 1, counter);
}

void jit_prefetch(struct jit_code *code, struct jit_at at) {
    opcode(code, 0x0f18, 0, at.base);
    address(code, 2, at, 1);
}

void jit_push(struct jit_code *code, enum jit_register r) {
    if (r >= R8) byte(code, 0x41);
    byte(code, 0x50 | r % 8);
}

void jit_pop(struct jit_code *code, enum jit_register r) {
    if (r >= R8) byte(code, 0x41);
    byte(code, 0x58 | r % 8);
}

void jit_return(struct jit_code *code) { byte(code, 0xc3); }

void jit_entry(struct jit_code *code) {
    byte(code, 0xf3), byte(code, 0x0f), byte(code, 0x1e), byte(code, 0xfa);
}

void jit_align(struct jit_code *code, size_t bytes) {
    static const uint8_t nothing[9] = {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}; /* nop word [rax + rax + 0] */
    size_t gap = -code->n & (bytes - 1);
    for (; gap >= 9; gap -= 9)
        for (int i = 0; i < 9; i++) byte(code, nothing[i]);
    while (gap--) byte(code, 0x90);
}

/* --- jumps ------------------------------------------------------------------------------------------- */

size_t jit_jump(struct jit_code *code, enum jit_condition condition) {
    if (condition == JIT_ALWAYS)
        byte(code, 0xe9);
    else
        byte(code, 0x0f), byte(code, 0x80 | (int)condition);
    word(code, 0);
    return code->n;
}

static void aim(struct jit_code *code, size_t jump, size_t to) {
    if (jump > code->room) return;
    int32_t distance = (int32_t)((int64_t)to - (int64_t)jump);
    memcpy(code->bytes + jump - 4, &distance, 4);
}

void jit_jump_back(struct jit_code *code, enum jit_condition condition, size_t to) {
    aim(code, jit_jump(code, condition), to);
}

void jit_land(struct jit_code *code, size_t jump) { aim(code, jump, code->n); }
