/*
 * Text, template: types of a lane that is a vector of OpenCL C. Parameters: LANE, its type; SCALAR; LANE_BITS;
 * LANE_COUNT; AS_NUMBER, AS_NATURAL, AS_WHOLE, which reinterpret bits.
 */
typedef LANE L(vector);
typedef LANE L(part);
typedef L(mask) L(ints);
typedef CONSTANT_SPACE SCALAR *L(entries);
ALWAYS L(vector) L(select)(L(mask) m, L(vector) a, L(vector) b) { return select(b, a, m); }
#define KEEPS(type)                                                                                          \
    __attribute__((overloadable)) ALWAYS L(bits) keep_bits(L(mask) m, type x) {                              \
        return AS_NATURAL(m & (L(mask))x);                                                                   \
    }
__attribute__((overloadable)) ALWAYS L(bits) keep_bits(L(mask) m, L(bits) x) { return AS_NATURAL(m) & x; }
KEEPS(L(mask))
KEEPS(int)
#undef KEEPS
ALWAYS int L(any)(L(mask) m) { return any(m); }
ALWAYS L(vector) L(wrapping)(L(vector) x) { return x; }
#if LANE_BITS == 32 && LANE_COUNT == 16
/* Return table[index % 16] in each lane: compilers make one permutation of it. */
ALWAYS L(vector) L(permuted)(ENTRIES table, L(bits) index) {
    const L(vector) t = vload16(0, table);
    index &= 15;
    return (L(vector))(t[index.s0], t[index.s1], t[index.s2], t[index.s3], t[index.s4], t[index.s5],
                       t[index.s6], t[index.s7], t[index.s8], t[index.s9], t[index.sa], t[index.sb],
                       t[index.sc], t[index.sd], t[index.se], t[index.sf]);
}
#define LOOKUP(table, index) L(permuted)(table, index)
#endif
#if LANE_BITS == 64 && LANE_COUNT == 8
ALWAYS L(vector) L(permuted)(L(vector) t, L(bits) index) {
    return (L(vector))(t[index.s0], t[index.s1], t[index.s2], t[index.s3], t[index.s4], t[index.s5],
                       t[index.s6], t[index.s7]);
}
/* Return table[index % 16] in each lane, and table[index % 4]. */
ALWAYS L(vector) L(permuted_16)(ENTRIES table, L(bits) index) {
    return SELECT((index & 8) != 0, L(permuted)(vload8(1, table), index & 7),
                  L(permuted)(vload8(0, table), index & 7));
}
ALWAYS L(vector) L(permuted_4)(ENTRIES table, L(bits) index) {
    const double4 t = vload4(0, table);
    return L(permuted)((L(vector))(t, t), index & 3);
}
#define LOOKUP(table, index) L(permuted_16)(table, index)
#define LOOKUP_4(table, index) L(permuted_4)(table, index)
#endif
#ifndef LOOKUP
/* Return table[index] in each lane. */
ALWAYS L(vector) L(gathered)(ENTRIES table, L(bits) index) {
#if LANE_COUNT == 2
    return (L(vector))(table[index.s0], table[index.s1]);
#elif LANE_COUNT == 4
    return (L(vector))(table[index.s0], table[index.s1], table[index.s2], table[index.s3]);
#elif LANE_COUNT == 8
    return (L(vector))(table[index.s0], table[index.s1], table[index.s2], table[index.s3], table[index.s4],
                       table[index.s5], table[index.s6], table[index.s7]);
#else
    return (L(vector))(table[index.s0], table[index.s1], table[index.s2], table[index.s3], table[index.s4],
                       table[index.s5], table[index.s6], table[index.s7], table[index.s8], table[index.s9],
                       table[index.sa], table[index.sb], table[index.sc], table[index.sd], table[index.se],
                       table[index.sf]);
#endif
}
#define LOOKUP(table, index) L(gathered)(table, index & 15)
#define LOOKUP_4(table, index) L(gathered)(table, index & 3)
#endif
