/* Nodes of Gauss's rule of 10 inside Kronrod's of 21 (R. Piessens et al., "QUADPACK", 1983, qk21), and their
   positions in x. */
#include "numeric/quad_interval.h"
#include "base/math/scalar.h"
#include <math.h>

/* Nodes from the end to the middle, and their weights in both rules. */
static const double places_half[11] = {0.995657163025808080735527280689003,
                                       0.973906528517171720077964012084452,
                                       0.930157491355708226001207180059508,
                                       0.865063366688984510732096688423493,
                                       0.780817726586416897063717578345042,
                                       0.679409568299024406234327365114874,
                                       0.562757134668604683339000099272694,
                                       0.433395394129247190799265943165784,
                                       0.294392862701460198131126603103866,
                                       0.148874338981631210884826001129720,
                                       0};
static const double kronrod_half[11] = {
    0.011694638867371874278064396062192, 0.032558162307964727478818972459390,
    0.054755896574351996031381300244580, 0.075039674810919952767043140916190,
    0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
    0.123491976262065851077958109585166, 0.134709217311473325928054001771707,
    0.142775938577060080797094273138717, 0.147739104901338491374841515972068,
    0.149445554002916905664936468389821};
static const double gauss_half[11] = {
    0, 0.066671344308688137593568809893332, 0, 0.149451349150580593145863396957658,
    0, 0.219086362515982043995534934228163, 0, 0.269266719309996355091226921569469,
    0, 0.295524224714752870173815619188769, 0};

static double mirrored(const double *half, int i) { return half[i <= 10 ? i : 20 - i]; }
double kronrod_weight(int i) { return mirrored(kronrod_half, i); }
double gauss_weight(int i) { return mirrored(gauss_half, i); }

/* Return the fraction, 0..1, of the interval that lies below node i, 0..20. */
static double share_of(int i) { return i <= 10 ? (1 - places_half[i]) / 2 : (1 + places_half[20 - i]) / 2; }

/* beyond 2^500 the slope of the map, 1 / t^2, nearly overflows */
static const double nearest_to_infinity = 0x1p-500;

/* Return t moved strictly inside the interval and, on a map to infinity, away from infinity. Sets
   v->crowded if it moved in an interval with a singular end. */
static double inside(struct interval *v, double t) {
    double low = v->low, high = v->high, kept = t;
    if (!(high > low)) return t;
    if (v->map && t < nearest_to_infinity) kept = fmin(nearest_to_infinity, high);
    if (kept <= low) kept = nextafter(low, high);
    if (kept >= high) kept = nextafter(high, low);
    v->crowded = v->crowded || (kept != t && (v->end_low || v->end_high));
    return kept;
}

/* Return node i, 0..20, as a value of the interval's variable t. *slope receives half of the derivative of
   t by the fraction, computed at the rounded t so that rounding does not matter. */
static double place_of(struct interval *v, int i, double *slope) {
    double length = v->high - v->low;
    *slope = length / 2;
    if (v->power == 1) return inside(v, v->low + length * share_of(i));
    double from_end = length * math_pow(share_of(v->end_low ? i : PLACES - 1 - i), v->power);
    double t = inside(v, v->end_low ? v->low + from_end : v->high - from_end);
    double distance = v->end_low ? t - v->low : v->high - t;
    *slope *= v->power * math_pow(distance / length, 1 - 1.0 / v->power);
    return t;
}

void interval_places(struct interval *v, double *x, double *slope) {
    v->crowded = false;
    for (int i = 0; i < PLACES; i++) {
        double t = place_of(v, i, &slope[i]);
        x[i] = v->map ? v->base + v->map * ((1 - t) / t) : t;
        if (v->map) slope[i] /= t * t;
    }
}

double interval_middle(const struct interval *v) {
    double length = v->high - v->low, half = ldexp(length, -v->power);
    return v->power == 1 || v->end_low ? v->low + half : v->high - half;
}
