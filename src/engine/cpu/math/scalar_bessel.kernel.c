/*
 * Template: J and Y of orders 0 and 1 for one lane. Up to the twelfth zero they are polynomials about zeros and about
 * points between them (bessel_j.h), from a zero to the next. Beyond, Hankel's expansion (DLMF 10.17.3) with sine
 * and cosine in two parts; next to zeros, where its terms cancel, all of it is summed in pairs of doubles.
 * (Handling zeros separately is Harrison's idea, "Fast and accurate Bessel function computation", ARITH 2009.)
 */
#include "engine/cpu/math/bessel_y.h"

#define REAL double
#include "engine/special/pair.kernel.h"

/* A function of the family; pieces, and terms of 1 and of odd order in Hankel's expansion. */
struct bessel {
    int order;
    bool second; /* Y */
    int count;
    CONSTANT_SPACE struct bessel_piece *piece;
    CONSTANT_SPACE double *p, *q;
};
static const struct bessel bessel_j0 = {0, false, J0_COUNT, j0_pieces, p0_far, q0_far},
                           bessel_j1 = {1, false, J1_COUNT, j1_pieces, p1_far, q1_far},
                           bessel_y0 = {0, true, Y0_COUNT, y0_pieces, p0_far, q0_far},
                           bessel_y1 = {1, true, Y1_COUNT, y1_pieces, p1_far, q1_far};
enum { NEAR_TERMS = sizeof j0_near / sizeof *j0_near, P_TERMS = 7, Q_TERMS = 8 };
static const double over_pi = 0.318309886183790672; /* 1 / pi */

/* Return the sum of c[k] x^k for k < n. */
static double powers(double x, CONSTANT_SPACE double *c, int n) {
    double y = c[n - 1];
    for (int k = n - 2; k >= 0; k--) y = MADD_F64(y, x, c[k]);
    return y;
}
/* Return the value of the piece that contains x, pieces[0].start <= x. */
static double bessel_piece(CONSTANT_SPACE struct bessel *f, double x) {
    int k = (int)((x - f->piece[0].start) *
                  (2 * over_pi)); /* pieces are quarter turns long, but for the first ones */
    if (k > f->count - 1) k = f->count - 1;
    while (k < f->count - 1 && x >= f->piece[k + 1].start) k++;
    while (x < f->piece[k].start) k--;
    CONSTANT_SPACE struct bessel_piece *piece = &f->piece[k];
    double d = (x - piece->high) - piece->low, y = powers(d, piece->c, sizeof piece->c / sizeof *piece->c);
    return piece->is_zero ? d * y : y;
}

/* Set *sine and *cosine to those of x in pairs, 0 < x < 2^26: subtract quarter turns, with pi/2 in three parts,
   then sum the series. */
static void turn(double x, two *sine, two *cosine) {
    const two half_pi = {two_pi().high / 2, two_pi().low / 2};
    const double rest = -1.4973849048591698e-33, turns = rint(x / half_pi.high);
    two angle = two_subtract(two_of(x), two_product(turns, half_pi.high)), s, c;
    angle = two_subtract(angle, two_product(turns, half_pi.low));
    two_sine_cosine(two_subtract(angle, two_of(turns * rest)), &s, &c);
    int quarter = (int)((long)turns & 3);
    *sine = quarter & 1 ? c : s;
    *cosine = quarter & 1 ? s : c;
    if (quarter & 2) *sine = two_negative(*sine);
    if (quarter == 1 || quarter == 2) *cosine = two_negative(*cosine);
}
/* Return Hankel's expansion in pairs: J = (P cos w - Q sin w) sqrt(2 / (pi x)), or Y = (P sin w + Q cos w) times the
   same root; w = x - (order / 2 + 1/4) pi. */
OUTSIDE double bessel_pairs(CONSTANT_SPACE struct bessel *f, double x) {
    two parts[2] = {{1, 0}, {0, 0}}, term = {1, 0}, sine, cosine;
    for (int k = 1; k < 80 && fabs(term.high) > 1e-33; k++) {
        double odd = 2 * k - 1;
        two next = two_divide_by(two_multiply(term, two_of(4 * f->order - odd * odd)), 8 * k);
        next = two_divide_by(next, x);
        if (fabs(next.high) > fabs(term.high)) break;
        term = next;
        parts[k % 2] = two_add(parts[k % 2], k / 2 % 2 ? two_negative(term) : term);
    }
    turn(x, &sine, &cosine);
    /* cos w and sin w, times sqrt(2) */
    two sum = two_add(sine, cosine), gap = two_subtract(sine, cosine);
    two c = f->order ? gap : sum, s = f->order ? two_negative(sum) : gap;
    two y = f->second ? two_add(two_multiply(parts[0], s), two_multiply(parts[1], c))
                      : two_subtract(two_multiply(parts[0], c), two_multiply(parts[1], s));
    return y.high * sqrt(over_pi) / sqrt(x);
}
/* Return the function beyond the pieces: the same expansion, of which only sine and cosine have low parts. */
static double bessel_far(CONSTANT_SPACE struct bessel *f, double x) {
    if (!(x < (double)INFINITY)) return x != x ? x : 0;
    struct L(angle) angle = L(angle_any)(L(splat)(x));
    L(vector) low_s, low_c, sine = L(sine_parts)(angle, &low_s);
    angle.index += 8;
    L(vector) cosine = L(sine_parts)(angle, &low_c);
    two s = {AT(sine, 0), AT(low_s, 0)}, c = {AT(cosine, 0), AT(low_c, 0)}, sum = two_add(s, c),
        gap = two_subtract(s, c);
    two real = f->order ? gap : sum, imaginary = f->order ? two_negative(sum) : gap;
    two most = f->second ? imaginary : real, other = f->second ? real : two_negative(imaginary);
    double inverse = 1 / x, u = inverse * inverse;
    double less = u * powers(u, f->p, P_TERMS) * most.high + inverse * powers(u, f->q, Q_TERMS) * other.high;
    double y = most.high + (less + most.low);
    /* no double beyond 2^25 is that close to a zero */
    if (fabs(y) < 0.005 && x < 0x1p25) return bessel_pairs(f, x);
    return y * sqrt(over_pi) / sqrt(x);
}
static double bessel(CONSTANT_SPACE struct bessel *f, double x) {
    CONSTANT_SPACE struct bessel_piece *last = &f->piece[f->count - 1];
    return x < last->high + 0.75 ? bessel_piece(f, x) : bessel_far(f, x);
}

static double one_j0(double x) {
    x = fabs(x);
    return x < j0_pieces[0].start ? powers(x * x, j0_near, NEAR_TERMS) : bessel(&bessel_j0, x);
}
static double one_j1(double x) {
    double size = fabs(x);
    if (size < j1_pieces[0].start) return x * powers(x * x, j1_near, NEAR_TERMS);
    return copysign(1, x) * bessel(&bessel_j1, size);
}
/* Y(x) = 2/pi log(x) J(x) + ..., DLMF 10.8.1 */
static double one_y0(double x) {
    if (!(x >= 0)) return (double)NAN;
    if (x >= y0_pieces[0].start) return bessel(&bessel_y0, x);
    return 2 * over_pi * one_log(x) * one_j0(x) + powers(x * x, y0_near, NEAR_TERMS);
}
static double one_y1(double x) {
    if (!(x >= 0)) return (double)NAN;
    if (x >= y1_pieces[0].start) return bessel(&bessel_y1, x);
    if (x < 1e-20) return -2 * over_pi / fabs(x);
    return 2 * over_pi * (one_log(x) * one_j1(x) - 1 / x) + x * powers(x * x, y1_near, NEAR_TERMS);
}
