/*
 * Prototypes of recursive filters. Butterworth's poles lie on a circle, Chebyshev's on an ellipse. Elliptic filters follow
 * S. Orfanidis, Lecture Notes on Elliptic Filter Design (2006): Landen's transformation lowers the modulus of elliptic
 * functions until they are circular. The modulus comes from its nome, which is exact for very high attenuations, too.
 */
#include <complex.h>
#include <math.h>
#include <tyto/signal.h>
#include "base/math/scalar.h"
#include "ops/core/structure.h"
#include "signal/sections.h"

/* 10^(3000 / 20) and its square are doubles, and so is the square of a quotient of two. */
#define MOST_DECIBELS 3000.0
static const double pi = 3.14159265358979323846;

/* ---- Butterworth, Chebyshev ---- */

/* Return the poles of Butterworth's filter, on the circle of radius 1. */
static struct prototype circle(int order) {
    struct prototype p = {.order = order, .gain = 1};
    int n = 0;
    for (int m = 1 - order; m < order; m += 2)
        p.pole[n++] = m ? -math_cexp(__builtin_complex(0.0, pi * m / (2 * order))) : -1;
    return p;
}

/* Stretch the circle of p to the ellipse whose poles ripple by eps. */
static void stretch(struct prototype *p, double eps) {
    double mu = math_asinh(1 / eps) / p->order, across = math_sinh(mu), along = math_cosh(mu);
    for (int i = 0; i < p->order; i++)
        p->pole[i] = __builtin_complex(across * creal(p->pole[i]), along * cimag(p->pole[i]));
}

/* Return sqrt(10^(decibels / 10) - 1). */
static double ripple_of(double decibels) { return sqrt(math_expm1(decibels * (2.302585092994045684 / 10))); }

/* Return the gain at frequency 0 of a filter whose pass band ripples by eps. */
static double gain_at_0(int order, double eps) { return order % 2 ? 1 : 1 / math_hypot(1, eps); }

/* ---- elliptic ---- */

enum { LANDEN_MOST = 16 /* twice the steps that a complementary modulus of 1e-300 takes */ };

/* Moduli of elliptic functions, descending: modulus[0] is the given one, the last is negligible beside 1. */
struct landen {
    int steps;
    double modulus[LANDEN_MOST + 1];
};

/* Return the moduli below k, whose complement is sqrt(1 - k k). */
static struct landen descend(double k, double complement) {
    struct landen l = {.modulus = {k}};
    while (l.steps < LANDEN_MOST && l.modulus[l.steps] > 1e-17) {
        double root = l.modulus[l.steps] / (1 + complement);
        l.modulus[++l.steps] = root * root;
        complement = 2 * sqrt(complement) / (1 + complement);
    }
    return l;
}

/* Return cd or sn of the argument whose cosine or sine is w. */
static double _Complex ascend(const struct landen *l, double _Complex w) {
    for (int i = l->steps; i > 0; i--) {
        double v = l->modulus[i];
        w = math_cdiv((1 + v) * w, 1 + v * math_cmul(w, w));
    }
    return w;
}

/* Return u, in quarter periods, where sn(i u) = i y. */
static double inverse(const struct landen *l, double y) {
    for (int i = 1; i <= l->steps; i++)
        y *= 2 / ((1 + l->modulus[i]) * (1 + math_hypot(1, y * l->modulus[i - 1])));
    return math_asinh(y) * (2 / pi);
}

/* Return the arithmetic-geometric mean. */
static double mean_of(double a, double b) {
    while (fabs(a - b) > 4e-16 * a) {
        double next = (a + b) / 2;
        b = sqrt(a * b);
        a = next;
    }
    return a;
}

/* Return the moduli of the filter of that order whose ripples have the quotient k1. */
static struct landen moduli_of(int order, double k1, double complement) {
    double q = math_exp(-pi * mean_of(1, complement) / (mean_of(1, k1) * order));
    double even = 1, odd = 1, alternating = 1, term = 1; /* theta functions of q */
    for (int m = 1; term > 1e-18; m++) {
        term = math_pow(q, (double)m * m);
        even += 2 * term;
        alternating += (m % 2 ? -2 : 2) * term;
        odd += math_pow(q, (double)m * (m + 1));
    }
    double k = odd / even, complement_root = alternating / even;
    return descend(4 * sqrt(q) * k * k, complement_root * complement_root);
}

static struct prototype ellipses(int order, double eps, double stop) {
    struct prototype p = {.order = order, .gain = gain_at_0(order, eps)};
    double k1 = eps / stop, complement = sqrt((1 - k1) * (1 + k1));
    struct landen ripples = descend(k1, complement), l = moduli_of(order, k1, complement);
    double v = inverse(&ripples, 1 / eps) / order * (pi / 2), across = math_sinh(v), along = math_cosh(v);
    for (int i = 0; i < order / 2; i++) {
        double u = (2 * i + 1) * pi / (2 * order);
        double _Complex w = ascend(&l, __builtin_complex(math_cos(u) * along, math_sin(u) * across));
        p.pole[2 * i] = __builtin_complex(-cimag(w), creal(w));
        p.pole[2 * i + 1] = conj(p.pole[2 * i]);
        p.zero[2 * i] = p.zero[2 * i + 1] = 1 / (l.modulus[0] * creal(ascend(&l, math_cos(u))));
    }
    if (order % 2) p.pole[order - 1] = -cimag(ascend(&l, __builtin_complex(0.0, across)));
    return p;
}

/* ---- public functions ---- */

/* Return NULL if the decibels of a ripple or an attenuation are valid, else poison. */
static ty_tensor *refuse_decibels(const char *name, const char *what, double decibels) {
    if (decibels <= MOST_DECIBELS && ripple_of(decibels) > 0) return NULL;
    return refuse(name, 0, NULL, E_ARGUMENT, "%s of %g dB; expected a number above 0, at most %g", what,
                  decibels, MOST_DECIBELS);
}

ty_tensor *ty_butterworth(int order, ty_band band, double low, double high) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_band("butterworth", order, band, low, high);
    if (bad) return bad;
    struct prototype p = circle(order);
    return sections_of("butterworth", &p, band, low, high);
}

ty_tensor *ty_chebyshev(int order, double ripple, ty_band band, double low, double high) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_band("chebyshev", order, band, low, high);
    if (!bad) bad = refuse_decibels("chebyshev", "a ripple", ripple);
    if (bad) return bad;
    struct prototype p = circle(order);
    stretch(&p, ripple_of(ripple));
    p.gain = gain_at_0(order, ripple_of(ripple));
    return sections_of("chebyshev", &p, band, low, high);
}

ty_tensor *ty_chebyshev_inverse(int order, double attenuation, ty_band band, double low, double high) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_band("chebyshev_inverse", order, band, low, high);
    if (!bad) bad = refuse_decibels("chebyshev_inverse", "an attenuation", attenuation);
    if (bad) return bad;
    struct prototype p = circle(order);
    for (int i = 0; i < order; i++) p.zero[i] = 2 * i + 1 == order ? 0 : 1 / fabs(cimag(p.pole[i]));
    stretch(&p, 1 / ripple_of(attenuation));
    for (int i = 0; i < order; i++) p.pole[i] = math_cdiv(1, p.pole[i]);
    return sections_of("chebyshev_inverse", &p, band, low, high);
}

ty_tensor *ty_elliptic(int order, double ripple, double attenuation, ty_band band, double low, double high) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_band("elliptic", order, band, low, high);
    if (!bad) bad = refuse_decibels("elliptic", "a ripple", ripple);
    if (!bad) bad = refuse_decibels("elliptic", "an attenuation", attenuation);
    if (bad) return bad;
    if (!(ripple_of(ripple) / ripple_of(attenuation) < 1))
        return refuse("elliptic", 0, NULL, E_ARGUMENT,
                      "a ripple of %g dB and an attenuation of %g dB; expected a smaller ripple", ripple,
                      attenuation);
    struct prototype p = ellipses(order, ripple_of(ripple), ripple_of(attenuation));
    return sections_of("elliptic", &p, band, low, high);
}
