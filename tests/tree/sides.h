/* For the build of ./dev thresholds: comparisons that note which side they were on.  thresholds.awk writes TY_SIDE around each. */
#ifndef TY_SIDES_H
#define TY_SIDES_H
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wshadow"

/* A byte for each comparison: 1 where the left side was less, 2 equal, 4 greater. */
extern unsigned char *ty_sides __attribute__((visibility("default")));

#define TY_SIDE(place, a, op, b)                                                                             \
    ({                                                                                                       \
        __auto_type ty_a = +(a);                                                                             \
        __auto_type ty_b = +(b);                                                                             \
        unsigned char ty_bit = ty_a < ty_b ? 1 : ty_a == ty_b ? 2 : 4;                                       \
        if (!(ty_sides[place] & ty_bit)) __atomic_fetch_or(ty_sides + (place), ty_bit, __ATOMIC_RELAXED);    \
        ty_a op ty_b;                                                                                        \
    })
#endif
