/* Macros of an element type for templates. ELEMENT is 0 for f32, 1 for f64, 2 for c64, 3 for c128. No include
   guard: it is included before each template, which undefines its macros. */
#undef T
#undef R
#undef COMPLEX
#undef NAME
#undef MADD
#undef ABS
#undef SQRT
#undef FREXP
#undef LDEXP
#undef COPYSIGN
#undef LEAST_POWER
#if ELEMENT == 0 || ELEMENT == 2
#define R float
#define MADD madd_scalar_f32
#define ABS fabsf
#define SQRT sqrtf
#define FREXP frexpf
#define LDEXP ldexpf
#define COPYSIGN copysignf
#define LEAST_POWER (-120) /* 2^120 does not overflow */
#else
#define R double
#define MADD madd_scalar_f64
#define ABS fabs
#define SQRT sqrt
#define FREXP frexp
#define LDEXP ldexp
#define COPYSIGN copysign
#define LEAST_POWER (-1000)
#endif
#if ELEMENT == 0
#define T float
#define COMPLEX 0
#define NAME(x) f32_##x
#elif ELEMENT == 1
#define T double
#define COMPLEX 0
#define NAME(x) f64_##x
#elif ELEMENT == 2
#define T float _Complex
#define COMPLEX 1
#define NAME(x) c64_##x
#else
#define T double _Complex
#define COMPLEX 1
#define NAME(x) c128_##x
#endif
