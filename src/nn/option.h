/* Return an option's number: `other`, the default, if it is 0; 0 if it is -0 (TY_ZERO). */
#ifndef NN_OPTION_H
#define NN_OPTION_H
#include <math.h>

static inline double option_or(double given, double other) {
    return given != 0 || signbit(given) ? given + 0.0 : other;
}
#endif
