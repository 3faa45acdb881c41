// The functions of cost.cc by calls of C: call, own the result, branch to a cold throw if it is poison.
#include <tyto/tyto.hpp>

struct tensor {
    ty_tensor *x;
};
// Result first and last, as a class with a destructor is returned.
#define OWNED(y, call)                                                                                       \
    ty_tensor *y = ty_own(call);                                                                             \
    if (__builtin_expect(!ty_ok(y), 0)) ty::detail::fail(y)

tensor *add(tensor *result, const tensor &a, const tensor &b) {
    OWNED(y, ty_add(a.x, b.x));
    result->x = y;
    return result;
}
tensor *named(tensor *result, const tensor &a) {
    OWNED(y, ty_tanh(a.x));
    result->x = y;
    return result;
}
tensor *sum(tensor *result, const tensor &a) {
    ty_axes axes = ty_axis(0);
    OWNED(y, ty_sum(a.x, axes));
    result->x = y;
    return result;
}
tensor *chain(tensor *result, const tensor &a, const tensor &b, const tensor &c) {
    OWNED(product, ty_mul(a.x, b.x));
    OWNED(y, ty_add(product, c.x));
    result->x = y;
    ty_release(product);
    return result;
}
tensor *copy(tensor *result, const tensor &a) {
    result->x = a.x ? ty_retain(a.x) : nullptr;
    return result;
}
tensor *first(tensor *result, const tensor &a) {
    const ty_index items[] = {{TY_INDEX_AT, 0, 0, 0, nullptr}, {TY_INDEX_RANGE, TY_END, TY_END, 1, nullptr}};
    OWNED(y, ty_get(a.x, 2, items));
    result->x = y;
    return result;
}
void assign(tensor &a, tensor &b) noexcept {
    ty_tensor *taken = b.x;
    b.x = nullptr;
    ty_tensor *before = a.x;
    a.x = taken;
    if (before) ty_release(before);
}
