/* Arrays of xtensor from tensors, and their values. */
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xview.hpp>
#include "tests/tree/cells/cpp.h"

namespace theirs {
inline xt::xarray<double> array(const tensor &x) {
    std::vector<size_t> shape(x.shape().begin(), x.shape().end());
    return xt::adapt(x.values<double>(), shape);
}
template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0> void show(T x) { ::show(x); }
template <class D> void show(const xt::xexpression<D> &x) {
    xt::xarray<double> a = x.derived_cast();
    std::vector<int64_t> shape(a.shape().begin(), a.shape().end());
    show_values("-", static_cast<int>(shape.size()), shape.data(), a.data(), static_cast<int64_t>(a.size()));
}
} // namespace theirs
