/* Initialisers: every row of initialisers.def becomes a function here. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/nn.h>
#include "base/floating.h"

static ty_tensor *spread(ty_place place, double radius) {
    ty_tensor *unit = ty_uniform(place.dtype, place.rank, place.shape, place.key);
    return ty_mul(ty_sub(unit, ty_num(0.5)), ty_num(2 * radius));
}

static ty_tensor *bell(ty_place place, double deviation) {
    return ty_mul(ty_normal(place.dtype, place.rank, place.shape, place.key), ty_num(deviation));
}

#define SPREAD(radius) spread(place, radius)
#define BELL(deviation) bell(place, deviation)
#define INIT(name, value, doc)                                                                               \
    ty_tensor *ty_init_##name(ty_place place, double a, double b) {                                          \
        FLOATING_DEFAULT;                                                                                    \
        (void)a;                                                                                             \
        (void)b;                                                                                             \
        return value;                                                                                        \
    }
#include <tyto/initialisers.def>
