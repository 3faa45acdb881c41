/*
 * Template: pairs of normal numbers by the method of Box and Muller, as ops/random/random.h defines them, without
 * branches so that compilers vectorise. Parameters: T, NAME(verb), and the integers U and I of its size. MANTISSA is
 * in bits; BITS_OF and OF_BITS convert; ONE and ROOT are the bits of 1 and sqrt(1/2); LN2_HIGH and LN2_LOW sum to log 2. UNIT(word) is u in (0,
 * 1], TURN(word) an integer of TURN_BITS; LOG, SINE, COSINE are polynomials.
 *
 * Logarithm after fdlibm: u = 2^e (1 + f), log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)) with s = f / (2 + f). Sine and
 * cosine: the nearest quarter turn is subtracted exactly, in integers.
 */

static inline T NAME(normal_polynomial)(T x, const T *c, int n) {
    T sum = c[n - 1];
    for (int i = n - 2; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}
#define POLYNOMIAL(x, terms) NAME(normal_polynomial)(x, terms, (int)(sizeof terms / sizeof *terms))

static inline T NAME(normal_log)(T u) {
    const T log_terms[] = {LOG};
    U bits = BITS_OF(u) + (ONE - ROOT);
    T exponent = (T)((int32_t)(bits >> MANTISSA) - (int32_t)(ONE >> MANTISSA));
    bits = (bits & (((U)1 << MANTISSA) - 1)) + ROOT;
    T f = OF_BITS(bits) - 1, s = f / (2 + f), z = s * s, less = f * f / 2;
    T rest = z * POLYNOMIAL(z, log_terms);
    return exponent * LN2_HIGH - ((less - (s * (less + rest) + exponent * LN2_LOW)) - f);
}

static void NAME(normal)(int64_t n, const U *words, T *out) {
    const T sine_terms[] = {SINE}, cosine_terms[] = {COSINE}; /* OpenCL C passes no array literals */
    for (int64_t i = 0; i < n / 2; i++) {
        U turn = TURN(words[2 * i + 1]), quarter = (turn + ((U)1 << (TURN_BITS - 3))) >> (TURN_BITS - 2);
        I rest = (I)(turn - (quarter << (TURN_BITS - 2)));
        T r = SQRT(-2 * NAME(normal_log)(UNIT(words[2 * i])));
        T x = (T)rest * ((T)3.14159265358979323846 / (T)((U)1 << (TURN_BITS - 1))), z = x * x;
        T sine = x + x * z * POLYNOMIAL(z, sine_terms),
          cosine = 1 - z / 2 + z * z * POLYNOMIAL(z, cosine_terms);
        T along = quarter & 1 ? sine : cosine, across = quarter & 1 ? cosine : sine;
        out[2 * i] = r * ((quarter + 1) & 2 ? -along : along);
        out[2 * i + 1] = r * (quarter & 2 ? -across : across);
    }
}
#undef POLYNOMIAL
#undef T
#undef U
#undef I
#undef NAME
#undef BITS_OF
#undef OF_BITS
#undef MANTISSA
#undef ONE
#undef ROOT
#undef LN2_HIGH
#undef LN2_LOW
#undef UNIT
#undef TURN
#undef TURN_BITS
#undef SQRT
#undef LOG
#undef SINE
#undef COSINE
