/* ty::tensor, element types, and spans.  Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_TENSOR_HPP
#define TYTO_CPLUSPLUS_TENSOR_HPP

#include <tyto/cplusplus/error.hpp>

#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

TY_CXX_BEGIN

using dtype = ty_dtype;
inline constexpr dtype i8 = TY_I8, i16 = TY_I16, i32 = TY_I32, i64 = TY_I64;
inline constexpr dtype u8 = TY_U8, u16 = TY_U16, u32 = TY_U32, u64 = TY_U64;
inline constexpr dtype f16 = TY_F16, bf16 = TY_BF16, f32 = TY_F32, f64 = TY_F64;
inline constexpr dtype c64 = TY_C64, c128 = TY_C128, boolean = TY_BOOL;

/* ---- element types ---- */

namespace detail {

/* Recognises std::complex, and classes like it, without <complex>, which is slow to compile. */
template <class T, class = void> struct complex_part { using type = void; };
template <class T>
struct complex_part<T, std::void_t<typename T::value_type, decltype(std::declval<T>().real()),
                                   decltype(std::declval<T>().imag())>> {
    using type =
        std::conditional_t<sizeof(T) == 2 * sizeof(typename T::value_type), typename T::value_type, void>;
};
template <class T>
inline constexpr bool is_complex = std::is_floating_point_v<typename complex_part<T>::type>;
template <class T> inline constexpr bool is_number = std::is_arithmetic_v<T> || is_complex<T>;

template <class T> constexpr dtype integer_dtype() {
    constexpr dtype of_signed[] = {TY_I8, TY_I16, TY_DTYPES, TY_I32, TY_DTYPES, TY_DTYPES, TY_DTYPES, TY_I64};
    constexpr dtype of_unsigned[] = {TY_U8,     TY_U16,    TY_DTYPES, TY_U32,
                                     TY_DTYPES, TY_DTYPES, TY_DTYPES, TY_U64};
    return sizeof(T) > 8 ? TY_DTYPES : (std::is_signed_v<T> ? of_signed : of_unsigned)[sizeof(T) - 1];
}
template <class T> constexpr dtype dtype_or_none() {
    if constexpr (std::is_same_v<T, bool>)
        return TY_BOOL;
    else if constexpr (std::is_integral_v<T>)
        return integer_dtype<T>();
    else if constexpr (std::is_same_v<T, float>)
        return TY_F32;
    else if constexpr (std::is_same_v<T, double>)
        return TY_F64;
    else if constexpr (std::is_same_v<typename complex_part<T>::type, float>)
        return TY_C64;
    else if constexpr (std::is_same_v<typename complex_part<T>::type, double>)
        return TY_C128;
    else
        return TY_DTYPES;
}

} // namespace detail

/* The dtype whose elements are values of T: bool, integers, float, double, std::complex of both. */
template <class T> constexpr dtype dtype_of() {
    constexpr dtype found = detail::dtype_or_none<std::remove_cv_t<T>>();
    static_assert(found != TY_DTYPES, "no dtype has elements of this type: bool, integers, float, double and "
                                      "std::complex of these have one");
    return found;
}

/* ---- spans ---- */

/* A pointer and a number of elements.  std::span converts from it. */
template <class T> class span {
  public:
    using value_type = std::remove_cv_t<T>;
    using element_type = T;
    using iterator = T *;
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return !size_; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/* ---- tensors ---- */

class tensor;
class index;
class rows_iterator;
template <std::size_t N> class part_of;

namespace detail {
template <class T> ty_tensor *weak(T value) noexcept;
tensor take(ty_tensor *x);
} // namespace detail

/* A handle of an n-dimensional array, a promise of one, or (in builds without exceptions) a failed result.  It owns one
   reference or is empty; copying it shares the tensor.  Elements do not change: x += y makes a new tensor. */
class tensor {
  public:
    constexpr tensor() noexcept = default;
    tensor(const tensor &x) noexcept : x_(x.x_ ? ty_retain(x.x_) : nullptr) {}
    tensor(tensor &&x) noexcept : x_(x.x_) { x.x_ = nullptr; }
    tensor &operator=(const tensor &x) &noexcept {
        tensor copy(x);
        swap(copy);
        return *this;
    }
    tensor &operator=(tensor &&x) &noexcept {
        ty_tensor *taken = std::exchange(x.x_, nullptr), *before = std::exchange(x_, taken);
        if (before) ty_release(before);
        return *this;
    }
    /* x(0) = 1 would change a temporary handle and not x: write x.part(0) = 1. */
    tensor &operator=(const tensor &x) && = delete;
    ~tensor() {
        if (x_) ty_release(x_);
    }
    /* Make a weak number, which adopts the dtype of other operands, as a literal does in Python. */
    template <class T, class = std::enable_if_t<detail::is_number<T>>> tensor(T value) : x_(nullptr) {
        *this = detail::take(detail::weak(value));
    }
    void swap(tensor &x) noexcept { std::swap(x_, x.x_); }
    friend void swap(tensor &a, tensor &b) noexcept { a.swap(b); }

    /* ---- from and to C ---- */

    /* Make a handle of one reference that the caller owns, which it takes over. */
    static tensor adopt(ty_tensor *owned) noexcept { return tensor(owned, 0); }
    /* Make a handle with a reference of its own to a tensor that something else owns. */
    static tensor share(ty_tensor *x) noexcept { return tensor(x ? ty_retain(x) : nullptr, 0); }
    /* Return the tensor, which the handle goes on owning; NULL if it is empty. */
    ty_tensor *get() const noexcept { return x_; }
    /* Return the tensor and leave the handle empty: the caller owns the reference. */
    [[nodiscard]] ty_tensor *release() noexcept {
        ty_tensor *x = x_;
        x_ = nullptr;
        return x;
    }

    /* ---- inspection ---- */

    bool empty_handle() const noexcept { return !x_; }
    bool ok() const noexcept { return ty_ok(x_); }
    /* Return the sentence of a failed result, "" of others; it lives as long as the tensor. */
    const char *error_text() const noexcept { return x_ ? ty_error(x_) : ""; }
    ty::dtype dtype() const noexcept { return ty_dtype_of(x_); }
    int rank() const noexcept { return ty_rank(x_); }
    span<const int64_t> shape() const noexcept {
        return {ty_shape(x_), static_cast<std::size_t>(ty_rank(x_))};
    }
    span<const int64_t> strides() const noexcept {
        return {ty_strides(x_), static_cast<std::size_t>(ty_rank(x_))};
    }
    int64_t size() const noexcept { return ty_size(x_); }
    bool is_promise() const noexcept { return ty_is_promise(x_); }
    bool is_contiguous() const noexcept { return ty_is_contiguous(x_); }
    const char *name() const noexcept { return ty_name(x_); }
    /* Set the name of the tensor, for all of its handles. */
    tensor &named(const char *text);

    /* ---- elements ---- */

    /* Return the only element, converted to T. */
    template <class T> T item() const;
    /* Return the element at these indices, converted to T. */
    template <class T, class... I> T at(I... i) const;
    /* Return all elements in row-major order, converted to T. */
    template <class T> std::vector<T> values() const;
    /* Return the elements in memory.  T is the type of the dtype; the tensor is a value, in row-major order.  The span
       is valid as long as the tensor. */
    template <class T> span<const T> data() const;
    /* Return true if the only element is not 0.  Fails for another number of elements. */
    explicit operator bool() const;

    /* ---- indexing: x(0, ty::all, ty::slice(1, {}, 2)) ---- */

    template <class... I> tensor operator()(const I &...items) const;
    tensor operator[](const index &item) const;
#ifdef __cpp_multidimensional_subscript
    template <class... I> tensor operator[](const I &...items) const { return (*this)(items...); }
#endif
    /* Name a part of this handle's tensor, to be assigned: x.part(0, ty::all) = 1 makes x a new tensor. */
    template <class... I> part_of<sizeof...(I)> part(const I &...items);

    /* Go through x[0], x[1], ...: for (tensor row : x).  Fails for a tensor without axes. */
    rows_iterator begin() const;
    rows_iterator end() const;

    tensor cast(ty::dtype to) const;
    template <class T> tensor cast() const { return cast(dtype_of<T>()); }
    tensor eval() const;

  private:
    tensor(ty_tensor *x, int) noexcept : x_(x) {}
    ty_tensor *x_ = nullptr;
};
static_assert(sizeof(tensor) == sizeof(ty_tensor *) && std::is_standard_layout_v<tensor>,
              "arrays of handles are passed as arrays of pointers");

namespace detail {

/* Take the reference to a result of a function, and throw if it is poison. */
inline tensor take(ty_tensor *x) {
    x = ty_own(x);
    TY_ASSUME(x); /* so that destructors need not compare */
#ifndef TY_NO_EXCEPTIONS
    if (!TY_LIKELY(ty_ok(x))) fail(x);
#endif
    return tensor::adopt(x);
}

/* Throw for a poisoned result; return it in builds without exceptions. */
TY_COLD inline tensor refuse(ty_tensor *x) { return take(x); }
/* Throw for a tensor that cannot be read: a failed one, or one whose evaluation fails. */
TY_COLD inline void refuse_unread(ty_tensor *x) {
    if (take((ty_eval)(x)).ok())
        refuse(ty_poison_code(TY_ERROR_MEMORY, "out of memory: a tensor could not be read"));
}

template <class T> ty_tensor *weak(T value) noexcept {
    if constexpr (std::is_same_v<T, bool>)
        return ty_scalar(TY_BOOL, value);
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        return ty_int(value);
    else if constexpr (std::is_integral_v<T>)
        return value > static_cast<uint64_t>(INT64_MAX) ? ty_natural(value)
                                                        : ty_int(static_cast<int64_t>(value));
    else if constexpr (std::is_floating_point_v<T>)
        return ty_num(static_cast<double>(value));
    else
        return ty_complex(static_cast<double>(value.real()), static_cast<double>(value.imag()));
}

/* Throw for a function that failed without a result that says why. */
TY_COLD inline void refuse_count(const char *function) {
    refuse(ty_poison_code(TY_ERROR_ARGUMENT, "%s: the number of results is not valid; expected 0 or more",
                          function));
}
/* Throw for a handle of poison. */
inline void check([[maybe_unused]] tensor &x) {
#ifndef TY_NO_EXCEPTIONS
    if (!TY_LIKELY(x.empty_handle() || x.ok())) fail(x.release());
#endif
}

/* Own n results of a function, the last one first, and throw for the first that is poison. */
inline void take_all(std::size_t n, tensor *results) {
    for (std::size_t i = n; i-- > 0;) {
        ty_tensor *x = results[i].release();
        if (x) results[i] = tensor::adopt(ty_own(x));
    }
    for (std::size_t i = 0; i < n; i++) check(results[i]);
}

/* The array of pointers that an array of handles is: a handle is one pointer. */
inline ty_tensor **pointers(tensor *x) noexcept { return reinterpret_cast<ty_tensor **>(x); }
/* const, too: functions do not write to operands. */
inline ty_tensor *const *pointers(const tensor *x) noexcept {
    return reinterpret_cast<ty_tensor *const *>(x);
}

/* Throw the reason of a failed action.  It is read after the action, so it is passed by reference. */
inline bool done(bool well, ty_tensor *const &reason) {
    if (TY_LIKELY(well)) return true;
    refuse(reason);
    return false;
}

} // namespace detail

/* ---- elements ---- */

inline tensor tensor::cast(ty::dtype to) const { return detail::take((ty_cast)(x_, to)); }
inline tensor tensor::eval() const { return detail::take((ty_eval)(x_)); }

inline tensor &tensor::named(const char *text) {
    ty_tensor *x = (ty_named)(x_, text);
    if (!TY_LIKELY(x == x_)) detail::refuse(x);
    return *this;
}

/* Give x away, as ty_give: t = ty::add(ty::give(t), 1) uses the memory of t.  Returns x. */
inline const tensor &give(const tensor &x) noexcept {
    if (x.get()) (ty_give)(x.get());
    return x;
}

template <class T> T tensor::item() const {
    T value{};
    if (!TY_LIKELY(size() == 1))
        detail::refuse(ty_poison_code(TY_ERROR_SHAPE, "item: the tensor has %lld elements; expected 1",
                                      static_cast<long long>(size())));
    else if (!TY_LIKELY(ty_read(x_, dtype_of<T>(), &value)))
        detail::refuse_unread(x_);
    return value;
}

template <class T> std::vector<T> tensor::values() const {
    if constexpr (std::is_same_v<T, bool>) { /* which packs its elements */
        std::vector<unsigned char> bytes =
            cast(TY_BOOL).template cast<unsigned char>().values<unsigned char>();
        return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
        std::vector<T> values(ok() ? static_cast<std::size_t>(size()) : 0);
        T none{};
        if (!TY_LIKELY(ty_read(x_, dtype_of<T>(), values.empty() ? &none : values.data())))
            detail::refuse_unread(x_);
        return values;
    }
}

template <class T> span<const T> tensor::data() const {
    const char *fault = nullptr;
    if (!ok())
        detail::refuse_unread(x_);
    else if (is_promise())
        fault = "it is a promise, whose value eval() returns";
    else if (!is_contiguous())
        fault = "its elements are not in row-major order; ty::contiguous copies them";
    else if (dtype() != dtype_of<T>())
        fault = "its elements are of another type; cast<T>() converts them";
    if (fault)
        detail::refuse(ty_poison_code(TY_ERROR_STATE, "data of %s as %s: %s", ty_dtype_name(dtype()),
                                      ty_dtype_name(dtype_of<T>()), fault));
    if (fault || !ok()) return {};
    return {static_cast<const T *>(ty_data(x_)), static_cast<std::size_t>(size())};
}

inline tensor::operator bool() const {
    if (TY_LIKELY(size() == 1)) return detail::take((ty_ne)(x_, tensor(0).get())).item<bool>();
    detail::refuse(ty_poison_code(TY_ERROR_SHAPE,
                                  "bool of %lld elements; expected 1: ty::all(x) or ty::any(x) makes one, "
                                  "and & | ~ combine elements",
                                  static_cast<long long>(size())));
    return false;
}

TY_CXX_END
#endif
