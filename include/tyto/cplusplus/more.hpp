/* Functions whose arrays the generated ones do not cover: orders of axes, pads, pairs of indices, texts with names.
   Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_MORE_HPP
#define TYTO_CPLUSPLUS_MORE_HPP

#include <tyto/cplusplus/arguments.hpp>

#include <array>

TY_CXX_BEGIN

/* Permute the axes of x: axis i of the result is axis order[i] of x. */
inline tensor permute(const tensor &x, const list_of<int> &order) {
    if (!TY_LIKELY(order.count() == x.rank()))
        return detail::refuse(ty_poison_code(TY_ERROR_ARGUMENT,
                                             "permute: %d axes for a tensor of %d; expected equally many",
                                             order.count(), x.rank()));
    return detail::take((ty_permute)(x.get(), order.data()));
}
/* Pad x with a number, padding[i] elements at axis i. */
inline tensor pad(const tensor &x, const list_of<ty_padding> &padding, const tensor &value = 0) {
    if (!TY_LIKELY(padding.count() == x.rank()))
        return detail::refuse(ty_poison_code(TY_ERROR_ARGUMENT,
                                             "pad: %d axes for a tensor of %d; expected equally many",
                                             padding.count(), x.rank()));
    return detail::take((ty_pad)(x.get(), padding.data(), value.cast(x.dtype()).get()));
}
/* Return the rows and columns of the elements on and below diagonal k of an n by m matrix. */
inline std::array<tensor, 2> tril_indices(int64_t n, int64_t m, int64_t k = 0) {
    std::array<tensor, 2> y;
    (ty_tril_indices)(n, m, k, detail::pointers(y.data()));
    detail::take_all(2, y.data());
    return y;
}
/* Return the rows and columns of the elements on and above diagonal k of an n by m matrix. */
inline std::array<tensor, 2> triu_indices(int64_t n, int64_t m, int64_t k = 0) {
    std::array<tensor, 2> y;
    (ty_triu_indices)(n, m, k, detail::pointers(y.data()));
    detail::take_all(2, y.data());
    return y;
}

/* A tensor with its name in a text. */
struct named_value {
    const char *name;
    tensor value;
};
/* Evaluate a text of one result (ty_expression): expression("sum(x * y)", {{"x", x}, {"y", 2}}). */
inline tensor expression(const cstring &text, std::initializer_list<named_value> values) {
    std::vector<const char *> names;
    std::vector<tensor> tensors;
    for (const named_value &v : values) {
        names.push_back(v.name);
        tensors.push_back(v.value);
    }
    return detail::take((ty_expression)(text.get(), detail::length(names.size()), names.data(),
                                        detail::pointers(tensors.data())));
}

TY_CXX_END
#endif
