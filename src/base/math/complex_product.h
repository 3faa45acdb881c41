/*
 * Template: the product of complex numbers. Parameters: CMUL(name) (names of functions), CMUL_REAL, CMUL_COMPLEX (their
 * types); includers define MATH_ALWAYS and MATH_APART. Programs for devices contain this as text.
 */
/* Return a * b, each product and sum rounded once; infinities are those of annex G. */
MATH_ALWAYS CMUL_COMPLEX CMUL(cmul)(CMUL_COMPLEX a, CMUL_COMPLEX b) {
    CMUL_COMPLEX y;
    CMUL_REAL ac = __real__ a * __real__ b, bd = __imag__ a * __imag__ b, ad = __real__ a * __imag__ b,
              bc = __imag__ a * __real__ b;
    MATH_APART(ac);
    MATH_APART(bd);
    MATH_APART(ad);
    MATH_APART(bc);
    __real__ y = ac - bd;
    __imag__ y = ad + bc;
    bool lost = __real__ y != __real__ y && __imag__ y != __imag__ y;
    return __builtin_expect(lost, 0) ? CMUL(cmul_infinite)(a, b) : y;
}
#undef CMUL
#undef CMUL_REAL
#undef CMUL_COMPLEX
