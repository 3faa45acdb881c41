/*
 * Text, template: types of a lane that is a scalar, in the place of engine/cpu/math/math_vector.h. Parameters: LANE,
 * SCALAR, LANE_BITS.
 */
typedef SCALAR L(vector);
typedef SCALAR L(part);
typedef int L(mask);
typedef JOIN(JOIN(int, LANE_BITS), _t) L(ints);
typedef JOIN(JOIN(uint, LANE_BITS), _t) L(bits);
typedef CONSTANT_SPACE SCALAR *L(entries);
ALWAYS int L(any)(int m) { return m; }
ALWAYS SCALAR L(select)(int m, SCALAR a, SCALAR b) { return m ? a : b; }
