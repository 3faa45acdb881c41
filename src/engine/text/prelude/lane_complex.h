/*
 * Text, template: a lane that is a complex number, in the place of engine/cpu/math/math_complex.h. Parameters: LANE,
 * SCALAR, REAL_SCALAR, LANE_BITS (of a part), PAIR(x, y), HAS_FUNCTIONS (of complex_number.h).
 */
typedef SCALAR L(vector);
typedef REAL_SCALAR L(part);
typedef int L(mask);
#define CMUL(name) L(math_##name)
#define CMUL_REAL REAL_SCALAR
#define CMUL_COMPLEX SCALAR
#include "base/math/complex_infinite.h"
#define CMUL(name) L(math_##name)
#define CMUL_REAL REAL_SCALAR
#define CMUL_COMPLEX SCALAR
#include "base/math/complex_product.h"
ALWAYS SCALAR L(splat)(REAL_SCALAR x) { return PAIR(x, 0); }
ALWAYS SCALAR L(select)(int m, SCALAR a, SCALAR b) {
    if (m) return a;
    return b;
}
ALWAYS SCALAR L(plus)(SCALAR a, SCALAR b) { return PAIR(a.x + b.x, a.y + b.y); }
ALWAYS SCALAR L(minus)(SCALAR a, SCALAR b) { return PAIR(a.x - b.x, a.y - b.y); }
ALWAYS SCALAR L(neg)(SCALAR x) { return PAIR(-x.x, -x.y); }
ALWAYS int L(same)(SCALAR a, SCALAR b) { return a.x == b.x && a.y == b.y; }
ALWAYS int L(differ)(SCALAR a, SCALAR b) { return a.x != b.x || a.y != b.y; }
/* Return sum + v s by four multiply-adds (engine/nest/nest.h). */
ALWAYS SCALAR L(dot)(SCALAR v, SCALAR s, SCALAR sum) {
    const REAL_SCALAR re = MADD(v.x, s.x, sum.x), im = MADD(v.x, s.y, sum.y);
    return PAIR(MADD(v.y, -s.y, re), MADD(v.y, s.x, im));
}
#if HAS_FUNCTIONS
#include "array/order_key.h"
ALWAYS c128 L(long)(SCALAR z) { return PAIR_C128((double)z.x, (double)z.y); }
ALWAYS SCALAR L(short)(c128 z) { return PAIR((REAL_SCALAR)z.x, (REAL_SCALAR)z.y); }
#endif
#include "engine/cpu/math/complex_number.h"
