/* Shows what an expression of C++ returns: a tensor, several, a number, or an expression of Eigen or xtensor. */
#pragma once
#include <tyto/tyto.hpp>
#include "tests/tree/cells/show.h"

using ty::tensor;

inline void show(const tensor &x) { show_tensor(x.get()); }
template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0> void show(T x) {
    show_number(static_cast<double>(x));
}
inline void show(const std::vector<tensor> &parts) {
    for (const tensor &x : parts) show(x);
}
