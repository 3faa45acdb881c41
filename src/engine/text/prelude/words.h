/*
 * Text: the words of engine/cpu/math/math.h for lanes that are scalars. A mask is 0 or 1, so SELECT is C's.
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define L(name) JOIN(name##_, LANE)
#define T(name) JOIN(name##_, TYPE)
#define ALWAYS static inline
#define OUTSIDE static
#define ONE_LANE
#define HAS_FMA 1
#define VECTOR_BYTES 0
#define TABLE STORED_CONSTANT SCALAR
#define ALIGNED_TABLE
#define ENTRIES L(entries)

/* Items of a step with checks, which share the error cell, and of a second dimension. */
#ifndef EACH_INNER
#define EACH_INNER EACH_ITEM
#endif

#define ZERO ((SCALAR)0)
#define NOWHERE 0
#define EVERYWHERE 1
#define NO_BITS ((L(bits))0)
#define ALL_BITS ((L(bits)) ~(L(bits))0)
#define AS_BITS(x) JOIN(bits_of_, LANE)(x)
#define AS_INTS(x) ((L(ints))JOIN(bits_of_, LANE)(x))
#define AS_VECTOR(x) JOIN(LANE, _of_bits)(x)
#define NEGATIVE(x) L(negative)(x)
#define NOT(m) (!(m))
#define KEEP(m, x) ((m) ? (SCALAR)(x) : (SCALAR)0)
#define KEEP_BITS(m, x) ((m) ? (L(bits))(x) : (L(bits))0)
#define MINUS_ONES(m) ((SCALAR)(-(SCALAR)(m)))
#define WRAPPING(x) L(wrapping)(x)
#define AT(x, i) (x)
#define LANE_0(x) (x)
#define RARELY(m) (m)
#define EACH(f, where, x, y) ((where) ? f(x) : (y))
#define EACH_PAIR(f, where, a, b, y) ((where) ? f(a, b) : (y))
#define COMPLEX_EACH(f, where, z, w) ((where) ? L(complex_of_one)(f(L(complex_lane)(z, 0))) : (w))
#define EACH_LANE(i) for (int i = 0; i < 1; i++)
#define SPECIAL1(name, x) ((SCALAR)special_text_##name((double)(x)))
#define SPECIAL2(name, a, b) ((SCALAR)special_text_##name((double)(a), (double)(b)))
#define SPECIAL3(name, a, b, c) ((SCALAR)special_text_##name((double)(a), (double)(b), (double)(c)))

/* Types of registers, by the names of dtypes; halves are their bits. */
typedef uint8_t boolean;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t f16;
typedef uint16_t bf16;
typedef float f32;
#if HAS_F64
typedef double f64;
#endif

/* Note a refused value in the error cell (engine/text/text.h). */
static inline void refuse(MEMORY u32 *cell, u64 call, u32 code, i64 value) {
    if (!(call >> 32)) {
        *cell = (u32)call;
        RAISE(cell + 1, ~code);
    } else if (cell[1] == ~code) {
        *(MEMORY i64 *)(cell + 2) = value;
    }
}

/* Complex numbers are pairs of numbers in all dialects: of the operators of C they have =. */
typedef struct c64 {
    f32 x, y;
} c64;
ALWAYS c64 joined_c64(f32 x, f32 y) {
    c64 z;
    z.x = x, z.y = y;
    return z;
}
#define PAIR_C64(x, y) joined_c64(x, y)
#if HAS_F64
typedef struct c128 {
    f64 x, y;
} c128;
ALWAYS c128 joined_c128(f64 x, f64 y) {
    c128 z;
    z.x = x, z.y = y;
    return z;
}
#define PAIR_C128(x, y) joined_c128(x, y)
#endif
#define MATH_ALWAYS static inline
#define MATH_APART(x)
#define CMUL_OUTSIDE static
#define COMPLEX_PRODUCT(a, b) L(math_cmul)(a, b)
#define LONG(z) L(long)(z)
#define SHORT(z) L(short)(z)
#define SCALAR_OF(name) one_##name
#define __builtin_expect(x, usual) (x)

/* The bits of a register as another type of its size. */
#define VIEW_AS(from, to)                                                                                    \
    ALWAYS to view_##from##_##to(from x) {                                                                   \
        union {                                                                                              \
            from x;                                                                                          \
            to y;                                                                                            \
        } u;                                                                                                 \
        u.x = x;                                                                                             \
        return u.y;                                                                                          \
    }

#define EQUAL_LANES(x) (x)
#define NUMBER_OF_LANE LANE
#define R(constant) ((REAL)constant)

/* x limited to 0 .. most. */
#define CLAMP(x, most) ((x) < 0 ? 0 : (x) > (most) ? (most) : (x))
