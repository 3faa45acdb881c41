/* Functions of C++ as callbacks of C: ty::fuse, cond, while_, scan, vmap, compile and custom derivatives.
 *
 * A function is anything that can be called with tensors and returns a tensor, or a std::pair, std::array or std::tuple
 * of tensors.
 * An exception in it does not pass through C: the callback returns poison, and the call around it throws the exception
 * again.  A function that C calls on another thread (a data set's) or from code in C carries the text alone.  Part of
 * <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_CALLBACKS_HPP
#define TYTO_CPLUSPLUS_CALLBACKS_HPP

#include <tyto/cplusplus/arguments.hpp>

#include <array>

TY_CXX_BEGIN

namespace detail {

/* ---- exceptions ---- */

/* Keep the exception that is being handled for the call around the callback, and return poison that stands for it. */
#ifndef TY_NO_EXCEPTIONS
TY_COLD inline ty_tensor *carry(ty_tensor *poison) noexcept {
    carried_now.exception = std::current_exception();
    const char *text = ty_error(poison);
    std::size_t i = 0;
    for (; text[i] && i + 1 < sizeof carried_now.sentence; i++) carried_now.sentence[i] = text[i];
    carried_now.sentence[i] = 0;
    return poison;
}
TY_COLD inline ty_tensor *caught() noexcept {
    try {
        throw;
    } catch (const error &e) {
        return carry(ty_disown(ty_retain(e.poison())));
    } catch (const memory_error &e) {
        return carry(ty_disown(ty_retain(e.poison())));
    } catch (const std::exception &e) {
        return carry(ty_poison_code(TY_ERROR_USER, "callback: %s", e.what()));
    } catch (...) {
        return carry(ty_poison_code(TY_ERROR_USER, "callback: an exception that is no std::exception"));
    }
}
#endif

/* Return the tensor that f makes to C; poison for an exception. */
template <class F> ty_tensor *returned(F &&f) noexcept {
#ifndef TY_NO_EXCEPTIONS
    try {
        tensor y = f();
        return y.empty_handle() ? nullptr : ty_disown(y.release());
    } catch (...) {
        return caught();
    }
#else
    tensor y = f();
    return y.empty_handle() ? nullptr : ty_disown(y.release());
#endif
}

/* A struct that C passes by value or by address. */
template <class T> const T &struct_of(const T &x) noexcept { return x; }
template <class T> const T &struct_of(const T *x) noexcept { return *x; }

/* ---- results of functions ---- */

/* The number of tensors in a result, and the type that callers get: a tensor, or a std::array of several. */
template <class R> constexpr std::size_t count_of() {
    if constexpr (std::is_convertible_v<R, tensor>)
        return 1;
    else
        return std::tuple_size<std::decay_t<R>>::value;
}
template <std::size_t N> using several = std::conditional_t<N == 1, tensor, std::array<tensor, N>>;
template <std::size_t N> several<N> pack(std::array<tensor, N> &&x) {
    if constexpr (N == 1)
        return std::move(x[0]);
    else
        return std::move(x);
}
template <class R, std::size_t... K>
void unpack(R &&result, ty_tensor **to, std::index_sequence<K...>) noexcept {
    if constexpr (std::is_convertible_v<R, tensor>) {
        tensor y(std::forward<R>(result));
        to[0] = y.empty_handle() ? nullptr : ty_disown(y.release());
    } else {
        using std::get; /* of a std::tuple, too, which may be included later */
        tensor y[] = {tensor(get<K>(std::forward<R>(result)))...};
        for (std::size_t k = 0; k < sizeof...(K); k++)
            to[k] = y[k].empty_handle() ? nullptr : ty_disown(y[k].release());
    }
}
/* Write the N results of f to C; poison for an exception. */
template <std::size_t N, class F> void fill(ty_tensor **to, F &&f) noexcept {
#ifndef TY_NO_EXCEPTIONS
    try {
        unpack(f(), to, std::make_index_sequence<N>());
    } catch (...) {
        ty_tensor *poison = caught();
        for (std::size_t i = 0; i < N; i++) to[i] = i ? ty_disown(ty_retain(poison)) : poison;
    }
#else
    unpack(f(), to, std::make_index_sequence<N>());
#endif
}

/* ---- calls of functions ---- */

template <std::size_t> using any_tensor = const tensor &;
template <class F, class I> struct result_of_index;
template <class F, std::size_t... I> struct result_of_index<F, std::index_sequence<I...>> {
    using type = std::invoke_result_t<F &, any_tensor<I>...>;
};
/* The result of F for N tensors. */
template <class F, std::size_t N>
using result_of = typename result_of_index<F, std::make_index_sequence<N>>::type;

template <class F, std::size_t... I>
decltype(auto) apply(F &f, ty_tensor *const *x, std::index_sequence<I...>) {
    return f(tensor::share(x[I])...);
}
/* Call f with N tensors of C. */
template <std::size_t N, class F> decltype(auto) call_with(F &f, ty_tensor *const *x) {
    return apply(f, x, std::make_index_sequence<N>());
}

/* ty_body and ty_branch: the context is the function. */
template <class F, std::size_t N> ty_tensor *body(void *context, ty_tensor *const *x) noexcept {
    return returned([&] { return tensor(call_with<N>(*static_cast<F *>(context), x)); });
}
template <class F, std::size_t N>
void branch(void *context, ty_tensor *const *x, ty_tensor **results) noexcept {
    fill<count_of<result_of<F, N>>()>(
        results, [&]() -> decltype(auto) { return call_with<N>(*static_cast<F *>(context), x); });
}

/* The number of parameters of a function that is not generic. */
template <class F> struct arity : arity<decltype(&F::operator())> {};
template <class R, class... A>
struct arity<R (*)(A...)> : std::integral_constant<std::size_t, sizeof...(A)> {};
template <class R, class... A> struct arity<R (*)(A...) noexcept> : arity<R (*)(A...)> {};
template <class C, class R, class... A> struct arity<R (C::*)(A...)> : arity<R (*)(A...)> {};
template <class C, class R, class... A> struct arity<R (C::*)(A...) const> : arity<R (*)(A...)> {};
template <class C, class R, class... A> struct arity<R (C::*)(A...) noexcept> : arity<R (*)(A...)> {};
template <class C, class R, class... A> struct arity<R (C::*)(A...) const noexcept> : arity<R (*)(A...)> {};

template <class F> inline constexpr bool is_function = !std::is_convertible_v<const F &, const tensor &>;

template <class F> void *context_of(F &f) noexcept {
    return const_cast<void *>(static_cast<const void *>(&f));
}

} // namespace detail

/* ---- callbacks of any function of C ---- */

namespace detail {

template <class F, std::size_t N> class callback_of {
  public:
    explicit callback_of(F f) : f_(std::move(f)) {}
    ty_body body() const noexcept { return detail::body<F, N>; }
    ty_branch branch() const noexcept { return detail::branch<F, N>; }
    void *context() noexcept { return context_of(f_); }

  private:
    F f_;
};

} // namespace detail

/* Return f as a callback of N operands, for ty::call: auto f = callback<1>(...) lives as long as C may call it, and
   f.body() or f.branch() is passed with f.context(). */
template <std::size_t N, class F> detail::callback_of<F, N> callback(F f) {
    return detail::callback_of<F, N>(std::move(f));
}

/* ---- one pass over memory ---- */

/* Compute f of the operands in one pass over memory (ty_fuse). */
template <class F, class... X, class = std::enable_if_t<detail::is_function<F>>>
tensor fuse(F f, const X &...x) {
    const tensor operands[] = {tensor(x)...};
    return detail::take((ty_fuse)(detail::body<F, sizeof...(X)>, detail::context_of(f),
                                  static_cast<int>(sizeof...(X)), detail::pointers(operands)));
}

/* ---- branches and loops ---- */

/* Return then(x...) if the predicate is true, else otherwise(x...) (ty_cond). */
template <class F, class G, class... X>
auto cond(const tensor &predicate, F then, G otherwise, const X &...x) {
    constexpr std::size_t n = sizeof...(X), results = detail::count_of<detail::result_of<F, n>>();
    static_assert(results == detail::count_of<detail::result_of<G, n>>(),
                  "branches have equally many results");
    struct both {
        F then;
        G otherwise;
    } context = {std::move(then), std::move(otherwise)};
    const std::array<tensor, n> operands = {tensor(x)...};
    std::array<tensor, results> y;
    (ty_cond)(
        predicate.get(),
        [](void *c, ty_tensor *const *in, ty_tensor **out) {
            detail::branch<F, n>(&static_cast<both *>(c)->then, in, out);
        },
        [](void *c, ty_tensor *const *in, ty_tensor **out) {
            detail::branch<G, n>(&static_cast<both *>(c)->otherwise, in, out);
        },
        &context, static_cast<int>(n), detail::pointers(operands.data()), static_cast<int>(results),
        detail::pointers(y.data()));
    detail::take_all(results, y.data());
    return detail::pack<results>(std::move(y));
}

/* The end of a loop: the last carries and the number of steps. */
template <std::size_t N> struct loop_end {
    detail::several<N> last;
    tensor steps;
};
/* Replace the carries by next(carries...) while condition(carries...) is true, at most `most` times; 0: no limit
   (ty_while). */
template <class C, class F, class... X> auto while_(C condition, F next, int64_t most, const X &...carry) {
    constexpr std::size_t n = sizeof...(X);
    static_assert(n == detail::count_of<detail::result_of<F, n>>(),
                  "next() returns one tensor for each carry");
    struct both {
        C condition;
        F next;
    } context = {std::move(condition), std::move(next)};
    const std::array<tensor, n> first = {tensor(carry)...};
    std::array<tensor, n + 1> y;
    (ty_while)([](void *c,
                  ty_tensor *const *x) { return detail::body<C, n>(&static_cast<both *>(c)->condition, x); },
               [](void *c, ty_tensor *const *in, ty_tensor **out) {
                   detail::branch<F, n>(&static_cast<both *>(c)->next, in, out);
               },
               &context, static_cast<int>(n), detail::pointers(first.data()), most,
               detail::pointers(y.data()), detail::pointers(&y[n]));
    detail::take_all(n + 1, y.data());
    tensor steps = std::move(y[n]);
    std::array<tensor, n> last;
    for (std::size_t i = 0; i < n; i++) last[i] = std::move(y[i]);
    return loop_end<n>{detail::pack<n>(std::move(last)), std::move(steps)};
}

/* One step of a scan: operands to read, results to set. */
class step {
  public:
    explicit step(ty_step *now) noexcept : step_(now) {}
    tensor index() const { return tensor::share(step_->index); }
    tensor carry(std::size_t i = 0) const { return tensor::share(step_->carry[i]); }
    tensor x(std::size_t i = 0) const { return tensor::share(step_->x[i]); }
    void set_carry(std::size_t i, tensor value) const { step_->next[i] = ty_disown(value.release()); }
    void set_y(std::size_t i, tensor value) const { step_->y[i] = ty_disown(value.release()); }
    /* Stop after this step if the condition is true. */
    void stop(tensor condition) const { step_->stop = ty_disown(condition.release()); }
    ty_step *get() const noexcept { return step_; }

  private:
    ty_step *step_;
};
/* Results of a scan: the last carries, the stacked results, and the number of steps. */
struct scanned {
    std::vector<tensor> last{}, y{};
    tensor steps{};
};
/* Numbers of a scan, as in ty_scan_spec. */
struct scan_options {
    int ny = 0;         /* results of a step */
    int64_t length = 0; /* steps, without sequences */
    bool reverse = false;
    int64_t checkpoint = 0;
};
/* Call f(step) for each element of the sequences x (ty_scan). */
template <class F> scanned scan(F f, const list &carry, const list &x, const scan_options &options = {}) {
    struct running {
        F f;
        std::size_t ncarry, ny;
    } context = {std::move(f), carry.size(), static_cast<std::size_t>(options.ny)};
    ty_step_function call = [](void *c, ty_step *s) noexcept {
        running *now = static_cast<running *>(c);
        ty_tensor *poison = detail::returned([&] { return now->f(step(s)), tensor(0); });
        if (ty_ok(poison)) return;
        for (std::size_t i = 0; i < now->ncarry; i++) s->next[i] = poison;
        for (std::size_t i = 0; i < now->ny; i++) s->y[i] = poison;
    };
    ty_scan_spec spec = {};
    spec.ncarry = carry.count();
    spec.carry = carry.get();
    spec.nx = x.count();
    spec.x = x.get();
    spec.ny = options.ny;
    spec.length = options.length;
    spec.reverse = options.reverse;
    spec.checkpoint = options.checkpoint;
    scanned y;
    y.last.resize(context.ncarry);
    y.y.resize(context.ny);
    ty_tensor *steps = nullptr;
    (ty_scan)(call, &context, spec, detail::pointers(y.last.data()), detail::pointers(y.y.data()), &steps);
    y.steps = tensor::adopt(ty_own(steps));
    detail::take_all(context.ny, y.y.data());
    detail::take_all(context.ncarry, y.last.data());
    detail::check(y.steps);
    return y;
}

/* ---- batches ---- */

namespace detail {

template <class F> struct batched {
    F f;
    std::vector<int> axes; /* empty: 0 for all */
    template <class... X> auto operator()(const X &...x) {
        constexpr std::size_t n = sizeof...(X), results = count_of<result_of<F, n>>();
        const std::array<tensor, n> operands = {tensor(x)...};
        std::array<tensor, results> y;
        const bool fits = axes.empty() || axes.size() == n;
        if (!TY_LIKELY(fits))
            y[0] = refuse(ty_poison_code(TY_ERROR_ARGUMENT,
                                         "vmap: %d operands and %d axes; expected equally many", length(n),
                                         length(axes.size())));
        else
            (ty_vmap)(branch<F, n>, context_of(f), static_cast<int>(n), pointers(operands.data()),
                      axes.empty() ? nullptr : axes.data(), static_cast<int>(results), pointers(y.data()),
                      nullptr);
        if (fits) take_all(results, y.data());
        return pack<results>(std::move(y));
    }
};

} // namespace detail

/* Return a function that applies f, a function of one example, to batches along axis 0, or along these axes of its
   operands (ty_vmap); TY_NO_AXIS shares an operand. */
template <class F> detail::batched<F> vmap(F f, std::initializer_list<int> axes = {}) {
    return {std::move(f), axes};
}

/* ---- compiled functions ---- */

namespace detail {

template <class F, std::size_t N> class compiled {
  public:
    static constexpr std::size_t results = count_of<result_of<F, N>>();
    compiled(F f, const ty_compile_options &options)
        : f_(new F(std::move(f))), function_((ty_function_new)(branch<F, N>, f_, static_cast<int>(N),
                                                               static_cast<int>(results), options)) {}
    compiled(const compiled &) = delete;
    compiled &operator=(const compiled &) = delete;
    compiled(compiled &&x) noexcept
        : f_(std::exchange(x.f_, nullptr)), function_(std::exchange(x.function_, nullptr)) {}
    compiled &operator=(compiled &&x) noexcept {
        std::swap(f_, x.f_);
        std::swap(function_, x.function_);
        return *this;
    }
    ~compiled() {
        ty_function_free(function_);
        delete f_;
    }
    template <class... X> auto operator()(const X &...x) const {
        static_assert(sizeof...(X) == N, "the function has another number of operands");
        const std::array<tensor, N> operands = {tensor(x)...};
        std::array<tensor, results> y;
        (ty_function_call)(function_, static_cast<int>(N), pointers(operands.data()),
                           static_cast<int>(results), pointers(y.data()));
        take_all(results, y.data());
        return pack<results>(std::move(y));
    }
    /* Return the number of programs that were compiled, one for each combination of dtypes and shapes. */
    int64_t compiles() const noexcept { return ty_function_compiles(function_); }
    ty_function *get() const noexcept { return function_; }

  private:
    F *f_;
    ty_function *function_;
};

} // namespace detail

/* Return f, compiled once for each combination of dtypes and shapes (ty_function_new).  For a generic function give the
   number of operands: compile<2>(f). */
template <std::size_t N, class F>
detail::compiled<F, N> compile(F f, const ty_compile_options &options = {}) {
    return {std::move(f), options};
}
template <class F, class = std::enable_if_t<detail::is_function<F>>>
auto compile(F f, const ty_compile_options &options = {}) {
    return detail::compiled<F, detail::arity<F>::value>(std::move(f), options);
}

TY_CXX_END
#endif
