/* The table of base/math/scalar.h: functions with FMA instructions if the processor has them, else with fma(). */
#include "base/math/scalar.h"

#include "base/machine/isa.h"

extern const struct scalar_math scalar_base;
#ifdef TY_ISA_AVX2
extern const struct scalar_math scalar_avx2;
static const struct scalar_math *in_use(void) {
    return isa_current() == ISA_BASE ? &scalar_base : &scalar_avx2;
}
#else
static const struct scalar_math *in_use(void) { return &scalar_base; }
#endif

#define SCALAR1(name)                                                                                        \
    static double run_##name(double x) { return in_use()->name(x); }
#define SCALAR2(name)                                                                                        \
    static double run_##name(double a, double b) { return in_use()->name(a, b); }
#define COMPLEX1(name)                                                                                       \
    static double _Complex run_##name(double _Complex x) { return in_use()->name(x); }
#define COMPLEX2(name)                                                                                       \
    static double _Complex run_##name(double _Complex a, double _Complex b) { return in_use()->name(a, b); }
#include "base/math/scalar.def"

const struct scalar_math scalar_math = {
#define SCALAR1(name) .name = run_##name,
#define SCALAR2(name) .name = run_##name,
#define COMPLEX1(name) .name = run_##name,
#define COMPLEX2(name) .name = run_##name,
#include "base/math/scalar.def"
};
