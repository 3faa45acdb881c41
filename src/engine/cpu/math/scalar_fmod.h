/* The remainder of doubles, exactly: base/math/scalar.h and programs for devices have it. */
#ifndef ENGINE_CPU_MATH_SCALAR_FMOD_H
#define ENGINE_CPU_MATH_SCALAR_FMOD_H

/* Return C's remainder of a / b, which is exact: by one multiply-add if the quotient has at most 53 bits. Else divide
   the integers that a and b are after scaling by powers of two, eleven bits at a time. */
static double fmod_exact(double a, double b) {
    int up, down;
    if (!(fabs(a) < (double)INFINITY) || !(fabs(b) > 0)) return (a * b) / (a * b);
    if (fabs(a) < fabs(b)) return a;
    double quotient = trunc(fabs(a) / fabs(b));
    if (quotient < 0x1p53) { /* rounding may have raised it by 1 */
        double left = MADD_F64(-quotient, fabs(b), fabs(a));
        return copysign(left < 0 ? left + fabs(b) : left, a);
    }
    uint64_t rest = (uint64_t)ldexp(frexp(fabs(a), &up), 53), by = (uint64_t)ldexp(frexp(fabs(b), &down), 53);
    rest %= by;
    for (int left = up - down; left > 0 && rest; left -= 11) rest = (rest << (left < 11 ? left : 11)) % by;
    return copysign(ldexp((double)rest, down - 53), a);
}
#endif
