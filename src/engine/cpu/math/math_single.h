/*
 * Functions of single doubles for scalar.kernel.c: exponentials, logarithms, powers, the gamma function, erfc. Vectors
 * look up 16 entries in registers; one double reads tables of 128 from memory, which leave short polynomials (P. Tang,
 * 1989 and 1990, as in math_exp.h and math_log.h). The text for vectors takes operands near the ends of the range.
 *
 * log: x = 2^k z, z/c - 1 = r exactly, log x = k log 2 + log c + r - r^2/2 + ...; k log 2 + log c has two parts, of
 * which the high ones are summed exactly. c is 1 about z = 1, so results near 0 keep their digits.
 */
CONSTANTS(single_powers, EXP2_128);
CONSTANTS(single_exp_tail, EXP_128_TAIL);
CONSTANTS(single_step, LN2_128);
CONSTANTS(single_logs, LOG_128);
CONSTANTS(single_log_tail, LOG_128_TAIL);
CONSTANTS(single_pow_tail, POW_128_TAIL);
CONSTANTS(single_gamma, GAMMA_CONSTANT);

static inline uint64_t bits_of(double x) { return bits_of_f64(x); }
static inline double of_bits(uint64_t bits) { return f64_of_bits(bits); }
static inline double madd(double a, double b, double c) { return MADD_F64(a, b, c); }

/* Return c[0] + c[1] x + ... of n terms, odd and even ones apart. */
static inline double single_polynomial(double x, ENTRIES c, int n) {
    double square = x * x, one = c[n - 1], other = c[n - 2];
    for (int k = n - 3; k > 0; k -= 2) one = madd(one, square, c[k]), other = madd(other, square, c[k - 1]);
    if (n % 2) one = madd(one, square, c[0]);
    return n % 2 ? madd(other, x, one) : madd(one, x, other);
}
#define SINGLE_TAIL(x, c) single_polynomial(x, c, (int)(sizeof c / sizeof *c))

/* ---- exponentials ---- */

/* 2^(n/128) in two factors, the high one a double and 1 + low, for an integer n with these low bits. */
struct single_power {
    double high, low;
};
static inline struct single_power single_power(uint64_t n) {
    ENTRIES entry = single_powers + 2 * (n & 127);
    return (struct single_power){of_bits(bits_of(entry[0]) + (n >> 7 << 52)), entry[1]};
}
/* Return the integer nearest to x, |x| < 2^50, and its low bits. */
static inline double single_nearest(double x, uint64_t *bits) {
    double shifted = x + 0x1.8p52;
    *bits = bits_of(shifted) - bits_of(0x1.8p52);
    return shifted - 0x1.8p52;
}
/* Return rest and *n with x + less = n log(2)/128 + rest, for a far smaller `less`. */
static inline double single_reduce(double x, double less, uint64_t *n) {
    double whole = single_nearest(x * (128 * 1.4426950408889634), n);
    return madd(-whole, single_step[0], x) + madd(-whole, single_step[1], less);
}
/* Return e^rest - 1 - rest for |rest| <= log(2)/256. */
static inline double single_curve(double rest) { return rest * rest * SINGLE_TAIL(rest, single_exp_tail); }
/* Return e^(x + less) for |x| <= SINGLE_EXP_FAR and a far smaller `less`, with error term *low. */
static inline double single_exp_long(double x, double less, double *low) {
    uint64_t n;
    double rest = single_reduce(x, less, &n);
    struct single_power power = single_power(n);
    double more = power.high * (rest + (single_curve(rest) + power.low)), sum = power.high + more;
    *low = (power.high - sum) + more;
    return sum;
}
/* Return e^(x + less). */
static inline double single_exp(double x, double less) {
    uint64_t n;
    double rest = single_reduce(x, less, &n);
    struct single_power power = single_power(n);
    return madd(power.high, rest + (single_curve(rest) + power.low), power.high);
}
#define SINGLE_EXP_FAR 707 /* a little less than 1022 log 2: e^x and e^-x are normal numbers */
static inline bool single_exp_takes(double x) { return fabs(x) <= SINGLE_EXP_FAR; }

static double one_exp(double x) { return single_exp_takes(x) ? single_exp(x, 0) : AT(L(exp)(L(one)(x)), 0); }
static double one_exp2(double x) {
    uint64_t n;
    if (!(fabs(x) <= 1020)) return AT(L(exp2)(L(one)(x)), 0);
    double whole = single_nearest(x * 128, &n), rest = (x - whole / 128) * M_LN2;
    struct single_power power = single_power(n);
    return madd(power.high, rest + (single_curve(rest) + power.low), power.high);
}

/* ---- logarithms ---- */

/* x = 2^k z: high + low = k log 2 + log c, rest = z/c - 1. */
struct single_logarithm {
    double high, low, rest, inverse;
    uint64_t power; /* the bits of 2^k less those of 1 */
};
static inline struct single_logarithm single_log_reduce(uint64_t bits) {
    uint64_t above = bits - LOG_128_OFFSET;
    ENTRIES entry = single_logs + 3 * (above >> 45 & 127);
    double k = (double)((int64_t)above >> 52);
    struct single_logarithm y;
    y.inverse = entry[0], y.power = above >> 52 << 52;
    y.rest = madd(of_bits(bits - y.power), entry[0], -1);
    y.high = madd(k, L(log_two)[0], entry[1]);
    y.low = madd(k, L(log_two)[1], entry[2]);
    return y;
}
/* Return true for the bits of a positive normal number. */
static inline bool is_usual(uint64_t bits) {
    return bits - bits_of(LIMIT(SMALLEST)) < bits_of((double)INFINITY) - bits_of(LIMIT(SMALLEST));
}
/* Return the sum of a reduced logarithm, and of `more`, a term of the size of low parts. */
static inline double single_log_sum(struct single_logarithm y, double more) {
    double r = y.rest, sum = y.high + r, low = (y.low + more) + ((y.high - sum) + r);
    return sum + madd(r * r, SINGLE_TAIL(r, single_log_tail), low);
}
static double one_log(double x) {
    uint64_t bits = bits_of(x);
    return is_usual(bits) ? single_log_sum(single_log_reduce(bits), 0) : AT(L(log)(L(one)(x)), 0);
}
/* Return log(1 + x). The rounding error of the sum counts in the low part. */
static double one_log1p(double x) {
    if (fabs(x) < 0x1p-9) return madd(x * x, SINGLE_TAIL(x, single_log_tail), x);
    if (!(x > -1 && x < 0x1p1000)) return AT(L(log1p)(L(one)(x)), 0);
    double sum = 1 + x, part = sum - 1, rest = (1 - (sum - part)) + (x - part);
    struct single_logarithm y = single_log_reduce(bits_of(sum));
    rest *= of_bits(bits_of(y.inverse) - y.power);
    return single_log_sum(y, madd(-rest, y.rest, rest)); /* a quotient by 1 + y.rest */
}
/* Return log x for a positive normal x, with error term *low: 12 bits more than doubles. */
static inline double single_log_long(double x, double *low) {
    struct single_logarithm y = single_log_reduce(bits_of(x));
    double r = y.rest, half = r * -0.5, curve = r * half, sum = y.high + r, all = sum + curve;
    double tail = r * (r * r) * SINGLE_TAIL(r, single_pow_tail);
    double less = y.low + ((y.high - sum) + r) + madd(half, r, -curve) + ((sum - all) + curve) + tail;
    double high = all + less;
    *low = (all - high) + less;
    return high;
}
/* Return a^b; squares, roots and first powers have one rounding. */
static double one_pow(double a, double b) {
    if (is_usual(bits_of(a)) && b != 2 && b != 1 && b != 0.5) {
        double low, log = single_log_long(a, &low), high = b * log;
        if (single_exp_takes(high)) return single_exp(high, madd(b, low, madd(b, log, -high)));
    }
    return AT(L(pow)(L(one)(a), L(one)(b)), 0);
}

/* ---- the gamma function and the error function's complement, as in math_gamma.h and math_error.h ---- */

/* Return the rounding error of sum = a + b, exactly. */
static inline double single_rest(double a, double b, double sum) {
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
}
/* Return (power + low) / (x (x + 1) (x + 2)). */
static inline double single_over_three(double power, double low, double x) {
    double a = x + 1, b = x + 2, two = a * b, all = two * x, inverse = 1 / all, y = power * inverse;
    double rest = madd(a, b, -two) + madd(a, single_rest(2, x, b), b * single_rest(1, x, a));
    rest = madd(rest, x, madd(two, x, -all));
    return madd(madd(-y, rest, low) + madd(-y, all, power), inverse, y);
}
/* Return Gamma(x) by Stirling's formula for y = x or x + 3: e^((y - 1/2) (log y - 1) + c + 1/12y - ...), where c is
   (log(2 pi) - 1) / 2. */
static double one_tgamma(double x) {
    if (!(x >= 0x1p-60 && x <= 170)) return AT(L(tgamma)(L(one)(x)), 0);
    double y = x < 3 ? x + 3 : x, inverse = 1 / y, low, log = single_log_long(y, &low);
    double part = y - 0.5, less = log - 1, p = part * less, sum = p + single_gamma[0]; /* exact differences */
    double rest = madd(part, low, madd(part, less, -p)) + single_rest(p, single_gamma[0], sum);
    rest += madd(inverse, SINGLE_TAIL(inverse * inverse, L(stirling_tail)), single_gamma[1]);
    /* the derivative by y, for the rounding error of x + 3 */
    if (x < 3) rest = madd(x - (y - 3), madd(inverse, -0.5, log), rest);
    double whole = sum + rest;
    rest = (sum - whole) + rest;
    if (x >= 3) return single_exp(whole, rest);
    double power = single_exp_long(whole, rest, &low);
    return single_over_three(power, low, x);
}

/* Return erfc(x) = e^(-x^2) g(x), g a polynomial about the middle of each half octave. */
static double one_erfc(double x) {
    double size = fabs(x), square = size * size, low, above = size > 0.375 ? size : 0.375;
    if (!(size <= 26)) return AT(L(erfc)(L(one)(x)), 0);
    double power = single_exp_long(-square, -madd(size, size, -square), &low);
    uint64_t piece = (bits_of(above) - bits_of(0.375)) >> 51;
    double d = size - L(erfc_middle)[piece], most = L(erfc_high)[piece], part = L(erfc_tail)[240 + piece];
    for (int k = 14; k >= 0; k--) part = madd(part, d, L(erfc_tail)[16 * k + piece]);
    double g = madd(d, part, most), g_low = L(erfc_low)[piece] + madd(d, part, most - g), y = g * power;
    y += madd(g, power, -y) + madd(g, low, g_low * power);
    return x < 0 ? 2 - y : y;
}
