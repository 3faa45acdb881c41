/* Operators on tensors and numbers, and parts that may be assigned.  Comparisons are elementwise, as in NumPy.  Part of
   <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_OPERATORS_HPP
#define TYTO_CPLUSPLUS_OPERATORS_HPP

#include <tyto/cplusplus/arguments.hpp>

TY_CXX_BEGIN

/* a += b gives the elements of a away, so it needs no second array if no other handle, view or promise has them. */
#define TY_UNARY(sign, function)                                                                             \
    inline tensor operator sign(const tensor &x) { return detail::take((function)(x.get())); }
#define TY_BINARY(sign, function)                                                                            \
    inline tensor operator sign(const tensor &a, const tensor &b) {                                          \
        return detail::take((function)(a.get(), b.get()));                                                   \
    }
#define TY_ASSIGNING(sign, function)                                                                         \
    TY_BINARY(sign, function)                                                                                \
    inline tensor &operator sign##=(tensor &a, const tensor &b) {                                            \
        return a = detail::take((function)(give(a).get(), b.get()));                                         \
    }
TY_UNARY(-, ty_neg)
TY_UNARY(~, ty_bit_not)
TY_ASSIGNING(+, ty_add)
TY_ASSIGNING(-, ty_sub)
TY_ASSIGNING(*, ty_mul)
TY_ASSIGNING(/, ty_div)
TY_ASSIGNING(%, ty_mod)
TY_ASSIGNING(&, ty_bit_and)
TY_ASSIGNING(|, ty_bit_or)
TY_ASSIGNING(^, ty_bit_xor)
TY_ASSIGNING(<<, ty_shift_left)
TY_ASSIGNING(>>, ty_shift_right)
TY_BINARY(==, ty_eq)
TY_BINARY(!=, ty_ne)
TY_BINARY(<, ty_lt)
TY_BINARY(<=, ty_le)
TY_BINARY(>, ty_gt)
TY_BINARY(>=, ty_ge)
#undef TY_UNARY
#undef TY_BINARY
#undef TY_ASSIGNING
inline tensor operator+(const tensor &x) { return x; }

/* A part x.part(items...) of the tensor of a handle, during one expression.  Assigning makes the handle's tensor a new
   one; other handles keep the old one. */
template <std::size_t N> class part_of {
  public:
    template <class... I>
    explicit part_of(tensor &x, const I &...items) : x_(x), items_{index(items).get()...} {}
    part_of(const part_of &) = delete;
    part_of &operator=(const part_of &) = delete;
    /* Return the elements of the part. */
    operator tensor() const { return detail::take((ty_get)(x_.get(), static_cast<int>(N), items_)); }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Weffc++" /* it expects *this, but a part is gone after its expression */
    tensor &operator=(const tensor &value) && {
        return x_ = detail::take((ty_set)(x_.get(), static_cast<int>(N), items_, value.get()));
    }
#pragma GCC diagnostic pop
#define TY_PART(sign)                                                                                        \
    tensor &operator sign##=(const tensor &value) && {                                                       \
        return std::move(*this) = static_cast<tensor>(*this) sign value;                                     \
    }
    TY_PART(+)
    TY_PART(-)
    TY_PART(*)
    TY_PART(/)
    TY_PART(%)
    TY_PART(&)
    TY_PART(|)
    TY_PART(^)
    TY_PART(<<)
    TY_PART(>>)
#undef TY_PART
    /* Combine each addressed element with its values; an element that is addressed several times gets every one. */
    tensor &combine(ty_scatter_mode mode, const tensor &value) && {
        return x_ = detail::take((ty_set_by)(x_.get(), static_cast<int>(N), items_, mode, value.get()));
    }

  private:
    tensor &x_;
    ty_index items_[N];
};
template <class... I> part_of<sizeof...(I)> tensor::part(const I &...items) {
    return part_of<sizeof...(I)>(*this, items...);
}

TY_CXX_END
#endif
