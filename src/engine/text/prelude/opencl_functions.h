/*
 * Text: functions of OpenCL C that programs call, declared here if the compiler's own header is left out. That has
 * 18,000 lines, which PoCL reads twice for each program.
 */
#define PURE_FUNCTION __attribute__((overloadable, const))
#define READING_FUNCTION __attribute__((overloadable, pure))
#define FUNCTIONS_OF(real, whole)                                                                            \
    real PURE_FUNCTION fabs(real);                                                                           \
    real PURE_FUNCTION sqrt(real);                                                                           \
    real PURE_FUNCTION floor(real);                                                                          \
    real PURE_FUNCTION ceil(real);                                                                           \
    real PURE_FUNCTION trunc(real);                                                                          \
    real PURE_FUNCTION rint(real);                                                                           \
    real PURE_FUNCTION round(real);                                                                          \
    real PURE_FUNCTION fma(real, real, real);                                                                \
    real PURE_FUNCTION fmod(real, real);                                                                     \
    real PURE_FUNCTION fmin(real, real);                                                                     \
    real PURE_FUNCTION fmax(real, real);                                                                     \
    real PURE_FUNCTION copysign(real, real);                                                                 \
    real PURE_FUNCTION nextafter(real, real);                                                                \
    real PURE_FUNCTION ldexp(real, int);                                                                     \
    int PURE_FUNCTION ilogb(real);                                                                           \
    real __attribute__((overloadable)) frexp(real, __private int *);                                         \
    int PURE_FUNCTION isnan(real);                                                                           \
    int PURE_FUNCTION isinf(real);                                                                           \
    int PURE_FUNCTION isfinite(real);                                                                        \
    int PURE_FUNCTION signbit(real);                                                                         \
    VECTOR_FUNCTIONS(real##2, whole##2)                                                                      \
    VECTOR_FUNCTIONS(real##4, whole##4)                                                                      \
    VECTOR_FUNCTIONS(real##8, whole##8)                                                                      \
    VECTOR_FUNCTIONS(real##16, whole##16)                                                                    \
    MEMORY_FUNCTIONS_OF(real)
#define VECTOR_FUNCTIONS(vector, mask)                                                                       \
    vector PURE_FUNCTION fabs(vector);                                                                       \
    vector PURE_FUNCTION sqrt(vector);                                                                       \
    vector PURE_FUNCTION floor(vector);                                                                      \
    vector PURE_FUNCTION ceil(vector);                                                                       \
    vector PURE_FUNCTION trunc(vector);                                                                      \
    vector PURE_FUNCTION rint(vector);                                                                       \
    vector PURE_FUNCTION fma(vector, vector, vector);                                                        \
    vector PURE_FUNCTION copysign(vector, vector);                                                           \
    vector PURE_FUNCTION select(vector, vector, mask);
#define MEMORY_FUNCTIONS(type, n)                                                                            \
    type##n READING_FUNCTION vload##n(size_t, const __private type *);                                       \
    type##n READING_FUNCTION vload##n(size_t, const __global type *);                                        \
    type##n READING_FUNCTION vload##n(size_t, const __constant type *);                                      \
    void __attribute__((overloadable)) vstore##n(type##n, size_t, __private type *);                         \
    void __attribute__((overloadable)) vstore##n(type##n, size_t, __global type *);
#define MEMORY_FUNCTIONS_OF(type)                                                                            \
    MEMORY_FUNCTIONS(type, 2) MEMORY_FUNCTIONS(type, 4) MEMORY_FUNCTIONS(type, 8) MEMORY_FUNCTIONS(type, 16)
#define WHOLE_FUNCTIONS(vector)                                                                              \
    int PURE_FUNCTION any(vector);                                                                           \
    vector PURE_FUNCTION select(vector, vector, vector);

size_t PURE_FUNCTION get_global_id(uint);
int __attribute__((overloadable)) atomic_max(volatile __global int *, int);
uint __attribute__((overloadable)) atomic_max(volatile __global uint *, uint);
ulong PURE_FUNCTION clz(ulong);
ulong PURE_FUNCTION mul_hi(ulong, ulong);
FUNCTIONS_OF(float, int)
#if HAS_F64
FUNCTIONS_OF(double, long)
#endif
WHOLE_FUNCTIONS(int2)
WHOLE_FUNCTIONS(int4)
WHOLE_FUNCTIONS(int8)
WHOLE_FUNCTIONS(int16)
WHOLE_FUNCTIONS(long2)
WHOLE_FUNCTIONS(long4)
WHOLE_FUNCTIONS(long8)
WHOLE_FUNCTIONS(long16)
MEMORY_FUNCTIONS_OF(char)
MEMORY_FUNCTIONS_OF(uchar)
MEMORY_FUNCTIONS_OF(short)
MEMORY_FUNCTIONS_OF(ushort)
MEMORY_FUNCTIONS_OF(int)
MEMORY_FUNCTIONS_OF(uint)
MEMORY_FUNCTIONS_OF(long)
MEMORY_FUNCTIONS_OF(ulong)
