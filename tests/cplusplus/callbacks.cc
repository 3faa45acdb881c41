// Functions of C++ as callbacks, exceptions through C, programs, models and other owners.
#include <tyto/tyto.hpp>

#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "check.hpp"

using ty::tensor;

// An exception that no library knows.
struct surprise {
    int number;
};
struct resource_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static tensor square(const tensor &x) { return x * x; }

// ---- derivatives ----

static void derivatives() {
    tensor x = ty::array<double>({1, 2, 3}), y = ty::array<double>({4, 5, 6});
    CHECK(is<double>(ty::grad(square)(x), {2, 4, 6}));
    auto product = [](const tensor &a, const tensor &b) { return ty::sum(a * b); };
    auto [a, b] = ty::grad(product)(x, y);
    CHECK(is<double>(a, {4, 5, 6}) && is<double>(b, {1, 2, 3}));
    auto [value, gradient] = ty::value_and_grad([](const tensor &z) { return ty::sum(z * z); })(x);
    CHECK(value.item<double>() == 14 && is<double>(gradient, {2, 4, 6}));
    auto second =
        ty::grad([](const tensor &z) { return ty::grad([](const tensor &w) { return w * w * w; })(z); });
    CHECK(is<double>(second(x), {6, 12, 18}));
    double factor = 3; // captured
    CHECK(is<double>(ty::grad([&](const tensor &z) { return factor * z; })(x), {3, 3, 3}));
    CHECK(ty::jacobian(square)(x).rank() == 2 && ty::hessian(square)(x).at<double>(1, 1) == 2);
    CHECK(is<double>(ty::jvp(square, x, ty::ones<double>({3})).derivatives, {2, 4, 6}));
    CHECK(is<double>(ty::vjp(square, x, y).derivatives, {8, 20, 36}));
    tensor v = ty::var(x, "v");
    CHECK(is<double>(ty::grad(ty::sum(v * v), {v})[0], {2, 4, 6})); // the function of C
    auto ten = ty::custom([](const tensor &z) { return z * 2; },
                          [](const tensor &, const tensor &, const tensor &g) { return g * 10; });
    CHECK(is<double>(ten(x), {2, 4, 6}) && is<double>(ty::grad(ten)(x), {10, 10, 10}));
}

// ---- loops, branches, batches, compiled functions ----

// Functions of a list of tensors, whose number is known at the call alone.
static void lists() {
    auto f = [](const std::vector<tensor> &w) {
        tensor sum = 0.0;
        for (const tensor &each : w) sum = sum + ty::sum(each * each);
        return sum;
    };
    const std::vector<tensor> two = {ty::array<double>({1, 2}), ty::array<double>({3})};
    std::vector<tensor> g = ty::grad(f)(two);
    CHECK(g.size() == 2 && is<double>(g[0], {2, 4}) && is<double>(g[1], {6}));
    CHECK(is<double>(ty::grad(f)({two[1]})[0], {6}));
    auto [value, derivatives] = ty::value_and_grad(f)(two);
    CHECK(value.item<double>() == 14 && derivatives.size() == 2 && is<double>(derivatives[1], {6}));
    auto nested = ty::grad([&](const tensor &x) { return ty::sum(ty::grad(f)({x, x})[1]); });
    CHECK(is<double>(nested(two[0]), {2, 2}));
    FAILS(std::domain_error, "no such list", ty::grad([](const std::vector<tensor> &) -> tensor {
              throw std::domain_error("no such list");
          })(two));
    FAILS(ty::error, "do not broadcast", ty::value_and_grad([](const std::vector<tensor> &w) {
              return ty::sum(w[0] + ty::ones<double>({3}));
          })(two));
    auto pair = ty::compile([](const tensor &x) { return std::make_tuple(x, x + 1); });
    CHECK(is<double>(std::get<1>(pair(two[0])), {2, 3}));
}

static void any_callback() {
    auto f = ty::callback<2>([](const tensor &x, const tensor &p) { return x * x * p; });
    tensor p = 3;
    ty_tensor *parameters[] = {p.get()};
    tensor area =
        ty::call(ty_quad, f.body(), f.context(), 0.0, 2.0, 1, parameters, ty_quad_options{}, nullptr);
    CHECK(ty::is_close(area, 8, 1e-9, 1e-9, false).item<bool>());
    auto bad = ty::callback<1>([](const tensor &) -> tensor { throw resource_error("the disk is full"); });
    FAILS(resource_error, "the disk",
          ty::call(ty_quad, bad.body(), bad.context(), 0.0, 2.0, 0, nullptr, ty_quad_options{}, nullptr));
}

static void control() {
    any_callback();
    tensor x = ty::array<double>({1, 2, 3});
    auto twice = [](const tensor &z) { return z * 2; };
    CHECK(is<double>(ty::cond(true, twice, square, x), {2, 4, 6}));
    tensor p = ty::var(ty::array<bool>(false), "p");
    CHECK(is<double>(ty::cond(p, twice, square, x), {1, 4, 9}));
    auto loop = ty::while_([](const tensor &i, const tensor &) { return i < 5; },
                           [](const tensor &i, const tensor &s) {
                               return std::array<tensor, 2>{i + 1, s + i};
                           },
                           0, ty::scalar<int64_t>(0), ty::scalar<double>(0));
    CHECK(loop.steps.item<int>() == 5 && loop.last[1].item<double>() == 10);
    ty::scan_options options;
    options.ny = 1;
    ty::scanned sums = ty::scan(
        [](const ty::step &s) {
            tensor sum = s.carry() + s.x();
            s.set_carry(0, sum);
            s.set_y(0, sum * 10);
        },
        {ty::scalar<double>(0)}, {x}, options);
    CHECK(sums.last[0].item<double>() == 6 && is<double>(sums.y[0], {10, 30, 60}) &&
          sums.steps.item<int>() == 3);
    tensor rows = ty::array<double>({{1, 2}, {3, 4}});
    CHECK(is<double>(ty::vmap([](const tensor &row) { return ty::sum(row); })(rows), {3, 7}));
    CHECK(is<double>(ty::vmap([](const tensor &row, const tensor &w) { return ty::sum(row) * w; },
                              {1, TY_NO_AXIS})(rows, 2),
                     {8, 12}));
    FAILS(ty::error, "2 operands and 1 axes",
          ty::vmap([](const tensor &a, const tensor &) { return a; }, {0})(rows, rows));
    auto f = ty::compile([](const tensor &a, const tensor &b) {
        return std::array<tensor, 2>{a + b, a * b};
    });
    auto [sum, product] = f(x, x);
    CHECK(is<double>(sum, {2, 4, 6}) && is<double>(product, {1, 4, 9}));
    f(x, x);
    CHECK(f.compiles() == 1);
    auto g = ty::compile<1>([](const auto &z) { return -z; });
    auto h = std::move(g);
    CHECK(is<double>(h(x), {-1, -2, -3}) && is<double>(ty::compile(square)(x), {1, 4, 9}));
    CHECK(is<double>(ty::fuse([](const tensor &a, const tensor &b) { return a * b + 1; }, x, x), {2, 5, 10}));
}

// ---- functions that see values ----

static void calls() {
    tensor x = ty::array<double>({1, 2, 3});
    double offset = 10;
    auto shift = ty::callee(
        [offset](const ty::called &c) {
            auto in = c.data<double>();
            auto out = c.y<double>();
            for (std::size_t i = 0; i < in.size(); i++) out[i] = in[i] + offset;
        },
        ty::form::of(x), [](const tensor &, const tensor &, const tensor &g) { return g * 2; });
    CHECK(is<double>(shift(x), {11, 12, 13}) && is<double>(shift(ty::lazy(x)).eval(), {11, 12, 13}));
    CHECK(is<double>(ty::grad(shift)(x), {2, 2, 2}));
    std::array<ty::form, 2> forms = {ty::form(ty::i64), ty::form(ty::f64, {3})};
    auto both = ty::callee(
        [](const ty::called &c) {
            c.y<int64_t>(0)[0] = static_cast<int64_t>(c.size());
            c.set_y(1, c.x(0) + c.x(1));
        },
        forms);
    auto [count, sum] = both(x, 1);
    CHECK(count.item<int>() == 2 && is<double>(sum, {2, 3, 4}));
    // An exception of a run of a program comes out of the run.
    auto bad =
        ty::callee([](const ty::called &) { throw resource_error("the disk is full"); }, ty::form::of(x));
    FAILS(resource_error, "the disk", bad(x));
    tensor v = ty::var(x, "v");
    ty::program program({bad(v)});
    FAILS(resource_error, "the disk", program.run());
    auto other = ty::callee([](const ty::called &c) { c.y<float>(); }, ty::form::of(x), {true, false});
    FAILS(ty::dtype_error, "a result as f32: its elements are f64", other(x));
}

static void slices() {
    tensor x = ty::array<double>({{1, 2, 3}, {4, 5, 6}});
    auto sum = [](const ty::visit &v) {
        double all = 0;
        for (double one : v.x<double>()) all += one;
        *v.y<double>() = all;
    };
    CHECK(is<double>(ty::map_slices({x}, ty::f64, -1, sum), {6, 15}));
    CHECK(is<double>(ty::map_slices({ty::lazy(x)}, ty::form(ty::f64), ty::slicing(0, true), sum).eval(),
                     {5, 7, 9}));
    CHECK(is<int64_t>(ty::map_slices({x}, ty::i64, {},
                                     [](const ty::visit &v) { *v.y<int64_t>() = v.i() + 10 * v.index()[0]; }),
                      {0, 1, 2, 13, 14, 15}));
    ty::slicing uneven;
    uneven.each = {-1, 0};
    CHECK(is<double>(
        ty::map_slices({x, ty::array<double>({1, 0, 2})}, ty::f64, uneven,
                       [](const ty::visit &v) { *v.y<double>() = v.x<double>(0)[2] * v.x<double>(1)[2]; }),
        {6, 12}));
    FAILS(ty::argument_error, "1 operands and 2 sets", ty::map_slices({x}, ty::f64, uneven, sum));
    double most = 4;
    CHECK(is<double>(ty::filter_slices(x, {}, [&](const ty::visit &v) { return v.first<double>() > most; }),
                     {5, 6}));
    auto larger = [](const ty::visit &v) { *v.y<double>() += v.first<double>(); };
    CHECK(ty::fold_slices(ty::scalar<double>(1), {x}, {}, larger).item<double>() == 22);
    CHECK(is<double>(ty::scan_slices(ty::scalar<double>(0), {x(0)}, {}, larger), {1, 3, 6}));
    int calls = 0;
    CHECK(ty::each_slice({x}, -1, [&](const ty::visit &) { return ++calls < 3; }).get() == x.get() &&
          calls == 2);
    FAILS(ty::user_error, "each_slice: slice 1: the function failed",
          ty::each_slice({x}, {}, [](const ty::visit &v) { return v.i() < 1; }));
    FAILS(resource_error, "the disk", ty::map_slices({x}, ty::f64, -1, [](const ty::visit &) {
              throw resource_error("the disk is full");
          }));
    FAILS(std::exception, "the disk", // on other threads the text alone
          ty::map_slices({ty::ones<double>({1000})}, ty::f64, ty::slicing(ty::slicing().over, true),
                         [](const ty::visit &v) {
                             if (v.i() > 0) throw resource_error("the disk is full");
                         }));
    FAILS(ty::dtype_error, "a slice as i32: its elements are f64",
          ty::map_slices({x}, ty::f64, -1, [](const ty::visit &v) { v.x<int>(); }));
    auto owner = std::make_shared<int>(1); // the library drops its copy of the function
    ty::each_slice({x}, -1, [owner](const ty::visit &) {});
    {
        ty::map_slices({ty::lazy(x)}, ty::f64, -1, [owner, sum](const ty::visit &v) { sum(v); }).eval();
    }
    CHECK(owner.use_count() == 1);
}

// ---- exceptions ----

// Call with functions that throw: the exception comes out of the call, whatever its type.
template <class Call> void throws_through(Call call) {
    FAILS(std::runtime_error, "the disk",
          call([](const tensor &) -> tensor { throw resource_error("the disk is full"); }));
    FAILS(resource_error, "the disk",
          call([](const tensor &) -> tensor { throw resource_error("the disk is full"); }));
    FAILS(ty::error, "reshape", call([](const tensor &x) { return ty::reshape(x, {99}); }));
    FAILS(std::bad_alloc, "", call([](const tensor &) -> tensor { throw std::bad_alloc(); }));
    int number = 0;
    try {
        call([](const tensor &) -> tensor { throw surprise{42}; });
    } catch (const surprise &s) {
        number = s.number;
    }
    CHECK(number == 42);
    tensor fine = call([](const tensor &x) { return x * 2; });
    CHECK(fine.ok());
}
static void exceptions() {
    tensor x = ty::array<double>({1, 2, 3});
    throws_through([&](auto f) { return ty::grad(f)(x); });
    throws_through([&](auto f) { return ty::fuse(f, x); });
    throws_through([&](auto f) { return ty::vmap(f)(x); });
    throws_through([&](auto f) { return ty::compile(f)(x); });
    throws_through([&](auto f) { return ty::cond(true, f, f, x); });
    throws_through([&](auto f) { return ty::cond(ty::var(ty::array<bool>(true), "p"), f, f, x).eval(); });
    throws_through(
        [&](auto f) { return ty::while_([](const tensor &) { return tensor(false); }, f, 3, x).last; });
    throws_through([&](auto f) { return ty::jacobian(f)(x); });
    throws_through(
        [&](auto f) { return ty::grad([&](const tensor &y) { return ty::vmap(f)(y); })(x); }); // nested
    throws_through([&](auto f) { return ty::custom(f, [](auto, auto, const tensor &g) { return g; })(x); });
    throws_through([&](auto f) {
        return ty::grad(ty::custom([](const tensor &y) { return y; },
                                   [f](auto, auto, const tensor &g) { return f(g); }))(x);
    });
    throws_through([&](auto f) {
        return ty::scan([f](const ty::step &s) { s.set_carry(0, f(s.carry())); }, {x},
                        {ty::ones<double>({2})})
            .last[0];
    });
    throws_through([&](auto f) {
        ty::model m([f](ty_layer *, const tensor &y) { return f(y); });
        return m(x);
    });
    FAILS(ty::error, "NULL",
          ty::grad([](const tensor &) { return tensor(); })(x)); // an empty handle is no result
    FAILS(ty::error, "result", ty::vmap([](const tensor &) { return tensor(); })(x));
    // An exception that nobody took does not come out of another call.
    ty_tensor *in = x.get();
    auto body = [](const tensor &) -> tensor { throw resource_error("left behind"); };
    ty_release(ty_own(ty_fuse(ty::detail::body<decltype(body), 1>, &body, 1, &in)));
    FAILS(ty::error, "do not broadcast", x + ty::ones<double>({7}));
    try {
        x + ty::ones<double>({7});
    } catch (const ty::error &e) {
        ty::error copy = e, other(copy);
        other = copy;
        CHECK(!ty_ok(other.poison()) && !std::strcmp(ty_error(other.poison()), other.what()));
    }
    ty::memory_error memory(ty_own(ty_poison("out of memory"))), again(memory);
    again = memory;
    CHECK(!std::strcmp(again.what(), "out of memory") && !ty_ok(again.poison()));
    static_assert(std::is_base_of_v<std::runtime_error, ty::error> &&
                  std::is_base_of_v<std::bad_alloc, ty::memory_error> &&
                  !std::is_base_of_v<ty::error, ty::memory_error>);
}

// Functions own tensors that they capture: no reference is lost, also with an exception.
static void captured() {
    {
        tensor x = counted::make();
        auto f = ty::compile([x](const tensor &y) { return x + y; });
        CHECK(f(ty::ones<double>({1})).item<double>() == 4);
        auto c = ty::custom([x](const tensor &y) { return x * y; },
                            [x](const tensor &, const tensor &, const tensor &g) { return g * x; });
        CHECK(ty::grad(c)(ty::ones<double>({1})).item<double>() == 3);
        ty::model m([x](ty_layer *, const tensor &y) { return x + y; });
        CHECK(m(tensor(ty::ones<double>({1}))).item<double>() == 4);
        FAILS(resource_error, "",
              ty::grad([x](const tensor &) -> tensor { throw resource_error("full"); })(x));
        CHECK(!counted::freed);
    }
    ty_trim(); // programs of loops hold constants
    CHECK(counted::freed == 1);
}

// ---- owners ----

static void owners() {
    tensor x = ty::var(ty::array<double>({1, 2}), "x");
    ty::program program({x + 1, x * x});
    CHECK(program.run() && is<double>(program.output(1), {1, 4}) && program.report().kernels > 0);
    std::vector<tensor> y = program.run_outputs();
    CHECK(y.size() == 2 && is<double>(y[0], {2, 3}) && !program.text().empty());
    FAILS(ty::error, "output", program.output(7));
    ty::program moved = std::move(program), assigned;
    assigned = std::move(moved);
    CHECK(!moved && assigned.ok());
    FAILS(ty::error, "", ty::program({ty::tensor()}));

    ty_model_options seeded = {};
    seeded.seed = 1;
    ty::model m(
        [](ty_layer *self, const tensor &in) {
            ty_linear_layer hidden = {}, out = {};
            hidden.units = 4;
            hidden.activation = ty_relu;
            out.units = 2;
            return ty::layer_linear(self, "out", ty::layer_linear(self, "hidden", in, hidden), out);
        },
        seeded);
    tensor images = ty::ones<float>({3, 5});
    CHECK(m(images).shape()[1] == 2 && m.parameters() == 4 && m.find("out.bias").size() == 2);
    FAILS(ty::error, "nowhere", m.find("nowhere"));
    CHECK(m.summary().find("hidden") != std::string::npos);
    auto both = ty::model::of<2>([](ty_layer *, const tensor &a, const tensor &b) {
        return std::array<tensor, 2>{a + b, a - b};
    });
    CHECK(both({images, images}).size() == 2);
    FAILS(ty::error, "", ty::model(ty_model_parse("{", 1, {})));
}

static void training() {
    ty_model_options seeded = {};
    seeded.seed = 1;
    ty::model m(
        [](ty_layer *self, const tensor &in) {
            ty_linear_layer out = {};
            out.units = 2;
            return ty::layer_linear(self, "out", in, out);
        },
        seeded);
    tensor inputs = ty::normal<float>({20, 3}, ty::key(1)), labels = ty::cast(inputs(ty::all, 0) > 0, TY_I64);
    ty_trainer_options options = {};
    options.inputs = inputs.get();
    options.targets = labels.get();
    options.batch = 10;
    options.optimiser.rule = &ty_adam;
    options.optimiser.rate = 0.1;
    ty::trainer trainer(m, options);
    double first = trainer.step();
    CHECK(trainer.run(200) && trainer.steps() == 200);
    double last = trainer.step(), accuracy = trainer.accuracy(inputs, labels);
    if (!(last < first && accuracy > 0.9))
        std::printf("loss %g after %g, accuracy %g\n", last, first, accuracy), failed++;
    FAILS(ty::error, "", trainer.load("no.npz"));
    int64_t seen_step = 0;
    CHECK(trainer.run(210, [&](const ty_moment &now) { return seen_step = now.step, true; }) &&
          seen_step == 210);
    CHECK(!trainer.run(220, [](const ty_moment &now) { return now.step < 215; }) && trainer.steps() == 215);
    FAILS(resource_error, "the disk",
          trainer.run(220, [](const ty_moment &) -> bool { throw resource_error("the disk is full"); }));
    CHECK(trainer.steps() == 216 && trainer.run(217));
    ty::dataset set({inputs, labels});
    CHECK(set.size() == 20 && set[3].size() == 2);
    FAILS(ty::error, "", set[20]);
    ty_loader_options batches = {};
    batches.batch = 8;
    batches.threads = -1;
    ty::loader loader(set, batches);
    std::vector<tensor> batch;
    int64_t seen = 0, n = 0;
    for (; loader.next(batch); n++) seen += batch[0].shape()[0];
    CHECK(n == 3 && seen == 20 && batch.empty() && loader.batches() == 3);
    FAILS(ty::error, "no.npz", ty::archive("no.npz"));
}

static void tables() {
    ty::table t = ty::table::parse("w,n,x\nb,1,0.5\na,,2\n\"c, d\",3,\n");
    CHECK(t.rows() == 3 && t.columns() == 3 && t.find("x") == 2 && t.find("y") == -1 && !t.name(3));
    CHECK(t.kind(0) == TY_COLUMN_WORDS && t.words(0) == 3 && std::string(t.word(0, 2)) == "c, d" &&
          !t.word(1, 0));
    CHECK(t[0].dtype() == ty::i32 && t["n"].at<double>(2) == 3 && t.values(1).dtype() == ty::i64);
    CHECK(t.missing(1).at<bool>(1) && !t.missing(1).at<bool>(0));
    tensor x = t.select({"x", "n"}).matrix<float>();
    CHECK(x.dtype() == ty::f32 && x.shape()[0] == 3 && x.shape()[1] == 2 && x.at<float>(0, 0) == 0.5f);
    CHECK(t.filter(t["n"] > 2).rows() == 1 && t.between(0, 2).rows() == 2 &&
          t.take(ty::from(std::vector<int64_t>{2, 2}, {2})).rows() == 2);
    CHECK(std::string(t.sort({"w"}).word(0, t.sort({"w"})[0].at<int64_t>(0))) == "a");
    ty::table more = t.with("y", t["x"] * 2).with("x", t["x"], t.missing(1));
    CHECK(more.columns() == 4 && more["y"].at<double>(1) == 4 && more.missing(2).at<bool>(1) &&
          t.columns() == 3);
    ty::table made = ty::table::of({"a", "b"}, {ty::arange<int>(0, 3, 1), ty::ones<double>({3})});
    std::ostringstream out;
    out << made;
    CHECK(made.rows() == 3 && std::string(made.name(1)) == "b" && out.str() == made.to_string() &&
          out.str().find("3 rows") != std::string::npos);
    ty::table moved = std::move(made);
    CHECK(moved.rows() == 3 && !made && made.rows() == 0);
    FAILS(ty::error, "no.csv", ty::table("no.csv"));
    FAILS(ty::format_error, "table:3: column 2", ty::table::parse("1,2\n3,x\n4\n"));
    FAILS(ty::error, "has no column \"z\"", t["z"]);
    FAILS(ty::index_error, "out of bounds", t.take(ty::from(std::vector<int64_t>{3}, {1})));
    FAILS(ty::argument_error, "lists of 1 and 2 elements", ty::table::of({"a"}, {t["n"], t["x"]}));
    FAILS(ty::dtype_error, "has words", t.matrix<double>());
}

static void walks() {
    tensor x = ty::var(tensor(2.0), "x"), w = ty::var(tensor(3.0), "w"), y = ty::square(x) * w + x;
    ty::walk graph({y});
    int64_t n = 0;
    for (const tensor &node : graph) n += node.get() == graph[n].get();
    CHECK(n == graph.size() && n == 5 && graph[n - 1].get() == y.get());
    int64_t at = graph.find("x");
    CHECK(at >= 0 && graph.index(x) == at && graph.find("x", at + 1) == -1 && graph.index(tensor(1.0)) == -1);
    std::vector<ty::walk::use> uses = graph.consumers(at);
    CHECK(uses.size() == 2 && uses[1].node == n - 1 && uses[1].operand == 1);
    CHECK(graph.operand(n - 1, 1) == at && graph.operand(n - 1, 2) == -1);
    CHECK(graph.descendants(graph.find("w")).size() == 3);
    CHECK(graph.ancestors(n - 1, TY_CONSUMERS_FIRST).front() == n - 1);
    FAILS(ty::error, "node 5 is out of bounds", graph.ancestors(5));
    FAILS(ty::error, "node -1 is out of bounds", graph[-1]);
    auto double_square = [](const tensor &old, const tensor &now) {
        return std::strcmp(ty_operator(old.get()), "square") ? tensor() : now * 2;
    };
    tensor z = ty::transform(double_square, {y})[0];
    CHECK(z.item<double>() == 26 && y.item<double>() == 14);
    FAILS(resource_error, "no room",
          ty::transform([](const tensor &, const tensor &) -> tensor { throw resource_error("no room"); },
                        {y}));
    FAILS(ty::error, "", ty::walk({ty::var(tensor(), "none")}));
}

int main() {
    for (int scopes = 0; scopes < 2; scopes++) {
        ty_scope *scope = scopes ? ty_open() : nullptr;
        derivatives();
        lists();
        control();
        calls();
        slices();
        exceptions();
        owners();
        tables();
        training();
        walks();
        ty_close(scope);
    }
    captured();
    std::thread([] {
        derivatives();
        exceptions();
    }).join();
    return failed != 0;
}
