/* Finds constants in numbers. */
#include "notation/constants.h"
#include <math.h>
#include <string.h>

#define MATHML_LOG(of) "<mrow><mi>log</mi><mo>&#x2061;</mo><mo>(</mo><mn>" of "</mn><mo>)</mo></mrow>"
static const struct constant constants[] = {
#define CONSTANT(value, letter, name, ascii, text, latex, mathml)                                            \
    {value, letter, {name, {text, ascii, latex, mathml}}},
#include "notation/constants.def"
};
enum { CONSTANTS = sizeof constants / sizeof *constants };

/*
 * Accuracy of dtypes in whose numbers constants are looked for.  `rounding` is that of a number and a quotient, relative.
 * `most` bounds above * below, so that few numbers seem to have a constant by chance: less than one in 2,000 numbers
 * of f32, by the number of quotients times the rounding.
 */
static const struct accuracy {
    ty_dtype dtype;
    double rounding, most;
} accuracies[] = {{TY_F64, 0x1p-51, 100}, {TY_F32, 0x1p-22, 12}};

static const struct accuracy *accuracy_of(ty_dtype dtype) {
    for (size_t i = 0; i < sizeof accuracies / sizeof *accuracies; i++)
        if (accuracies[i].dtype == dtype) return &accuracies[i];
    return NULL;
}

const struct constant *constant_in(ty_dtype dtype, double number, bool divides, double *above,
                                   double *below) {
    const struct accuracy *a = accuracy_of(dtype);
    for (int i = 0; i < CONSTANTS && a; i++) {
        double quotient = divides ? number * constants[i].value : number / constants[i].value;
        for (double q = 1; q <= a->most && quotient <= a->most; q++) {
            double p = nearbyint(quotient * q);
            if (p == 0 || p * q > a->most || fabs(quotient * q - p) > a->rounding * p) continue;
            *above = p, *below = q;
            return &constants[i];
        }
    }
    return NULL;
}

const struct constant *constant_equal(ty_dtype dtype, double value) {
    for (int i = 0; i < CONSTANTS && accuracy_of(dtype); i++) {
        double constant = constants[i].value;
        if (value == (dtype == TY_F32 ? (double)(float)constant : constant)) return &constants[i];
    }
    return NULL;
}

const struct constant *constant_spelled(const char *name) {
    for (int i = 0; i < CONSTANTS; i++)
        if (!strcmp(constants[i].symbol.name, name)) return &constants[i];
    return NULL;
}
