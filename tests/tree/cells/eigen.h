/* Vectors and matrices of Eigen from tensors, and their values. */
#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include "tests/tree/cells/cpp.h"

namespace theirs {
inline Eigen::MatrixXd matrix(const tensor &x) {
    using rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    std::vector<double> values = x.values<double>();
    return Eigen::Map<rows>(values.data(), x.shape()[0], x.shape()[1]);
}
inline Eigen::VectorXd vector(const tensor &x) {
    std::vector<double> values = x.values<double>();
    return Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}
template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0> void show(T x) { ::show(x); }
/* Show vectors as 1-d, as ours are; rows of a matrix are vectors, too. */
template <class D> void show(const Eigen::EigenBase<D> &x) {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> m =
        x.derived().template cast<double>();
    const int64_t shape[] = {m.rows(), m.cols()}, n = m.size();
    bool flat = D::ColsAtCompileTime == 1 || D::RowsAtCompileTime == 1;
    show_values("-", flat ? 1 : 2, flat ? &n : shape, m.data(), n);
}
} // namespace theirs
