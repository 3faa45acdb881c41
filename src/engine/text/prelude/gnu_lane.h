/*
 * Text, template: types of a lane that is a vector of GCC and clang. Parameters: LANE, its type; SCALAR; LANE_BITS;
 * LANE_COUNT.
 */
typedef LANE L(vector);
typedef LANE L(part);
typedef L(mask) L(ints);
typedef const SCALAR *L(entries);
ALWAYS int L(any)(L(mask) m) {
    L(mask) all = {0};
    EACH_LANE(i) all[0] |= m[i];
    return all[0] != 0;
}
#if defined(__clang__)
ALWAYS L(vector) L(looked_up)(L(entries) table, L(bits) index) {
    L(vector) y = {0};
    EACH_LANE(i) y[i] = table[index[i]];
    return y;
}
#define LOOKUP(table, index) L(looked_up)(table, (index)&15)
#define LOOKUP_4(table, index) L(looked_up)(table, (index)&3)
#elif LANE_COUNT == 16
#define LOOKUP(table, index) __builtin_shuffle(READ_LANES(f32x16, table), index)
#elif LANE_BITS == 64 && LANE_COUNT == 8
#define LOOKUP(table, index)                                                                                 \
    __builtin_shuffle(READ_LANES(f64x8, table), READ_LANES(f64x8, (table) + 8), index)
#define LOOKUP_4(table, index) __builtin_shuffle(READ_LANES(f64x8, table), (index)&3)
#endif
