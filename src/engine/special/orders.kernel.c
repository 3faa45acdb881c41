/*
 * Template: functions with an integer order besides x, closed under differentiation: J_n and I_n (DLMF 10.6.1,
 * 10.29.1) and derivatives of sinc. Each is a power series where terms do not cancel, else a recurrence: upwards for
 * orders below x, downwards (Miller's, DLMF 3.6(iii)) above, as these directions shrink errors. I_n for large x is
 * its expansion in 1/x (DLMF 10.40.1).
 */

enum { MOST_WHOLE_ORDER = 128 };

/* Set *n to |order| truncated to an integer. Return false, with *n unset, if order is NaN or exceeds
   MOST_WHOLE_ORDER in size; the result is then NaN. */
static bool whole_order(REAL order, int *n) {
    if (!(fabs(trunc(order)) <= MOST_WHOLE_ORDER)) return false;
    *n = (int)fabs(trunc(order));
    return true;
}

/* Return (x/2)^n / n! times the sum over k of (sign x^2/4)^k / (k! (n+1)..(n+k)): J_n(x) for sign -1, I_n(x) for 1. */
static REAL whole_series(int n, REAL x, REAL sign) {
    REAL factor = 1, term = 1, sum = 1, z = sign * x * x / 4;
    for (int k = 1; k <= n; k++) factor *= x / 2 / k;
    for (int k = 1; k < 200 && fabs(term) > EPSILON / 8 * fabs(sum); k++) sum += term *= z / k / (n + k);
    return factor * sum;
}

/* ---- J ---- */

/* Return J_n(x) for n <= x, by the recurrence upwards. */
static REAL j_upwards(int n, REAL x) {
    REAL below = F(j0)(x), now = F(j1)(x);
    for (int k = 1; k < n; k++) {
        REAL next = 2 * k / x * now - below;
        below = now;
        now = next;
    }
    return n ? now : below;
}

/* Return J_n(x) for 2 sqrt(n+1) < x < n, by the recurrence downwards. Starts BITS + 11 orders higher, where J is
   below a rounding error of J_n; J_0 + 2 J_2 + ... = 1. */
static REAL j_downwards(int n, REAL x) {
    REAL above = 0, now = 1e-290, norm = 0, found = 0;
    for (int k = n + BITS + 11; k > 0; k--) {
        if (k == n) found = now;
        if (k % 2 == 0) norm += 2 * now;
        REAL below = 2 * k / x * now - above;
        above = now;
        now = below;
        if (fabs(now) > 1e200) above *= 1e-200, now *= 1e-200, norm *= 1e-200, found *= 1e-200;
    }
    return found / (norm + now);
}

REAL F(jn)(REAL order, REAL x) {
    int n;
    if (isnan(x) || !whole_order(order, &n)) return NAN;
    bool turned = n % 2 && (x < 0) != (order < 0);
    REAL size = fabs(x), y = isinf(x)                   ? 0
                             : n <= 1                   ? j_upwards(n, size)
                             : size * size <= 4 * n + 4 ? whole_series(n, size, -1)
                             : n <= size                ? j_upwards(n, size)
                                                        : j_downwards(n, size);
    return turned ? -y : y;
}

/* ---- I ---- */

/* Return exp(-x) I_n(x) for x >= n^2 and x >= 30: terms shrink to rounding before they grow. */
static REAL i_far(int n, REAL x) {
    REAL term = 1, sum = 1, square = 4 * (REAL)n * n;
    for (int k = 1; k < 60 && fabs(term) > EPSILON / 8; k++) {
        REAL odd = 2 * k - 1;
        sum += term *= -(square - odd * odd) / (8 * k) / x;
    }
    return sum / sqrt(2 * PI) / sqrt(x);
}

/* Return exp(-x) I_n(x) for 30 < x < n^2, by the recurrence downwards. Starts at an order at which exp(-(k^2 - n^2)
   / 2x) is below rounding; I_0 + 2 I_1 + ... = exp(x). */
static REAL i_downwards(int n, REAL x) {
    REAL above = 0, now = 1e-300, norm = 0, found = 0;
    for (int k = (int)sqrt(n * n + 90 * x) + 10; k > 0; k--) {
        if (k == n) found = now;
        norm += 2 * now;
        REAL below = 2 * k / x * now + above;
        above = now;
        now = below;
    }
    return found / (norm + now);
}

/* Return exp(-x) I_n(x) for x >= 0. */
static REAL i_scaled(int n, REAL x) {
    if (n == 0) return F(i0e)(x);
    if (n == 1) return F(i1e)(x);
    if (x <= 30) return exp(-x) * whole_series(n, x, 1);
    return isinf(x) ? 0 : x >= n * n ? i_far(n, x) : i_downwards(n, x);
}

REAL F(ine)(REAL order, REAL x) {
    int n;
    if (isnan(x) || !whole_order(order, &n)) return NAN;
    REAL y = i_scaled(n, fabs(x));
    return n % 2 && x < 0 ? -y : y;
}

REAL F(in)(REAL order, REAL x) {
    int n;
    if (isnan(x) || !whole_order(order, &n)) return NAN;
    REAL size = fabs(x), y = n == 0        ? F(i0)(size)
                             : n == 1      ? F(i1)(size)
                             : isinf(size) ? INFINITY
                             : size <= 30  ? whole_series(n, size, 1)
                                           : exp(size / 2) * i_scaled(n, size) * exp(size / 2);
    return n % 2 && x < 0 ? -y : y;
}

/* ---- sinc ---- */

/* Return derivative k of sin(t), given sine and cosine of t. */
static REAL sine_derivative(int k, REAL sine, REAL cosine) {
    REAL y = k % 2 ? cosine : sine;
    return k / 2 % 2 ? -y : y;
}

/* Return derivative k of sin(t) in a pair, given sine and cosine of t. */
static two sine_derivative_pair(int k, two sine, two cosine) {
    two y = k % 2 ? cosine : sine;
    return k / 2 % 2 ? two_negative(y) : y;
}

/* Return derivative n of sinc at x in pairs, by the recurrences of sinc_derivative. */
static REAL sinc_in_pairs(int n, REAL x) {
    REAL turn = beyond_turns(x), rest = fabs(turn) > 0.5 ? copysign(1, turn) - turn : turn, left = 1;
    two t = two_scale(two_pi(), x), s = two_of(0), power = two_of(1), sine, cosine;
    two_sine_cosine(two_scale(two_pi(), rest), &sine, &cosine);
    if (rest != turn) cosine = two_negative(cosine);
    if (fabs(t.high) > n) {
        s = two_divide(sine, t);
        for (int k = 1; k <= n; k++)
            s = two_divide(two_subtract(sine_derivative_pair(k, sine, cosine), two_scale(s, k)), t);
    } else {
        int k = n + 1;
        for (; left > EPSILON * EPSILON / 8; k++) left *= fabs(t.high) / k;
        for (; k > n; k--)
            s = two_divide_by(two_subtract(sine_derivative_pair(k, sine, cosine), two_multiply(t, s)), k);
    }
    for (int k = 0; k < n; k++) power = two_multiply(power, two_pi());
    return two_multiply(s, power).high;
}

/* Return derivative `order` of sin(pi x) / (pi x) by x; NaN for negative orders. s = sin(t)/t, t = pi x, obeys t
   s^(k) + k s^(k-1) = sin^(k). Next to zeros other than 0, below a 40th of the size between them, the terms
   cancel. There it is computed in pairs, which take 25 times as long. */
REAL F(sinc_derivative)(REAL order, REAL x) {
    int n;
    if (isnan(x) || !whole_order(order, &n) || trunc(order) < 0) return NAN;
    REAL t = PI * x, sine = F(sinpi)(x), cosine = F(cospi)(x), s = 0, left = 1, part = 1;
    bool zeros = n > 0 && fabs(x) > 0.25 && fabs(x) < 1e100;
    if (fabs(t) > n) { /* with pi^k in s^(k), which would underflow for large x; pi x may overflow */
        s = sine / PI / x;
        for (int k = 1; k <= n; k++) {
            part = pi_powers[k - 1];
            s = (part * sine_derivative(k, sine, cosine) - k * s) / x;
        }
        return zeros && fabs(s * x) < part / 40 ? sinc_in_pairs(n, x) : s;
    }
    int k = n + 1;
    for (; left > EPSILON / 8; k++) left *= fabs(t) / k;
    for (; k > n; k--) s = (sine_derivative(k, sine, cosine) - t * s) / k;
    return zeros && fabs(s) * (n + 1) < R(1.0) / 40 ? sinc_in_pairs(n, x) : s * pi_powers[n];
}
