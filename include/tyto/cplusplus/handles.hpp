/* Owners of contexts, programs, models, trainers, data sets, loaders, archives, graphs and scopes.  They move and do
   not copy; get() is the handle of C, for functions without a member here.  Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_HANDLES_HPP
#define TYTO_CPLUSPLUS_HANDLES_HPP

#include <tyto/cplusplus/callbacks.hpp>
#include <tyto/cplusplus/print.hpp>
#include <tyto/table_rows.h>

TY_CXX_BEGIN

namespace detail {

/* Return the error of a handle as poison. */
#define TY_FAILURE(name)                                                                                     \
    inline ty_tensor *failure_of(const ty_##name *x) { return (ty_##name##_failure)(x); }
TY_FAILURE(program)
TY_FAILURE(model)
TY_FAILURE(trainer)
TY_FAILURE(dataset)
TY_FAILURE(loader)
TY_FAILURE(archive)
TY_FAILURE(graph)
TY_FAILURE(table)
TY_FAILURE(walk)
#undef TY_FAILURE

} // namespace detail

/* Owns a handle H of C, which Free frees and whose error is Error(handle). */
template <class H, void (*Free)(H *), const char *(*Error)(const H *)> class handle {
  public:
    handle() noexcept = default;
    /* Take over a handle.  Throws the reason if it has failed. */
    explicit handle(H *owned) : h_(owned) {
#ifndef TY_NO_EXCEPTIONS
        if (TY_LIKELY(ok())) return;
        ty_tensor *reason = detail::failure_of(h_);
        Free(std::exchange(h_, nullptr));
        detail::refuse(reason);
#endif
    }
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;
    handle(handle &&x) noexcept : h_(std::exchange(x.h_, nullptr)) {}
    handle &operator=(handle &&x) noexcept {
        std::swap(h_, x.h_);
        return *this;
    }
    ~handle() { Free(h_); }
    H *get() const noexcept { return h_; }
    [[nodiscard]] H *release() noexcept { return std::exchange(h_, nullptr); }
    bool ok() const noexcept { return h_ && !*Error(h_); }
    explicit operator bool() const noexcept { return ok(); }
    const char *error_text() const noexcept { return Error(h_); }

  protected:
    /* Throw the handle's error unless an action was done. */
    bool done(bool well) const {
        if (!TY_LIKELY(well)) detail::refuse(detail::failure_of(h_));
        return well;
    }

  private:
    H *h_ = nullptr;
};

/* An open scope of C, which owns the tensors that functions of C return until the end of the block. */
class scope {
  public:
    scope() noexcept : scope_(ty_open()) {}
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    ~scope() { ty_close(scope_); }

  private:
    ty_scope *scope_;
};

namespace detail {

/* Return a tensor that something else may own: a scope owns it in the meantime if nothing does. */
template <class F> tensor shared(F f) {
    scope open;
    tensor x = tensor::share(f());
    check(x);
    return x;
}

} // namespace detail

namespace detail {

/* Return a report, which a function returns or writes. */
template <class R, class H> R report_of(R (*function)(H *), H *handle) { return function(handle); }
template <class R, class H> R report_of(void (*function)(H *, R *), H *handle) {
    R report = {};
    function(handle, &report);
    return report;
}

} // namespace detail

/* A context: settings, limits and requests to stop of the threads that use it (ty_context).  Other threads may call
   interrupt, resume, deadline and limits.  After a move the old object is empty: these then do nothing, and threads
   that use it compute in the default context. */
class context {
  public:
    explicit context(const ty_context_options &options = {}) : c_((ty_context_new)(options)) {
#ifndef TY_NO_EXCEPTIONS
        ty_tensor *reason = ty_context_failure(c_);
        if (TY_LIKELY(!reason)) return;
        ty_context_free(std::exchange(c_, nullptr));
        detail::refuse(reason);
#endif
    }
    context(const context &) = delete;
    context &operator=(const context &) = delete;
    context(context &&x) noexcept : c_(std::exchange(x.c_, nullptr)) {}
    context &operator=(context &&x) noexcept {
        std::swap(c_, x.c_);
        return *this;
    }
    ~context() { ty_context_free(c_); }
    ty_context *get() const noexcept { return c_; }
    bool ok() const noexcept {
        ty_tensor *reason = c_ ? ty_context_failure(c_) : nullptr;
        if (reason) ty_release(ty_own(reason));
        return c_ && !reason;
    }
    explicit operator bool() const noexcept { return ok(); }

    /* Ask all that is computed in the context to fail with interrupted_error, until resume. */
    void interrupt() noexcept {
        if (c_) ty_interrupt(c_);
    }
    /* Undo interrupt, and remove the deadline. */
    void resume() noexcept {
        if (c_) ty_resume(c_);
    }
    bool interrupted() const noexcept { return c_ && ty_interrupted(c_); }
    /* Let calls fail with timeout_error once so many seconds from now have passed, until resume. */
    void deadline(double seconds) noexcept {
        if (c_) ty_deadline(c_, seconds);
    }
    /* The same for a duration of <chrono>. */
    template <class D, class P = typename D::period> void deadline(D duration) noexcept {
        deadline(static_cast<double>(duration.count()) * static_cast<double>(P::num) /
                 static_cast<double>(P::den));
    }
    /* Let calls fail with limit_error beyond so many operations from now, or bytes at one time; 0: no limit. */
    void limits(double operations, std::int64_t bytes) noexcept {
        if (c_) ty_limits(c_, operations, bytes);
    }

    /* Lets the thread compute in a context, until the end of the block. */
    class use {
      public:
        explicit use(const context &x) noexcept : before_(ty_context_use(x.c_)) {}
        use(const use &) = delete;
        use &operator=(const use &) = delete;
        ~use() { ty_context_use(before_); }

      private:
        ty_context *before_;
    };

  private:
    ty_context *c_;
};

/* A compiled program. */
class program : public handle<ty_program, ty_program_free, ty_program_error> {
  public:
    program() noexcept = default;
    explicit program(const list &outputs, const ty_compile_options &options = {})
        : handle((ty_compile)(outputs.count(), outputs.get(), options)), n_(outputs.size()) {}
    bool run() { return done(ty_run(get())); }
    /* Run and return all outputs, which later runs leave unchanged. */
    std::vector<tensor> run_outputs() {
        std::vector<tensor> y(n_);
        (ty_run_outputs)(get(), static_cast<int>(n_), detail::pointers(y.data()));
        detail::take_all(n_, y.data());
        return y;
    }
    /* Return output i of the last run. */
    tensor output(int i = 0) const {
        return detail::shared([&] { return (ty_output)(get(), i); });
    }
    ty_report report() const {
        return detail::report_of(ty_program_report, static_cast<const ty_program *>(get()));
    }
    std::string text() const { return detail::text(ty_program_text(get())); }

  private:
    std::size_t n_ = 0;
};

/* A model.  Its function is called as f(layer, x...) and returns its results; layers inside are those of
   layer_linear(layer, "name", x, {...}) and others. */
class model : public handle<ty_model, ty_model_free, ty_model_error> {
  public:
    model() noexcept = default;
    explicit model(ty_model *owned) : handle(owned) {}
    /* Make a model of f.  For more than one operand: model::of<2>(f). */
    template <class F, class = std::enable_if_t<std::is_invocable_v<F &, ty_layer *, const tensor &>>>
    explicit model(F f, ty_model_options options = {}) : model(of<1>(std::move(f), options)) {}
    template <std::size_t N, class F> static model of(F f, ty_model_options options = {}) {
        using result = decltype(layered<F>(f, nullptr, nullptr, std::make_index_sequence<N>()));
        constexpr std::size_t results = detail::count_of<result>();
        auto call = [](ty_layer *self, const void *context, int, ty_tensor *const *x, ty_tensor **y) {
            F &forward = *static_cast<F *>(const_cast<void *>(context));
            detail::fill<results>(y, [&]() -> decltype(auto) {
                return layered(forward, self, x, std::make_index_sequence<N>());
            });
        };
        options.inputs = static_cast<int>(N);
        options.results = static_cast<int>(results);
        model made;
        made.f_ = function(new F(std::move(f)), [](void *kept) { delete static_cast<F *>(kept); });
        static_cast<handle &>(made) = handle((ty_model_new)(call, made.f_.get(), options));
        return made;
    }
    /* Compute in inference, or with a key in training. */
    tensor operator()(const tensor &x, const tensor &key = {}) {
        return detail::shared([&] { return (ty_model_forward)(get(), x.get(), key.get()); });
    }
    /* Compute all results of all operands. */
    std::vector<tensor> operator()(const list &x, const tensor &key = {}) {
        std::vector<tensor> y(static_cast<std::size_t>(ty_model_results(get())));
        (ty_model_call)(get(), key.get(), x.count(), x.get(), detail::pointers(y.data()));
        detail::take_all(y.size(), y.data());
        return y;
    }
    /* Make the parameters for operands of these shapes. */
    bool build(const list &x) {
        ty_tensor *reason = nullptr;
        return detail::done((ty_model_build)(get(), x.count(), x.get(), &reason), reason);
    }
    int parameters() const noexcept { return ty_model_parameters(get()); }
    tensor parameter(int i) const {
        return detail::shared([&] { return (ty_model_parameter)(get(), i); });
    }
    /* Return the parameter or state of a name. */
    tensor find(const cstring &name) const {
        return detail::shared([&] { return (ty_model_find)(get(), name.get()); });
    }
    bool save(const cstring &path, const ty_weights_options &options = {}) const {
        ty_tensor *reason = nullptr;
        return detail::done((ty_model_save)(get(), path.get(), options, &reason), reason);
    }
    bool load(const cstring &path, const ty_weights_options &options = {}) {
        ty_tensor *reason = nullptr;
        return detail::done((ty_model_load)(get(), path.get(), options, &reason), reason);
    }
    std::string summary() const { return detail::text(ty_model_summary(get())); }
    model(model &&x) noexcept : handle(std::move(x)), f_(std::move(x.f_)) {}
    model &operator=(model &&x) noexcept {
        handle::operator=(std::move(x));
        std::swap(f_, x.f_);
        return *this;
    }
    ~model() { ty_model_free(release()); } /* before its function */

  private:
    template <class F, std::size_t... I>
    static decltype(auto) layered(F &f, ty_layer *self, ty_tensor *const *x, std::index_sequence<I...>) {
        return f(self, tensor::share(x[I])...);
    }
    /* Owns a function of any type. */
    class function {
      public:
        function() noexcept = default;
        function(void *f, void (*free)(void *)) noexcept : f_(f), free_(free) {}
        function(const function &) = delete;
        function &operator=(const function &) = delete;
        function(function &&x) noexcept : f_(std::exchange(x.f_, nullptr)), free_(x.free_) {}
        function &operator=(function &&x) noexcept {
            std::swap(f_, x.f_);
            std::swap(free_, x.free_);
            return *this;
        }
        ~function() {
            if (f_) free_(f_);
        }
        void *get() const noexcept { return f_; }

      private:
        void *f_ = nullptr;
        void (*free_)(void *) = nullptr;
    };
    function f_{};
};

/* Parameters, states and keys inside a model's function. */
inline tensor layer_parameter(ty_layer *self, const cstring &name, const ty_parameter &parameter) {
    return detail::shared([&] { return (ty_layer_parameter)(self, name.get(), parameter); });
}
inline tensor layer_state(ty_layer *self, const cstring &name, const ty_parameter &form) {
    return detail::shared([&] { return (ty_layer_state)(self, name.get(), form); });
}
/* Return the key of random numbers; an empty handle in inference. */
inline tensor layer_key(ty_layer *self) {
    ty_tensor *key = (ty_layer_key)(self);
    return key ? detail::take(key) : tensor();
}

/* A training of a model, which outlives it. */
class trainer : public handle<ty_trainer, ty_trainer_free, ty_trainer_error> {
  public:
    trainer() noexcept = default;
    trainer(model &trained, const ty_trainer_options &options)
        : handle((ty_trainer_new)(trained.get(), options)) {}
    /* Do one step; returns the loss before it. */
    double step() {
        double loss = ty_trainer_step(get());
        done(!*error_text());
        return loss;
    }
    /* Do steps until `steps` are done in total. */
    bool run(int64_t steps) { return done(ty_trainer_run(get(), steps, nullptr, nullptr)); }
    /* Do steps until `steps` are done in total, or each(now) of a step, a ty_moment, returns false.  Returns true if
       all were done. */
    template <class F> bool run(int64_t steps, F each) {
        struct watching {
            F each;
            tensor fault;
        } context = {std::move(each), {}};
        auto call = [](void *kept, auto now) -> bool {
            watching *w = static_cast<watching *>(kept);
            bool more = false;
            ty_tensor *x = detail::returned([&] {
                more = w->each(detail::struct_of(now));
                return tensor(0);
            });
            tensor result = tensor::adopt(ty_own(x));
            if (!result.ok()) w->fault = std::move(result), more = false;
            return more;
        };
        bool complete = ty_trainer_run(get(), steps, call, &context);
        detail::check(context.fault);
        if (!complete && *error_text()) done(false);
        return complete;
    }
    int64_t steps() const noexcept { return ty_trainer_steps(get()); }
    void set_rate(double rate) { ty_trainer_set_rate(get(), rate); }
    double accuracy(const tensor &inputs, const tensor &labels) {
        ty_tensor *reason = nullptr;
        double share = (ty_trainer_accuracy)(get(), inputs.get(), labels.get(), &reason);
        detail::done(!reason, reason);
        return share;
    }
    bool save(const cstring &path) const {
        ty_tensor *reason = nullptr;
        return detail::done((ty_trainer_save)(get(), path.get(), &reason), reason);
    }
    bool load(const cstring &path) {
        ty_tensor *reason = nullptr;
        return detail::done((ty_trainer_load)(get(), path.get(), &reason), reason);
    }
};

/* A set of examples; ty::dataset(ty_dataset_digits(1, 0, 100)). */
class dataset : public handle<ty_dataset, ty_dataset_free, ty_dataset_error> {
  public:
    using handle::handle;
    /* Make a data set of tensors whose axis 0 counts the examples. */
    explicit dataset(const list &fields)
        : handle((ty_dataset_arrays)(fields.count(), fields.get(), nullptr)) {}
    int64_t size() const noexcept { return ty_dataset_size(get()); }
    int fields() const noexcept { return ty_dataset_fields(get()); }
    /* Return the fields of an example. */
    std::vector<tensor> operator[](int64_t i) const {
        std::vector<tensor> example(static_cast<std::size_t>(fields()));
        (ty_dataset_get)(get(), i, fields(), detail::pointers(example.data()));
        detail::take_all(example.size(), example.data());
        return example;
    }
};

/* Batches of a data set. */
class loader : public handle<ty_loader, ty_loader_free, ty_loader_error> {
  public:
    loader() noexcept = default;
    explicit loader(const dataset &set, const ty_loader_options &options = {})
        : handle((ty_loader_new)(set.get(), options)) {}
    /* Get the next batch.  False once at the end of each epoch. */
    bool next(std::vector<tensor> &batch) {
        batch.assign(static_cast<std::size_t>(ty_loader_fields(get())), {});
        bool more = (ty_loader_next)(get(), static_cast<int>(batch.size()), detail::pointers(batch.data()));
        if (more)
            detail::take_all(batch.size(), batch.data());
        else
            drop(batch);
        return more;
    }
    int64_t batches() const noexcept { return ty_loader_batches(get()); }

  private:
    /* Release the poison that stands for the end of an epoch. */
    static void drop(std::vector<tensor> &batch) {
        for (std::size_t i = batch.size(); i-- > 0;) {
            ty_tensor *x = batch[i].release();
            if (x) ty_release(ty_own(x));
        }
        batch.clear();
    }
};

/* The named tensors of a file. */
class archive : public handle<ty_archive, ty_archive_free, ty_archive_error> {
  public:
    archive() noexcept = default;
    explicit archive(const cstring &path, const ty_file_options &options = {})
        : handle((ty_archive_open)(path.get(), options)) {}
    explicit archive(ty_archive *owned) : handle(owned) {}
    int size() const noexcept { return ty_archive_count(get()); }
    const char *name(int i) const noexcept { return ty_archive_name(get(), i); }
    tensor operator[](int i) const { return detail::take((ty_archive_at)(get(), i)); }
    tensor operator[](const cstring &name) const { return detail::take((ty_archive_get)(get(), name.get())); }
};

/* A graph that was read from a file. */
class graph : public handle<ty_graph, ty_graph_free, ty_graph_error> {
  public:
    using handle::handle;
};

TY_CXX_END
#endif
