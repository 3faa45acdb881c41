/* Element types in C11 and C++11: ty_from, ty_from_strided, ty_borrow and ty_read compare the C type of the
   elements with the dtype.  A constant dtype that does not fit is a compile error, any other gives poison (ty_read:
   false).  Unchecked: `void *`, and `char *` with a dtype that is not constant; (ty_from)(...), C99, TY_UNTYPED. */
#ifndef TYTO_CORE_H
#include <tyto/core.h> /* which includes this header */
#elif !defined(TYTO_TYPED_H)
#define TYTO_TYPED_H

/* Sets of dtypes that a C type fits: bit d: dtype d; TY_DTYPES: all C types of elements; TY_DTYPES + 1: bytes.
   Dtypes for storage count as U8. */
#define TY_FITS_(dtype) (1 << TY_DTYPES | 1 << (dtype))
#define TY_FITS_ALL_ ((4 << TY_DTYPES) - 1)
#define TY_FITS_CHAR_ (2 << TY_DTYPES | TY_FITS_(TY_I8) | TY_FITS_(TY_U8) | TY_FITS_(TY_BOOL))
#define TY_FITS_BYTE_ (TY_FITS_(TY_U8) | TY_FITS_(TY_BOOL)) /* bytes that are not 0 count as true */
#define TY_FITS_U16_ (TY_FITS_(TY_U16) | TY_FITS_(TY_F16) | TY_FITS_(TY_BF16))
#define TY_FITS_INT_(type) TY_FITS_(sizeof(type) == 4 ? TY_I32 : TY_I64)
#define TY_FITS_UINT_(type) TY_FITS_(sizeof(type) == 4 ? TY_U32 : TY_U64)

/* All C types of elements but void: TYPE(type, set of dtypes). */
#define TY_ELEMENT_TYPES_(TYPE)                                                                              \
    TYPE(char, TY_FITS_CHAR_)                                                                                \
    TYPE(signed char, TY_FITS_(TY_I8))                                                                       \
    TYPE(unsigned char, TY_FITS_BYTE_)                                                                       \
    TYPE(short, TY_FITS_(TY_I16))                                                                            \
    TYPE(unsigned short, TY_FITS_U16_)                                                                       \
    TYPE(int, TY_FITS_INT_(int))                                                                             \
    TYPE(unsigned, TY_FITS_UINT_(unsigned))                                                                  \
    TYPE(long, TY_FITS_INT_(long))                                                                           \
    TYPE(unsigned long, TY_FITS_UINT_(unsigned long))                                                        \
    TYPE(ty_longest_, TY_FITS_(TY_I64))                                                                      \
    TYPE(ty_ulongest_, TY_FITS_(TY_U64))                                                                     \
    TYPE(float, TY_FITS_(TY_F32))                                                                            \
    TYPE(double, TY_FITS_(TY_F64))                                                                           \
    TY_ELEMENT_BOOL_(TYPE)                                                                                   \
    TY_ELEMENT_COMPLEX_(TYPE)                                                                                \
    TY_ELEMENT_HALF_(TYPE)                                                                                   \
    TY_ELEMENT_BRAIN_(TYPE)

#ifdef __GNUC__
__extension__ typedef long long ty_longest_;
__extension__ typedef unsigned long long ty_ulongest_;
#else
typedef long long ty_longest_;
typedef unsigned long long ty_ulongest_;
#endif

#ifdef __cplusplus
#define TY_ELEMENT_BOOL_(TYPE) TYPE(bool, TY_FITS_(TY_BOOL))
#else
#define TY_ELEMENT_BOOL_(TYPE) TYPE(_Bool, TY_FITS_(TY_BOOL))
#endif

#if defined(__GNUC__) && (defined(__cplusplus) || !defined(__STDC_NO_COMPLEX__))
__extension__ typedef float _Complex ty_complex_float_;
__extension__ typedef double _Complex ty_complex_double_;
#elif !defined(__cplusplus) && !defined(__STDC_NO_COMPLEX__)
typedef float _Complex ty_complex_float_;
typedef double _Complex ty_complex_double_;
#else
#define TY_ELEMENT_COMPLEX_(TYPE)
#endif
#ifndef TY_ELEMENT_COMPLEX_
#define TY_ELEMENT_COMPLEX_(TYPE)                                                                            \
    TYPE(ty_complex_float_, TY_FITS_(TY_C64))                                                                \
    TYPE(ty_complex_double_, TY_FITS_(TY_C128))
#endif

/* _Float16 and __bf16, by the macros of their limits; clang before 15 defines those without the type. */
#if defined(__FLT16_MAX__) && (!defined(__clang_major__) || __clang_major__ >= 15)
__extension__ typedef _Float16 ty_half_;
#define TY_ELEMENT_HALF_(TYPE) TYPE(ty_half_, TY_FITS_(TY_F16))
#else
#define TY_ELEMENT_HALF_(TYPE)
#endif
#ifdef __BFLT16_MAX__
__extension__ typedef __bf16 ty_brain_;
#define TY_ELEMENT_BRAIN_(TYPE) TYPE(ty_brain_, TY_FITS_(TY_BF16))
#else
#define TY_ELEMENT_BRAIN_(TYPE)
#endif

#define TY_MISFIT_                                                                                           \
    "the element type of the data does not fit the dtype (TY_F32: float, TY_F64: double, TY_I64: int64_t, "  \
    "...); "                                                                                                 \
    "change one of them, or cast the data to (void *) to pass bytes unchecked"

/* Wraps the calls; <tyto/places.h> notes the source line here. */
#define TY_TYPED_CALL_(call) call

#if defined(TY_UNTYPED)
#elif defined(__cplusplus)
#define TY_TYPED

template <typename A, typename B> struct ty_same_ {
    enum { value = 0 };
};
template <typename A> struct ty_same_<A, A> {
    enum { value = 1 };
};

/* The set of dtypes that T fits, 0 if T is no element of a tensor.  Classes with value_type and imag() count as
   std::complex; arrays of arrays fit as their innermost elements do. */
template <typename T> struct ty_fits_ {
    template <typename C, int = sizeof(static_cast<C *>(nullptr)->imag())>
    static ty_same_<typename C::value_type, float> single(C *);
    static ty_same_<T, void> single(...);
    template <typename C, int = sizeof(static_cast<C *>(nullptr)->imag())>
    static ty_same_<typename C::value_type, double> twice(C *);
    static ty_same_<T, void> twice(...);
    enum {
        value = decltype(single(static_cast<T *>(nullptr)))::value  ? TY_FITS_(TY_C64)
                : decltype(twice(static_cast<T *>(nullptr)))::value ? TY_FITS_(TY_C128)
                                                                    : 0
    };
};
template <typename T, unsigned long N> struct ty_fits_<T[N]> : ty_fits_<T> {};
template <> struct ty_fits_<void> {
    enum { value = TY_FITS_ALL_ };
};
#define TY_FITS_OF_(type, set)                                                                               \
    template <> struct ty_fits_<type> {                                                                      \
        enum { value = set };                                                                                \
    };
TY_ELEMENT_TYPES_(TY_FITS_OF_)
#undef TY_FITS_OF_

/* Calls f, one of the plain functions, where D is the dtype if that is constant, else TY_DTYPES. */
template <int D> struct ty_typed_ {
    template <typename T> static ty_dtype check(ty_dtype dtype) {
        static_assert(ty_fits_<T>::value >> D & 1, TY_MISFIT_);
        return D == TY_DTYPES ? ty_dtype_for(dtype, ty_fits_<T>::value) : dtype;
    }
    template <typename F, typename T>
    static ty_tensor *from(F f, ty_dtype dtype, int rank, const int64_t *shape, const T *data) {
        return f(check<T>(dtype), rank, shape, data);
    }
    template <typename F>
    static ty_tensor *from(F f, ty_dtype dtype, int rank, const int64_t *shape, const void *data) {
        return f(dtype, rank, shape, data);
    }
    template <typename F, typename T>
    static ty_tensor *from_strided(F f, ty_dtype dtype, int rank, const int64_t *shape,
                                   const int64_t *strides, const T *data) {
        return f(check<T>(dtype), rank, shape, strides, data);
    }
    template <typename F>
    static ty_tensor *from_strided(F f, ty_dtype dtype, int rank, const int64_t *shape,
                                   const int64_t *strides, const void *data) {
        return f(dtype, rank, shape, strides, data);
    }
    template <typename F, typename T>
    static ty_tensor *borrow(F f, ty_dtype dtype, int rank, const int64_t *shape, T *data,
                             void (*done)(void *context, void *data), void *context) {
        return f(check<T>(dtype), rank, shape, data, done, context);
    }
    template <typename F>
    static ty_tensor *borrow(F f, ty_dtype dtype, int rank, const int64_t *shape, void *data,
                             void (*done)(void *context, void *data), void *context) {
        return f(dtype, rank, shape, data, done, context);
    }
    template <typename F, typename T, typename... Rest>
    static bool read(F f, ty_tensor *x, ty_dtype dtype, T *out, Rest... rest) {
        return f(x, check<T>(dtype), out, rest...);
    }
    template <typename F, typename... Rest>
    static bool read(F f, ty_tensor *x, ty_dtype dtype, void *out, Rest... rest) {
        return f(x, dtype, out, rest...);
    }
};
#ifdef __GNUC__
#define TY_TYPED_(dtype)                                                                                     \
    ty_typed_<(__builtin_constant_p(dtype) ? TY_BOUNDED_(dtype) : static_cast<int>(TY_DTYPES))>
#else
#define TY_TYPED_(dtype) ty_typed_<TY_DTYPES>
#endif
#define TY_BOUNDED_(dtype)                                                                                   \
    (static_cast<unsigned>(dtype) < TY_DTYPES                           ? static_cast<int>(dtype)            \
     : static_cast<unsigned>(dtype) - 1 - TY_DTYPES < TY_U2 - TY_DTYPES ? static_cast<int>(TY_U8)            \
                                                                        : static_cast<int>(TY_DTYPES))

#define TY_TYPED_FROM_(dtype, ...) TY_TYPED_(dtype)::from((ty_from), dtype, __VA_ARGS__)
#define TY_TYPED_FROM_STRIDED_(dtype, ...)                                                                   \
    TY_TYPED_(dtype)::from_strided((ty_from_strided), dtype, __VA_ARGS__)
#define TY_TYPED_BORROW_(dtype, ...) TY_TYPED_(dtype)::borrow((ty_borrow), dtype, __VA_ARGS__)
#define TY_TYPED_READ_(x, dtype, ...) TY_TYPED_(dtype)::read((ty_read), x, dtype, __VA_ARGS__)

#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TY_TYPED

/* The last argument, as the operand of _Generic: the value of a comma expression.  Arguments are not split, as
   commas in (float[]){1, 2} would be taken for more of them. */
#if defined(__GNUC__) && !defined(__clang__)
#define TY_LAST_(...)                                                                                        \
    __extension__({                                                                                          \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-value\"")(__VA_ARGS__);    \
        _Pragma("GCC diagnostic pop")                                                                        \
    })
#else
#define TY_LAST_(...) (__VA_ARGS__)
#endif
#if __STDC_VERSION__ >= 202311L
#define TY_NULLPTR_(value) typeof(nullptr) : value,
#else
#define TY_NULLPTR_(value)
#endif

/* The set of dtypes that the elements at the last argument fit.  An array of arrays counts by its innermost elements,
   to a depth of three; pointers to pointers do not fit.  *TY_ROW_ is its first row, where it has rows. */
#define TY_FITS_OF_(type, set) , type * : set, const type * : set
#define TY_FITS_NONE_(type, set) , type ** : 0, const type ** : 0, type *const * : 0, const type *const * : 0
#define TY_NO_ROW_(type, set)                                                                                \
    type:                                                                                                    \
    (char *)0,
#define TY_FITS_OF_LAST_(...)                                                                                \
    _Generic(TY_LAST_(__VA_ARGS__), TY_NULLPTR_(TY_FITS_ALL_) TY_VOID_(TY_FITS_ALL_), default                \
             : _Generic(*TY_ROW_(__VA_ARGS__), default                                                       \
                        : _Generic(*TY_ROW_OF_ROW_(__VA_ARGS__), default : 0 TY_ELEMENT_TYPES_(TY_FITS_OF_)) \
                            TY_ELEMENT_TYPES_(TY_FITS_OF_) TY_ELEMENT_TYPES_(TY_FITS_NONE_))                 \
                 TY_ELEMENT_TYPES_(TY_FITS_OF_) TY_ELEMENT_TYPES_(TY_FITS_NONE_))
#define TY_VOID_(value) void * : value, const void * : value
#define TY_ROW_(...)                                                                                         \
    _Generic(TY_LAST_(__VA_ARGS__), TY_NULLPTR_((char *)0) TY_VOID_((char *)0), default                      \
             : TY_LAST_(__VA_ARGS__))
#define TY_ROW_OF_ROW_(...)                                                                                  \
    _Generic(*TY_ROW_(__VA_ARGS__), TY_ELEMENT_TYPES_(TY_NO_ROW_) long double                                \
             : (char *)0, default                                                                            \
             : *TY_ROW_(__VA_ARGS__))

/* `dtype`, evaluated once, if it fits, else a compile error or, if it is not constant, a dtype that is refused.
   (void *) of a constant 0 is a null pointer, so that the conditional has the type of its other operand. */
#define TY_IF_CONSTANT_(dtype, constant, other)                                                              \
    _Generic((1 ? (void *)((intptr_t)(dtype)*0) : (int *)0), int * : (constant), default : (other))
#define TY_BOUNDED_(dtype)                                                                                   \
    ((unsigned)(dtype) < TY_DTYPES                                              ? (unsigned)(dtype)          \
     : (unsigned)(dtype)-1u - TY_DTYPES < (unsigned)TY_U2 - (unsigned)TY_DTYPES ? (unsigned)TY_U8            \
                                                                                : (unsigned)TY_DTYPES)
#define TY_CHECKED_(dtype, fits)                                                                             \
    (TY_DEMAND_(TY_LITERAL_OF_((fits) >> TY_IF_CONSTANT_(dtype, TY_BOUNDED_(dtype), 0u + TY_DTYPES) & 1)),   \
     TY_IF_CONSTANT_(dtype, dtype, ty_dtype_for(dtype, fits)))
/* Clang takes compound literals in a struct's assertion for static ones, whose elements must be constant. */
#ifdef __clang__
#define TY_DEMAND_(condition)                                                                                \
    __extension__({                                                                                          \
        _Static_assert(condition, TY_MISFIT_);                                                               \
        (void)0;                                                                                             \
    })
#else
#define TY_DEMAND_(condition)                                                                                \
    (void)sizeof(struct {                                                                                    \
        _Static_assert(condition, TY_MISFIT_);                                                               \
        char checked;                                                                                        \
    })
#endif
/* 0 or 1 as a literal, so that clang does not print the expression in its message. */
#define TY_LITERAL_OF_(bit) _Generic((char(*)[1 + (bit)])0, char(*)[1] : 0, char(*)[2] : 1)

#define TY_TYPED_FROM_(dtype, ...) (ty_from)(TY_CHECKED_(dtype, TY_FITS_OF_LAST_(__VA_ARGS__)), __VA_ARGS__)
#define TY_TYPED_FROM_STRIDED_(dtype, ...)                                                                   \
    (ty_from_strided)(TY_CHECKED_(dtype, TY_FITS_OF_LAST_(__VA_ARGS__)), __VA_ARGS__)
#define TY_TYPED_BORROW_(dtype, ...) TY_TYPED_LOAN_(dtype, __VA_ARGS__)
#define TY_TYPED_LOAN_(dtype, rank, shape, data, ...)                                                        \
    (ty_borrow)(TY_CHECKED_(dtype, TY_FITS_OF_LAST_(data)), rank, shape, data, __VA_ARGS__)
#define TY_TYPED_READ_(x, dtype, ...)                                                                        \
    (ty_read)(x, TY_CHECKED_(dtype, TY_FITS_OF_LAST_(__VA_ARGS__)), __VA_ARGS__)
#endif
#endif
