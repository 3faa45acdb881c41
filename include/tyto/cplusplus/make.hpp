/* Tensors of the caller's elements: nested lists, containers, pointers, borrowed memory, DLPack; and calls of any
   function of C.  Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_MAKE_HPP
#define TYTO_CPLUSPLUS_MAKE_HPP

#include <tyto/cplusplus/arguments.hpp>

TY_CXX_BEGIN

/* ---- calls of any function of C ---- */

namespace detail {

template <class T> const T &argument(const T &x) noexcept { return x; }
inline ty_tensor *argument(const tensor &x) noexcept { return x.get(); }
inline ty_axes argument(const axes &x) noexcept { return x.get(); }
inline const char *argument(const cstring &x) noexcept { return x.get(); }
inline const char *argument(const std::string &x) noexcept { return x.c_str(); }

} // namespace detail

/* Call a function of C with tensors, axes and texts converted, and return its result: a tensor if it makes one, else
   the result itself.  For functions that have no form of their own in C++. */
template <class R, class... P, class... A> auto call(R (*function)(P...), A &&...arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "the function has another number of parameters");
    if constexpr (std::is_same_v<R, ty_tensor *>)
        return detail::take(function(detail::argument(arguments)...));
    else
        return function(detail::argument(arguments)...);
}

/* ---- elements ---- */

/* Make a tensor of the shape with a copy of the row-major elements at `data`. */
template <class T> tensor from(const T *data, const shape_list &shape) {
    return detail::take((ty_from)(dtype_of<T>(), shape.count(), shape.data(), data));
}

namespace detail {

/* Throw unless a shape has `size` elements.  Returns an empty handle if it has, else poison. */
inline tensor misfit(std::size_t size, const shape_list &shape) {
    unsigned long long elements = 1;
    bool overflows = false;
    for (std::size_t i = 0; i < shape.size(); i++) {
        unsigned long long n = shape.data()[i] < 0 ? 0 : static_cast<unsigned long long>(shape.data()[i]);
        overflows |= n && elements > UINT64_MAX / n;
        elements *= n;
    }
    if (TY_LIKELY(!overflows && elements == size)) return {};
    return refuse(ty_poison_code(TY_ERROR_SHAPE,
                                 "from: %llu elements; expected %llu, as many as the shape has",
                                 static_cast<unsigned long long>(size), elements));
}

} // namespace detail

/* Make a vector of a container's elements: a std::vector, std::array, std::span, ... */
template <class C, class T = std::remove_pointer_t<decltype(std::declval<const C &>().data())>>
tensor from(const C &elements) {
    const int64_t size = static_cast<int64_t>(elements.size());
    return detail::take((ty_from)(dtype_of<T>(), 1, &size, elements.data()));
}
/* Make a vector of an array's elements: double x[3]. */
template <class T, std::size_t N> tensor from(const T (&elements)[N]) {
    return from(elements, {static_cast<int64_t>(N)});
}
/* Make a tensor of the shape of a container's elements, as many as the shape has. */
template <class C, class T = std::remove_pointer_t<decltype(std::declval<const C &>().data())>>
tensor from(const C &elements, const shape_list &shape) {
    tensor fault = detail::misfit(elements.size(), shape);
    if (!TY_LIKELY(fault.empty_handle())) return fault;
    return detail::take((ty_from)(dtype_of<T>(), shape.count(), shape.data(), elements.data()));
}

/* Make a tensor of bools, which std::vector packs: it has no address of its elements. */
inline tensor from(const std::vector<bool> &elements, const shape_list &shape) {
    const std::vector<unsigned char> bytes(elements.begin(), elements.end());
    tensor fault = detail::misfit(bytes.size(), shape);
    if (!TY_LIKELY(fault.empty_handle())) return fault;
    return detail::take((ty_from)(TY_BOOL, shape.count(), shape.data(), bytes.data()));
}
inline tensor from(const std::vector<bool> &elements) {
    return from(elements, {static_cast<int64_t>(elements.size())});
}

/* A number or nested lists of numbers, such as {{1, 2}, {3, 4}}; lives during one expression. */
template <class T> class nested {
  public:
    template <class U, class = std::enable_if_t<std::is_convertible_v<U, T> && detail::is_number<U> &&
                                                !(std::is_floating_point_v<U> && std::is_integral_v<T>)>>
    nested(U value) : value_(converted(value)) {}
    nested(std::initializer_list<nested> items) noexcept : size_(items.size()), leaf_(false) {
        items_ = items.begin();
    }

    /* Append the sizes of this level and of those inside, by the first of each. */
    void measure(std::vector<int64_t> &shape) const {
        if (leaf_) return;
        shape.push_back(static_cast<int64_t>(size_));
        if (size_) items_->measure(shape);
    }
    /* Copy the numbers to `to`.  Returns the tensor that says where lists differ in length; empty if none does. */
    template <class S> tensor copy(const std::vector<int64_t> &shape, std::size_t depth, S *&to) const {
        if (leaf_ != (depth == shape.size()) || (!leaf_ && static_cast<int64_t>(size_) != shape[depth]))
            return uneven(shape, depth);
        if (leaf_) *to++ = static_cast<S>(value_);
        for (std::size_t i = 0; i < size_; i++) {
            tensor fault = items_[i].copy(shape, depth + 1, to);
            if (!fault.empty_handle()) return fault;
        }
        return {};
    }

  private:
    tensor uneven(const std::vector<int64_t> &shape, std::size_t depth) const {
        if (leaf_ || depth == shape.size())
            return detail::refuse(ty_poison_code(
                TY_ERROR_SHAPE, "array: a %s at depth %d; expected a %s, as the first one",
                leaf_ ? "number" : "list", static_cast<int>(depth), leaf_ ? "list" : "number"));
        return detail::refuse(ty_poison_code(
            TY_ERROR_SHAPE, "array: a list of %lld at depth %d; expected %lld, as the first one has",
            static_cast<long long>(size_), static_cast<int>(depth), static_cast<long long>(shape[depth])));
    }
    template <class U> static T converted(U value) {
        if constexpr (detail::is_complex<T> && std::is_arithmetic_v<U>)
            return T(static_cast<typename T::value_type>(value));
        else
            return static_cast<T>(value);
    }
    T value_{};
    const nested *items_ = nullptr;
    std::size_t size_ = 0;
    bool leaf_ = true;
};

/* Make a tensor of nested lists, which are equally long at each depth: array<float>({{1, 2}, {3, 4}}). */
template <class T> tensor array(const nested<T> &numbers) {
    using stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
    std::vector<int64_t> shape;
    numbers.measure(shape);
    std::size_t size = 1;
    for (int64_t n : shape) size *= static_cast<std::size_t>(n);
    std::vector<stored> elements(size);
    stored *to = elements.data();
    tensor fault = numbers.copy(shape, 0, to);
    if (!fault.empty_handle()) return fault;
    return detail::take(
        (ty_from)(dtype_of<T>(), detail::length(shape.size()), shape.data(), elements.data()));
}

/* ---- borrowed memory ---- */

/* Make a tensor over the caller's row-major elements, without a copy.  done(data) is called once after the last use,
   also if this fails; it must not throw. */
template <class T, class D> tensor borrow(T *data, const shape_list &shape, D done) {
    static_assert(!std::is_const_v<T>, "a program that updates variables may write to borrowed memory");
    D *context = new (std::nothrow) D(std::move(done));
    if (!context) {
        done(data);
        return detail::refuse(
            ty_poison_code(TY_ERROR_MEMORY, "out of memory: borrow could not keep the deleter"));
    }
    auto call = [](void *kept_, void *data_) {
        D *last_ = static_cast<D *>(kept_);
        (*last_)(static_cast<T *>(data_));
        delete last_;
    };
    return detail::take((ty_borrow)(dtype_of<T>(), shape.count(), shape.data(), data, call, context));
}
/* Make a tensor over the caller's row-major elements, which outlive it. */
template <class T> tensor borrow(T *data, const shape_list &shape) {
    static_assert(!std::is_const_v<T>, "a program that updates variables may write to borrowed memory");
    return detail::take((ty_borrow)(dtype_of<T>(), shape.count(), shape.data(), data, nullptr, nullptr));
}

/* ---- DLPack ---- */

/* Export a tensor to another library, which calls the deleter. */
[[nodiscard]] inline DLManagedTensorVersioned *to_dlpack(const tensor &x) {
    ty_tensor *reason = nullptr;
    DLManagedTensorVersioned *managed = (ty_to_dlpack)(x.get(), &reason);
    detail::done(managed != nullptr, reason);
    return managed;
}
[[nodiscard]] inline DLManagedTensor *to_dlpack_legacy(const tensor &x) {
    ty_tensor *reason = nullptr;
    DLManagedTensor *managed = (ty_to_dlpack_legacy)(x.get(), &reason);
    detail::done(managed != nullptr, reason);
    return managed;
}
/* Import a tensor of another library, whose deleter is called after the last use, or on failure. */
inline tensor from_dlpack(DLManagedTensorVersioned *managed) {
    return detail::take((ty_from_dlpack)(managed));
}
inline tensor from_dlpack(DLManagedTensor *managed) { return detail::take((ty_from_dlpack_legacy)(managed)); }

TY_CXX_END
#endif
