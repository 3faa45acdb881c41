/* Derivatives of functions of C++.  Results of one operand are a tensor, of several a std::array in their order.  Part
   of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_DERIVATIVES_HPP
#define TYTO_CPLUSPLUS_DERIVATIVES_HPP

#include <tyto/cplusplus/callbacks.hpp>

TY_CXX_BEGIN

/* A value of a function with its derivatives by each operand. */
template <std::size_t N> struct value_with {
    tensor value;
    detail::several<N> derivatives;
};

/* The same by a list of operands. */
struct value_with_list {
    tensor value;
    std::vector<tensor> derivatives;
};

namespace detail {

/* Call value_and(f, context, n, x, value, derivatives) and own the results; `wanted` is false for derivatives alone. */
template <std::size_t N, class V>
value_with<N> derive(const std::array<tensor, N> &x, bool wanted, V value_and) {
    std::array<tensor, N + 1> y;
    value_and(static_cast<int>(N), pointers(x.data()), wanted ? pointers(&y[N]) : nullptr,
              pointers(y.data()));
    take_all(N + 1, y.data());
    std::array<tensor, N> derivatives;
    for (std::size_t i = 0; i < N; i++) derivatives[i] = std::move(y[i]);
    return {std::move(y[N]), pack<N>(std::move(derivatives))};
}

/* A function of a list of tensors, whose number is known when it is called. */
template <class F> struct list_function {
    F &f;
    std::size_t n;
    static ty_tensor *body(void *context, ty_tensor *const *x) noexcept {
        return returned([&] {
            const list_function &self = *static_cast<list_function *>(context);
            std::vector<tensor> operands;
            operands.reserve(self.n);
            for (std::size_t i = 0; i < self.n; i++) operands.push_back(tensor::share(x[i]));
            return tensor(self.f(operands));
        });
    }
};

template <class F> struct gradient_of {
    F f;
    value_with_list run(bool wanted, const std::vector<tensor> &x) {
        static_assert(std::is_invocable_v<F &, const std::vector<tensor> &>,
                      "for a list of operands the function takes a std::vector<tensor>");
        list_function<F> context = {f, x.size()};
        std::vector<tensor> y(x.size() + 1);
        (ty_value_and_grad)(list_function<F>::body, &context, length(x.size()), pointers(x.data()),
                            wanted ? pointers(&y.back()) : nullptr, pointers(y.data()));
        take_all(y.size(), y.data());
        tensor value = std::move(y.back());
        y.pop_back();
        return {std::move(value), std::move(y)};
    }
    template <class... X> value_with<sizeof...(X)> run(bool wanted, const X &...x) {
        constexpr std::size_t n = sizeof...(X);
        return derive<n>({tensor(x)...}, wanted,
                         [&](int count, ty_tensor *const *in, ty_tensor **value, ty_tensor **out) {
                             (ty_value_and_grad)(body<F, n>, context_of(f), count, in, value, out);
                         });
    }
};
template <class F> struct gradient : gradient_of<F> {
    template <class... X> auto operator()(const X &...x) { return this->run(false, x...).derivatives; }
    std::vector<tensor> operator()(const std::vector<tensor> &x) { return this->run(false, x).derivatives; }
};
template <class F> struct value_gradient : gradient_of<F> {
    template <class... X> auto operator()(const X &...x) { return this->run(true, x...); }
    value_with_list operator()(const std::vector<tensor> &x) { return this->run(true, x); }
};
template <class F> struct jacobian_of {
    F f;
    int64_t max_bytes;
    template <class... X> auto operator()(const X &...x) {
        constexpr std::size_t n = sizeof...(X);
        return derive<n>({tensor(x)...}, false,
                         [&](int count, ty_tensor *const *in, ty_tensor **value, ty_tensor **out) {
                             (ty_value_and_jacobian)(body<F, n>, context_of(f), count, in, max_bytes, value,
                                                     out);
                         })
            .derivatives;
    }
};
template <class F> struct hessian_of {
    F f;
    int64_t max_bytes;
    tensor operator()(const tensor &x) {
        return derive<1>({x}, false,
                         [&](int count, ty_tensor *const *in, ty_tensor **value, ty_tensor **out) {
                             (ty_value_grad_and_hessian)(body<F, 1>, context_of(f), count, in, max_bytes,
                                                         value, nullptr, out);
                         })
            .derivatives;
    }
};

} // namespace detail

/* Return the function of the gradients of sum(f): grad(f)(x), auto [a, b] = grad(f)(x, y).  f may be one, too.  If f
   takes a std::vector<tensor>, grad(f)({x, y}) is a vector. */
template <class F, class = std::enable_if_t<detail::is_function<F>>> detail::gradient<F> grad(F f) {
    return {{std::move(f)}};
}
/* Return the function of f and its gradients: auto [value, gradient] = value_and_grad(f)(x). */
template <class F, class = std::enable_if_t<detail::is_function<F>>>
detail::value_gradient<F> value_and_grad(F f) {
    return {{std::move(f)}};
}
/* Return the function of the Jacobians of f, each of shape [f..., x...]; max_bytes limits them, 0: 2^30. */
template <class F, class = std::enable_if_t<detail::is_function<F>>>
detail::jacobian_of<F> jacobian(F f, int64_t max_bytes = 0) {
    return {std::move(f), max_bytes};
}
/* Return the function of the Hessian of sum(f) by one operand, of shape [x..., x...]. */
template <class F, class = std::enable_if_t<detail::is_function<F>>>
detail::hessian_of<F> hessian(F f, int64_t max_bytes = 0) {
    return {std::move(f), max_bytes};
}

/* Return f(x) and its Jacobian times the tangent: forward mode. */
template <class F> value_with<1> jvp(F f, const tensor &x, const tensor &tangent) {
    return detail::derive<1>(
        {x}, true, [&](int count, ty_tensor *const *in, ty_tensor **value, ty_tensor **out) {
            ty_tensor *t = tangent.get();
            (ty_value_and_jvp)(detail::body<F, 1>, detail::context_of(f), count, in, &t, value, out);
        });
}
/* Return f(x) and g times its Jacobian: reverse mode. */
template <class F> value_with<1> vjp(F f, const tensor &x, const tensor &g) {
    return detail::derive<1>(
        {x}, true, [&](int count, ty_tensor *const *in, ty_tensor **value, ty_tensor **out) {
            (ty_value_and_vjp)(detail::body<F, 1>, detail::context_of(f), g.get(), count, in, value, out);
        });
}

/* ---- derivatives of the caller's ---- */

namespace detail {

template <class F, class V, std::size_t N> struct rule {
    F f;
    V vjp;
    /* Call vjp(x..., y, g). */
    template <std::size_t... I>
    auto gradients(ty_tensor *const *x, ty_tensor *y, ty_tensor *g, std::index_sequence<I...>) {
        return vjp(tensor::share(x[I])..., tensor::share(y), tensor::share(g));
    }
    static ty_tensor *call(void *context, ty_tensor *const *x) noexcept {
        return body<F, N>(&static_cast<rule *>(context)->f, x);
    }
    static void reverse(void *context, int, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                        ty_tensor **to) noexcept {
        fill<N>(to, [&] {
            return static_cast<rule *>(context)->gradients(x, y, g, std::make_index_sequence<N>());
        });
    }
    static void release(void *context) noexcept { delete static_cast<rule *>(context); }
};

template <class F, class V> struct custom_function {
    F f;
    V vjp;
    template <class... X> tensor operator()(const X &...x) const {
        using made = rule<F, V, sizeof...(X)>;
        const std::array<tensor, sizeof...(X)> operands = {tensor(x)...};
        ty_custom custom = {};
        custom.f = made::call;
        custom.vjp = made::reverse;
        custom.release = made::release;
        custom.context = new made{f, vjp};
        return take((ty_apply)(custom, static_cast<int>(sizeof...(X)), pointers(operands.data())));
    }
};

} // namespace detail

/* Return f with derivatives of the caller's: vjp(x..., y, g) returns the gradients by x for the gradient g of y
   (ty_apply). */
template <class F, class V> detail::custom_function<F, V> custom(F f, V vjp) {
    return {std::move(f), std::move(vjp)};
}

TY_CXX_END
#endif
