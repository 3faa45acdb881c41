/* Parameters of functions: lists of tensors and numbers, shapes, axes, texts, and items of indices.  They refer to the
   caller's values and live during one call.  Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_ARGUMENTS_HPP
#define TYTO_CPLUSPLUS_ARGUMENTS_HPP

#include <tyto/cplusplus/tensor.hpp>

#include <iterator>

TY_CXX_BEGIN

namespace detail {

/* Throw for a number of elements that no int holds. */
inline int length(std::size_t n) {
    if (TY_LIKELY(n <= INT32_MAX)) return static_cast<int>(n);
    refuse(ty_poison_code(TY_ERROR_ARGUMENT, "a list has %llu elements; expected at most %d",
                          static_cast<unsigned long long>(n), INT32_MAX));
    return -1; /* which functions refuse */
}

} // namespace detail

/* A list of values of T: {a, b}, a vector, an array or a span of T. */
template <class T> class list_of {
  public:
    list_of(std::initializer_list<T> x) noexcept : size_(x.size()) { data_ = x.begin(); }
    template <class C, class = std::enable_if_t<
                           std::is_convertible_v<decltype(std::declval<const C &>().data()), const T *> &&
                           std::is_integral_v<decltype(std::declval<const C &>().size())>>>
    list_of(const C &x) noexcept : data_(x.data()), size_(x.size()) {}
    list_of(const T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    const T *data() const noexcept { return data_; }
    /* Return NULL for an empty list, which stands for one that is left out. */
    const T *or_null() const noexcept { return size_ ? data_ : nullptr; }
    std::size_t size() const noexcept { return size_; }
    int count() const { return detail::length(size_); }

  private:
    const T *data_ = nullptr;
    std::size_t size_;
};
/* Sizes of axes: {2, 3}, x.shape(), a std::vector<int64_t>. */
using shape_list = list_of<int64_t>;

/* A list of tensors: {a, b}, a std::vector<tensor> or std::array. */
class list : public list_of<tensor> {
  public:
    using list_of<tensor>::list_of;
    ty_tensor *const *get() const noexcept { return detail::pointers(data()); }
};

/* A set of axes: 0, -1, {0, 1}, or axes() for all; keep() keeps reduced axes with size 1. */
class axes {
  public:
    axes() noexcept : axes_{UINT64_MAX, 0, false} {}
    axes(int axis) noexcept : axes_(ty_axis(axis)) {}
    axes(std::initializer_list<int> set)
        : axes_(ty_axes_of(detail::length(set.size()), set.begin(), false)) {}
    axes(const ty_axes &set) noexcept : axes_(set) {}
    axes keep() const noexcept {
        axes kept(*this);
        kept.axes_.keep = true;
        return kept;
    }
    const ty_axes &get() const noexcept { return axes_; }

  private:
    ty_axes axes_;
};

/* A text that ends in 0: a literal or a std::string. */
class cstring {
  public:
    cstring(const char *text) noexcept : text_(text) {}
    cstring(const std::string &text) noexcept : text_(text.c_str()) {}
    const char *get() const noexcept { return text_; }

  private:
    const char *text_;
};

namespace detail {

/* Throw unless two lists of a call have one length; return the length. */
inline int same_length(const char *function, std::size_t a, std::size_t b) {
    if (TY_LIKELY(a == b)) return length(a);
    refuse(ty_poison_code(TY_ERROR_ARGUMENT, "%s: lists of %llu and %llu elements; expected equally many",
                          function, static_cast<unsigned long long>(a), static_cast<unsigned long long>(b)));
    return -1;
}
/* As same_length, but one of both may be left out. */
inline int longer_length(const char *function, std::size_t a, std::size_t b) {
    return same_length(function, a ? a : b, b ? b : a);
}

} // namespace detail

/* ---- items of an index ---- */

struct ellipsis_t {};
struct new_axis_t {};
/* ty::ellipsis stands for all axes without an item, ty::new_axis for one of size 1. */
inline constexpr ellipsis_t ellipsis{};
inline constexpr new_axis_t new_axis{};

/* ty::all as an item is a whole axis; as a function, ty::all(x, axes), it is ty_all: true if all elements are. */
struct all_t {
    tensor operator()(const tensor &x, const axes &over = {}) const {
        return detail::take((ty_all)(x.get(), over.get()));
    }
};
inline constexpr all_t all{};

/* The start or stop of a slice: a number, or {} for the natural end. */
class bound {
  public:
    constexpr bound() noexcept : at_(TY_END) {}
    template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
    constexpr bound(T at) noexcept : at_(static_cast<int64_t>(at)) {}
    constexpr int64_t get() const noexcept { return at_; }

  private:
    int64_t at_;
};

/* An item of x(items...): a number, a slice, ty::all, ty::ellipsis, ty::new_axis, or a tensor of indices or a mask,
   which must outlive the item. */
class index {
  public:
    template <class T, class = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
    constexpr index(T at) noexcept : item_{TY_INDEX_AT, static_cast<int64_t>(at), 0, 0, nullptr} {}
    constexpr index(bound start, bound stop, int64_t step) noexcept
        : item_{TY_INDEX_RANGE, start.get(), stop.get(), step, nullptr} {}
    constexpr index(all_t) noexcept : item_{TY_INDEX_RANGE, TY_END, TY_END, 1, nullptr} {}
    constexpr index(ellipsis_t) noexcept : item_{TY_INDEX_DOTS, 0, 0, 0, nullptr} {}
    constexpr index(new_axis_t) noexcept : item_{TY_INDEX_NEW, 0, 0, 0, nullptr} {}
    index(const tensor &indices) noexcept : item_{TY_INDEX_TENSOR, 0, 0, 0, indices.get()} {}
    const ty_index &get() const noexcept { return item_; }

  private:
    ty_index item_;
};

/* Elements start, start + step, ... before stop, as Python's start:stop:step. */
constexpr index slice(bound start = {}, bound stop = {}, int64_t step = 1) noexcept {
    return index(start, stop, step);
}

template <class... I> tensor tensor::operator()(const I &...items) const {
    static_assert(sizeof...(I) > 0, "an index has at least one item; ty::ellipsis is all of a tensor");
    const ty_index list[] = {index(items).get()...};
    return detail::take((ty_get)(x_, static_cast<int>(sizeof...(I)), list));
}
inline tensor tensor::operator[](const index &item) const {
    return detail::take((ty_get)(x_, 1, &item.get()));
}

/* Goes through the first axis of a tensor. */
class rows_iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = tensor;
    using difference_type = std::ptrdiff_t;
    using pointer = const tensor *;
    using reference = tensor;
    rows_iterator() noexcept = default;
    rows_iterator(const tensor &x, int64_t i) noexcept : x_(x), i_(i) {}
    tensor operator*() const { return x_[i_]; }
    rows_iterator &operator++() noexcept {
        i_++;
        return *this;
    }
    rows_iterator operator++(int) noexcept {
        rows_iterator before(*this);
        i_++;
        return before;
    }
    /* Compare two iterators over one tensor. */
    bool operator==(const rows_iterator &other) const noexcept { return i_ == other.i_; }
    bool operator!=(const rows_iterator &other) const noexcept { return i_ != other.i_; }

  private:
    tensor x_{};
    int64_t i_ = 0;
};

inline rows_iterator tensor::begin() const {
    if (!TY_LIKELY(ok()))
        detail::take((ty_eval)(x_));
    else if (!TY_LIKELY(rank() > 0))
        detail::refuse(ty_poison_code(TY_ERROR_SHAPE, "rows: the tensor has no axes to go through"));
    return {*this, 0};
}
inline rows_iterator tensor::end() const { return {*this, ok() && rank() > 0 ? shape()[0] : 0}; }

template <class T, class... I> T tensor::at(I... i) const { return (*this)(i...).template item<T>(); }

TY_CXX_END
#endif
