/* Template: the functions of base/math/scalar.h of complex doubles: lane 0 of vectors. Programs for devices contain this
   as text. */
#define ONE_COMPLEX(name)                                                                                    \
    static double _Complex one_c##name(double _Complex z) {                                                  \
        return L(complex_lane)(                                                                              \
            L(complex_##name)((struct L(complex)){L(one)(__real__ z), L(one)(__imag__ z)}), 0);              \
    }
ONE_COMPLEX(sqrt)
ONE_COMPLEX(exp)
ONE_COMPLEX(exp2)
ONE_COMPLEX(expm1)
ONE_COMPLEX(log)
ONE_COMPLEX(log1p)
ONE_COMPLEX(sin)
ONE_COMPLEX(cos)
ONE_COMPLEX(tan)
ONE_COMPLEX(sinh)
ONE_COMPLEX(cosh)
ONE_COMPLEX(tanh)
ONE_COMPLEX(asin)
ONE_COMPLEX(acos)
ONE_COMPLEX(atan)
ONE_COMPLEX(asinh)
ONE_COMPLEX(acosh)
ONE_COMPLEX(atanh)
static double _Complex rare_cpow(double _Complex a, double _Complex b) {
    return one_cexp(math_cmul(b, one_clog(a)));
}
static double _Complex one_cpow(double _Complex a, double _Complex b) {
    L(mask) usual;
    struct L(complex) z = {L(one)(__real__ a), L(one)(__imag__ a)},
                      y = {L(one)(__real__ b), L(one)(__imag__ b)};
    struct L(complex) w = L(complex_pow_usual)(z, y, &usual);
    return AT(usual, 0) ? L(complex_lane)(w, 0) : rare_cpow(a, b);
}
