/* Numbers of options, where 0 means the default and -0 (TY_ZERO) 0 itself. */
#ifndef NN_OPTION_H
#define NN_OPTION_H
#include <math.h>

static inline double option_or(double given, double other) {
    return given != 0 || signbit(given) ? given + 0.0 : other;
}
#endif
