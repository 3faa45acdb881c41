/* Intervals of adaptive quadrature: nodes of the Gauss-Kronrod rule, maps of infinite ranges, singular
   ends. */
#ifndef NUMERIC_QUAD_INTERVAL_H
#define NUMERIC_QUAD_INTERVAL_H
#include <stdbool.h>
#include <stdint.h>

enum { PLACES = 21 };

/*
 * An interval of the variable t. t is x if `map` is 0; else x = base + map (1 - t) / t, where t = 0 is an
 * infinite end. A `power` above 1 places nodes at t = end -+ length s^power. That makes a root or a logarithm
 * of the distance smooth in s.
 */
struct interval {
    double low, high; /* limits of t */
    double base;
    int map, power;
    bool end_low, end_high; /* is an end of the range or one of the caller's points */
    int level;              /* number of halvings towards its end */
    bool tried;             /* other powers were tried */
    double error;
    bool settled; /* halving cannot improve it: rounding dominates or it is too short */
    /* Nodes next to the end collide in doubles and were moved inwards. */
    bool crowded;
    double *value; /* `width` integrals */
};

/* Fill x[PLACES] with nodes and slope[PLACES] with half of dx by d(fraction). No node is an end. */
void interval_places(struct interval *v, double *x, double *slope);
/* Return the value of t at which the interval is halved. */
double interval_middle(const struct interval *v);
/* Return the weight of node i, 0..20, in Kronrod's rule on -1..1. */
double kronrod_weight(int i);
/* Return the weight of node i, 0..20, in Gauss's rule on -1..1; 0 if it is none of its nodes. */
double gauss_weight(int i);
#endif
