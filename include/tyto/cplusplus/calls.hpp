/* Functions of C++ that see values: as nodes of graphs (ty_call), and for elements, rows and slices (ty_map_slices, ...).
 *
 * The library keeps a copy of a function as long as a tensor or program uses it.  An exception in it makes the call or
 * run fail; the call around it throws the exception again.  On other threads the text alone remains.  Part of
 * <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_CALLS_HPP
#define TYTO_CPLUSPLUS_CALLS_HPP

#include <tyto/cplusplus/callbacks.hpp>

TY_CXX_BEGIN

/* A dtype and a shape: form(f64, {2, 3}), form(f64) for one number; form::of(x) those of a tensor. */
class form {
  public:
    form(dtype type, std::initializer_list<int64_t> shape = {}) : dtype_(type), shape_(shape) {}
    form(dtype type, const shape_list &shape)
        : dtype_(type), shape_(shape.data(), shape.data() + shape.size()) {}
    static form of(const tensor &x) { return {x.dtype(), x.shape()}; }
    /* Return the struct of C, which refers to this object. */
    ty_form get() const { return {dtype_, detail::length(shape_.size()), shape_.data()}; }

  private:
    dtype dtype_;
    std::vector<int64_t> shape_;
};

namespace detail {

/* Return n elements of `type` at data as values of T; an exception, or no elements, if T does not fit. */
template <class T, class P> span<T> elements(P *data, int64_t n, dtype type, const char *what) {
    if (!TY_LIKELY(type == dtype_of<T>())) {
        refuse(ty_poison_code(TY_ERROR_DTYPE, "%s as %s: its elements are %s", what,
                              ty_dtype_name(dtype_of<T>()), ty_dtype_name(type)));
        return {};
    }
    return {static_cast<T *>(data), static_cast<std::size_t>(n)};
}

/* Keeps functions of the caller for C, which calls release. */
template <class F> void release_of(void *context) noexcept { delete static_cast<F *>(context); }

/* Call f; return nullptr, or poison for an exception. */
template <class F> ty_tensor *thrown(F &&f) noexcept {
#ifndef TY_NO_EXCEPTIONS
    try {
        f();
    } catch (...) {
        return caught();
    }
#else
    f();
#endif
    return nullptr;
}

} // namespace detail

/* ---- nodes ---- */

/* One call of a function of ty::callee: operands, and results to fill. */
class called {
  public:
    explicit called(ty_called *now) noexcept : call_(now) {}
    std::size_t size() const noexcept { return static_cast<std::size_t>(call_->n); }
    /* Return operand i, a value. */
    tensor x(std::size_t i = 0) const { return tensor::share(call_->x[i]); }
    /* Return the elements of operand i, row-major. */
    template <class T> span<const T> data(std::size_t i = 0) const {
        return detail::elements<const T>(ty_data(call_->x[i]), ty_size(call_->x[i]), ty_dtype_of(call_->x[i]),
                                         "an operand");
    }
    /* Return the memory of result i, row-major, to fill. */
    template <class T> span<T> y(std::size_t i = 0) const {
        const ty_form &of = call_->forms[i];
        int64_t n = 1;
        for (int axis = 0; axis < of.rank; axis++) n *= of.shape[axis];
        return detail::elements<T>(call_->data[i], n, of.dtype, "a result");
    }
    /* Let result i be a tensor of its dtype and shape. */
    void set_y(std::size_t i, tensor value) const { call_->y[i] = ty_disown(value.release()); }
    ty_called *get() const noexcept { return call_; }

  private:
    ty_called *call_;
};

/* As in ty_callee. */
struct callee_options {
    bool ordered = false;
    bool batched = false;
};

namespace detail {

struct no_rule {};

/* A function f(const called &) of N operands, and its rule vjp(x..., y, g). */
template <class F, class V, std::size_t N> struct node {
    F f;
    V vjp;
    static void call(void *context, ty_called *now) noexcept {
        ty_tensor *poison = thrown([&] { static_cast<node *>(context)->f(called(now)); });
        if (poison) now->y[0] = poison;
    }
    template <std::size_t... I>
    auto gradients(ty_tensor *const *x, ty_tensor *y, ty_tensor *g, std::index_sequence<I...>) {
        return vjp(tensor::share(x[I])..., tensor::share(y), tensor::share(g));
    }
    static void reverse(void *context, int, ty_tensor *const *x, int, ty_tensor *const *y,
                        ty_tensor *const *g, ty_tensor **to) noexcept {
        fill<N>(to, [&] {
            return static_cast<node *>(context)->gradients(x, y[0], g[0], std::make_index_sequence<N>());
        });
    }
};

template <class F, class V, std::size_t M> struct node_function {
    F f;
    V vjp;
    std::array<form, M> forms;
    callee_options options;
    template <class... X> several<M> operator()(const X &...x) const {
        using made = node<F, V, sizeof...(X)>;
        const std::array<tensor, sizeof...(X)> operands = {tensor(x)...};
        std::array<ty_form, M> of = {};
        for (std::size_t i = 0; i < M; i++) of[i] = forms[i].get();
        std::array<tensor, M> y;
        ty_callee c = {};
        c.f = made::call;
        if constexpr (!std::is_same_v<V, no_rule>) c.vjp = made::reverse;
        c.ordered = options.ordered;
        c.batched = options.batched;
        c.release = release_of<made>;
        c.context = new made{f, vjp};
        (ty_call)(c, static_cast<int>(sizeof...(X)), pointers(operands.data()), static_cast<int>(M),
                  of.data(), pointers(y.data()));
        take_all(M, y.data());
        return pack<M>(std::move(y));
    }
};

} // namespace detail

/* Return f(const called &), which sees values, as a function of tensors with a result of this dtype and shape.  Promises
   among its operands give a promise, whose runs call f (ty_call). */
template <class F>
detail::node_function<F, detail::no_rule, 1> callee(F f, const form &of, const callee_options &options = {}) {
    return {std::move(f), {}, {of}, options};
}
/* The same with derivatives: vjp(x..., y, g) returns the gradients by x for the gradient g of y. */
template <class F, class V, class = std::enable_if_t<detail::is_function<V>>>
detail::node_function<F, V, 1> callee(F f, const form &of, V vjp, const callee_options &options = {}) {
    return {std::move(f), std::move(vjp), {of}, options};
}
/* The same with several results, a std::array. */
template <class F, std::size_t M>
detail::node_function<F, detail::no_rule, M> callee(F f, const std::array<form, M> &forms,
                                                    const callee_options &options = {}) {
    return {std::move(f), {}, forms, options};
}

/* ---- elements, rows, slices ---- */

/* One call of a function of slices: its number and indices, the slice of each operand, and memory to fill. */
class visit {
  public:
    visit(ty_visit *now, const dtype *types) noexcept : now_(now), types_(types) {}
    int64_t i() const noexcept { return now_->i; }
    /* Return the indices along the axes that count slices. */
    span<const int64_t> index() const noexcept { return {now_->index, static_cast<std::size_t>(now_->rank)}; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(now_->n); }
    /* Return the elements of the slice of operand k. */
    template <class T> span<const T> x(std::size_t k = 0) const {
        return detail::elements<const T>(now_->x[k], now_->size[k], types_[k + 1], "a slice");
    }
    /* Return the first element of operand k. */
    template <class T> T first(std::size_t k = 0) const {
        span<const T> slice = x<T>(k);
        return slice.empty() ? T() : slice[0];
    }
    /* Return the address of the result or state; its number of elements is known to the caller. */
    template <class T> T *y() const { return detail::elements<T>(now_->y, 1, types_[0], "a result").data(); }
    ty_visit *get() const noexcept { return now_; }

  private:
    ty_visit *now_;
    const dtype *types_; /* of the result, then of the operands */
};

/* How a function of slices runs: slicing() for elements, slicing(-1) for rows; as in ty_slicing. */
struct slicing {
    slicing() noexcept : over(ty_axes{0, 0, false}) {}
    slicing(const axes &set, bool on_threads = false) : over(set), threads(on_threads) {}
    slicing(int axis, bool on_threads = false) : slicing(axes(axis), on_threads) {}
    slicing(std::initializer_list<int> set, bool on_threads = false) : slicing(axes(set), on_threads) {}
    axes over;
    std::vector<axes> each = {}; /* by operand, instead of `over` */
    bool threads = false;
    bool ordered = false;
};

namespace detail {

/* A function f(const visit &) that returns a bool or nothing. */
template <class F> struct visitor {
    F f;
    std::vector<dtype> types;
    static bool call(void *context, ty_visit *now) noexcept {
        visitor *self = static_cast<visitor *>(context);
        bool done = true;
        ty_tensor *poison = thrown([&] {
            const visit v(now, self->types.data());
            if constexpr (std::is_void_v<std::invoke_result_t<F &, const visit &>>)
                self->f(v);
            else
                done = self->f(v);
        });
        if (poison) now->error = poison;
        return done && !poison;
    }
};

/* Call `function`, a function of C, with f as a ty_slicing. */
template <class F, class C>
tensor sliced(const slicing &how, F f, dtype result, const tensor *x, std::size_t n, C function) {
    std::vector<ty_axes> each;
    const bool fits = how.each.empty() || how.each.size() == n;
    if (!TY_LIKELY(fits))
        return refuse(ty_poison_code(TY_ERROR_ARGUMENT,
                                     "slicing: %d operands and %d sets of axes; expected equally "
                                     "many",
                                     length(n), length(how.each.size())));
    for (const axes &set : how.each) each.push_back(set.get());
    std::vector<dtype> types{result};
    for (std::size_t i = 0; i < n; i++) types.push_back(x[i].ok() ? x[i].dtype() : TY_DTYPES);
    ty_slicing s = {};
    s.f = visitor<F>::call;
    s.release = release_of<visitor<F>>;
    s.axes = how.over.get();
    s.axes_of = each.empty() ? nullptr : each.data();
    s.threads = how.threads;
    s.ordered = how.ordered;
    s.context = new visitor<F>{std::move(f), std::move(types)};
    return take(function(s));
}

} // namespace detail

/* Return the results of f(const visit &) for all slices of the operands, each of this dtype and shape
   (ty_map_slices). */
template <class F> tensor map_slices(const list &x, const form &of, const slicing &how, F f) {
    return detail::sliced(how, std::move(f), of.get().dtype, x.data(), x.size(), [&](const ty_slicing &s) {
        return (ty_map_slices)(x.count(), x.get(), of.get(), s);
    });
}
/* Return the slices of x for which f(const visit &) returns true (ty_filter_slices). */
template <class F> tensor filter_slices(const tensor &x, const slicing &how, F f) {
    static_assert(std::is_convertible_v<std::invoke_result_t<F &, const visit &>, bool>,
                  "the function of a filter returns a bool");
    return detail::sliced(how, std::move(f), TY_BOOL, &x, 1,
                          [&](const ty_slicing &s) { return (ty_filter_slices)(x.get(), s); });
}
/* Return `start` after f(const visit &) has changed it for each slice in order (ty_fold_slices). */
template <class F> tensor fold_slices(const tensor &start, const list &x, const slicing &how, F f) {
    return detail::sliced(
        how, std::move(f), start.ok() ? start.dtype() : TY_DTYPES, x.data(), x.size(),
        [&](const ty_slicing &s) { return (ty_fold_slices)(start.get(), x.count(), x.get(), s); });
}
/* Return `start` as it has become after each slice (ty_scan_slices). */
template <class F> tensor scan_slices(const tensor &start, const list &x, const slicing &how, F f) {
    return detail::sliced(
        how, std::move(f), start.ok() ? start.dtype() : TY_DTYPES, x.data(), x.size(),
        [&](const ty_slicing &s) { return (ty_scan_slices)(start.get(), x.count(), x.get(), s); });
}
/* Return x[0] after f(const visit &) has been called for each slice (ty_each_slice). */
template <class F> tensor each_slice(const list &x, const slicing &how, F f) {
    return detail::sliced(how, std::move(f), TY_DTYPES, x.data(), x.size(),
                          [&](const ty_slicing &s) { return (ty_each_slice)(x.count(), x.get(), s); });
}

TY_CXX_END
#endif
