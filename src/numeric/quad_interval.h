/* Intervals of adaptive quadrature: the places of Gauss's and Kronrod's rules, maps of infinite ranges, ends where f is infinite. */
#ifndef NUMERIC_QUAD_INTERVAL_H
#define NUMERIC_QUAD_INTERVAL_H
#include <stdbool.h>
#include <stdint.h>

enum { PLACES = 21 };

/*
 * An interval of the variable t.  t is x where `map` is 0, else x = base + map (1 - t) / t: t = 0 is an infinite end.  `power` above 1
 * places nodes by powers of the distance from one end, t = end -+ length s^power, which makes a root or a logarithm of that distance
 * smooth in s.
 */
struct interval {
    double low, high; /* of t */
    double base;
    int map, power;
    bool end_low, end_high; /* which of both is an end of the range, or one of the caller's points */
    int level;              /* how often it was halved towards its end */
    bool tried;             /* other powers were tried */
    double error;
    bool settled; /* halving it tells no more: the error is that of rounding, or it is too short */
    bool
        crowded; /* places next to the end are too close for doubles, so they are nearer to the middle than they should */
    double *value; /* `width` numbers */
};

/* Fills x[PLACES] and slope[PLACES]: dx by d(share), times half.  No place is an end. */
void interval_places(struct interval *v, double *x, double *slope);
/* Where it is halved. */
double interval_middle(const struct interval *v);
/* Kronrod's and Gauss's weights of a place. */
double kronrod_weight(int i);
double gauss_weight(int i);
#endif
