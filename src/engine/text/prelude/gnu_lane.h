/*
 * Text, template: types of a lane that is a vector of GCC and clang. Parameters: LANE, its type; SCALAR; LANE_BITS;
 * LANE_COUNT.
 */
#undef VECTOR_BYTES
#undef ROUND_TO
#define VECTOR_BYTES (LANE_BITS * LANE_COUNT / 8)
#if VECTOR_BYTES == 64
#define ROUND_TO roundscale
#else
#define ROUND_TO round
#endif
typedef LANE L(vector);
typedef LANE L(part);
typedef L(mask) L(ints);
typedef const SCALAR *L(entries);
ALWAYS int L(any)(L(mask) m) { return JOIN(ANY_, LANE)(m); }
