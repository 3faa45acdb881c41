/*
 * J and Y of orders 0 and 1. The C library's are accurate to a few units except near their zeros, where two terms
 * cancel. Near the first zeros a Taylor series replaces them. Its coefficients follow from Bessel's equation (DLMF
 * 10.2.1) and the slope, the value of the other order (DLMF 10.6.3). Near later zeros Hankel's expansion (DLMF
 * 10.17.3) is summed in pairs of doubles. (Handling zeros separately is Harrison's idea, "Fast and accurate Bessel
 * function computation", ARITH 2009.)
 */
#include "engine/cpu/math/special.h"

#include <math.h>
#include <stdbool.h>

#include "engine/cpu/math/special_zeros.h"

enum { ZEROS = 12 };

struct kind {
    int order;
    bool second; /* Y */
    double (*plain)(double);
    double shift; /* zero number k is about (k - shift) pi */
    const two *zeros;
};
static const struct kind kind_j0 = {0, false, j0, 0.25, j0_zeros}, kind_j1 = {1, false, j1, -0.25, j1_zeros},
                         kind_y0 = {0, true, y0, 0.75, y0_zeros}, kind_y1 = {1, true, y1, 0.25, y1_zeros};

/* Return f(z + h), f a Bessel function of that order with zero z and f'(z) = slope. Its Taylor coefficients a(k)
   obey z^2 (k + 2) (k + 1) a(k + 2) + z (k + 1) (2 k + 1) a(k + 1) + (k^2 + z^2 - n^2) a(k) + 2 z a(k - 1) + a(k -
   2) = 0, n the order. */
static double around_zero(int order, double z, double slope, double h) {
    double a[4] = {0, 0, 0, slope}, power = h, sum = 0, term = slope; /* a(k - 2) ... a(k + 1) */
    for (int k = 0; k < 60 && fabs(term) > 1e-18 * fabs(slope); k++) {
        sum += a[3] * power;
        double next =
            z * (k + 1) * (2 * k + 1) * a[3] + (k * k + z * z - order * order) * a[2] + 2 * z * a[1] + a[0];
        a[0] = a[1], a[1] = a[2], a[2] = a[3];
        a[3] = -next / (z * z * (k + 2) * (k + 1));
        term = (fabs(a[2]) + fabs(a[3])) * power;
        power *= h;
    }
    return sum;
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

/* Return the Bessel function of that kind by Hankel's expansion: J = (P cos w - Q sin w) sqrt(2 / (pi x)), or Y =
   (P sin w + Q cos w) times the same root; w = x - (order / 2 + 1/4) pi. */
static double hankel(const struct kind *kind, double x) {
    two parts[2] = {{1, 0}, {0, 0}}, term = {1, 0}, sine, cosine;
    for (int k = 1; k < 80 && fabs(term.high) > 1e-33; k++) {
        double odd = 2 * k - 1;
        two next = two_divide_by(two_multiply(term, two_of(4 * kind->order - odd * odd)), 8 * k);
        next = two_divide_by(next, x);
        if (fabs(next.high) > fabs(term.high)) break;
        term = next;
        parts[k % 2] = two_add(parts[k % 2], k / 2 % 2 ? two_negative(term) : term);
    }
    turn(x, &sine, &cosine);
    /* cos w and sin w, times sqrt(2) */
    two sum = two_add(sine, cosine), gap = two_subtract(sine, cosine);
    two c = kind->order ? gap : sum, s = kind->order ? two_negative(sum) : gap;
    two y = kind->second ? two_add(two_multiply(parts[0], s), two_multiply(parts[1], c))
                         : two_subtract(two_multiply(parts[0], c), two_multiply(parts[1], s));
    return y.high / sqrt(two_pi().high * x);
}

/* Return the Bessel function of that kind for x > 2^1023, where the C library cannot double x to turn a difference
   of sine and cosine into a quotient. */
static double huge(const struct kind *kind, double x) {
    long double s = sinl(x), c = cosl(x), y = kind->second != (kind->order == 1) ? s - c : s + c;
    if (kind->second && kind->order) y = -y;
    return (double)(y / sqrtl(two_pi().high)) / sqrt(x);
}

/* Return the Bessel function of that kind at x: the C library's value, or near a zero, where that is
   inaccurate, a Taylor series around the zero. */
static double bessel(const struct kind *kind, double x) {
    double y = kind->plain(x);
    if (!(y * y * x * x * x < 0.02))
        return x > 0x1p1023 && !isinf(x) ? huge(kind, x) : y; /* far from zeros */
    double number = rint(x / two_pi().high + kind->shift);
    if (number < 1 || x > 0x1p25) return y;
    if (number > ZEROS) return hankel(kind, x);
    two z = kind->zeros[(int)number - 1];
    double h = (x - z.high) - z.low;
    if (fabs(h) > 0.25) return y;
    const struct kind *other = kind->second  ? kind->order ? &kind_y0 : &kind_y1
                               : kind->order ? &kind_j0
                                             : &kind_j1;
    double slope = other->plain(z.high);
    return around_zero(kind->order, z.high, kind->order ? slope : -slope, h);
}

double special_j0(double x) { return bessel(&kind_j0, fabs(x)); }

double special_j1(double x) { return copysign(1, x) * bessel(&kind_j1, fabs(x)); }

double special_y0(double x) { return x < 0 ? NAN : bessel(&kind_y0, x); }

double special_y1(double x) { return x < 0 ? NAN : bessel(&kind_y1, x); }
