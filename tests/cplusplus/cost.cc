// Functions in C++ for cost.sh, which compares their instructions with those of cost_of_c.cc.
#include <tyto/tyto.hpp>

using ty::tensor;

extern "C++" {
tensor add(const tensor &a, const tensor &b) { return a + b; }
tensor named(const tensor &a) { return ty::tanh(a); }
tensor sum(const tensor &a) { return ty::sum(a, 0); }
tensor chain(const tensor &a, const tensor &b, const tensor &c) { return a * b + c; }
tensor copy(const tensor &a) { return a; }
tensor first(const tensor &a) { return a(0, ty::all); }
void assign(tensor &a, tensor &b) noexcept { a = std::move(b); }
}
