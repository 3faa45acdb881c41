// Tyto in C++: the program of docs/cplusplus.md.
#include <tyto/tyto.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using ty::tensor;

static int failed;
static void check(bool well, const char *words) {
    if (!well) failed++, std::printf("not: %s\n", words);
}

static void arrays() {
    tensor x = ty::array<float>({{1, 2, 3}, {4, 5, 6}});
    tensor y = 2 * x + 1;          // numbers adopt the dtype of tensors: f32
    tensor means = ty::mean(y, 0); // every ty_NAME of tensors is ty::NAME
    std::cout << means << '\n';    // [6. 8. 10.]
    check(ty::to_string(means) == "[ 6.  8. 10.]", "the means");

    tensor z = ty::zeros<double>({2, 3}); // the element type is the dtype
    tensor e = ty::einsum("ij,kj->ik", x, x);
    auto [u, s, vh] = ty::svd(x, false);             // several results are a struct
    std::vector<tensor> halves = ty::split(x, 3, 1); // or a vector
    check(z.size() == 6 && e.rank() == 2 && s.size() == 2 && halves.size() == 3, "the shapes");
    check(bool(ty::all_close(ty::matmul(u * s, vh), x, 1e-5, 1e-5, false)), "the product");
}

static void indexing() {
    tensor x = ty::reshape(ty::arange<int>(0, 12, 1), {3, 4});
    tensor row = x[-1]; // views, as in NumPy
    tensor odd = x(ty::all, ty::slice(1, {}, 2));
    tensor last = x(ty::ellipsis, -1);
    tensor wide = x(ty::new_axis, ty::slice({}, {}, -1));
    tensor big = x[x > 6]; // a mask; tensors of integers are indices
    check(row.size() == 4 && odd.shape()[1] == 2 && last.rank() == 1 && wide.rank() == 3 && big.size() == 5,
          "indices");

    x.part(0, ty::all) = 7; // x is a new tensor; row still has the old elements
    x.part(x > 10) += 100;

    tensor total = ty::zeros<int>({4});
    for (const tensor &each : x) total += each; // x[0], x[1], ...
    check(total.at<int>(0) == 19 && total.at<int>(3) == 125, "the sum of rows");
    check(x.at<int>(0, 3) == 7 && x.at<int>(2, 3) == 111 && row.at<int>(3) == 11, "assigned parts");
}

static void memory() {
    std::vector<double> samples = {1, 2, 3, 4, 5, 6};
    tensor copied = ty::from(samples, {2, 3});
    tensor lent = ty::borrow(samples.data(), {2, 3}); // no copy: samples outlives it
    double sum = 0;
    for (double value : copied.data<double>()) sum += value; // elements in memory
    check(sum == 21 && lent.data<double>().data() == samples.data(), "the elements");

    double first = copied.at<double>(0, 0);
    double total = ty::sum(copied).item<double>();
    std::vector<float> converted = copied.values<float>();
    check(first == 1 && total == 21 && converted.size() == 6, "the numbers");

    auto owned = std::make_unique<double[]>(6);
    double *raw = owned.release();
    tensor kept = ty::borrow(raw, {6}, [](double *p) { delete[] p; }); // freed with the last tensor over it
    check(kept.size() == 6, "the borrowed array");
}

static void errors() {
    tensor x = ty::ones<float>({2, 3});
    try {
        tensor bad = x + ty::ones<float>({4});
    } catch (const ty::error &e) {
        std::cout << e.what() << '\n'; // add of f32[2,3] and f32[4]: operands do not broadcast ...
        return;
    }
    check(false, "an exception");
}

static void derivatives() {
    auto f = [](const tensor &a, const tensor &b) { return ty::sum(a * a * b); };
    tensor a = ty::array<double>({1, 2}), b = ty::array<double>({3, 4});
    auto [da, db] = ty::grad(f)(a, b);
    auto [value, gradients] = ty::value_and_grad(f)(a, b);
    std::vector<tensor> weights = {a, b}; // any number of operands
    auto of_list =
        ty::grad([](const std::vector<tensor> &w) { return ty::sum(w[0] * w[0] * w[1]); })(weights);
    check(of_list.size() == 2 && of_list[0].at<double>(1) == 16, "gradients of a list");
    tensor curvature = ty::hessian([](const tensor &x) { return ty::sum(ty::exp(x)); })(a);
    check(da.at<double>(1) == 16 && db.at<double>(1) == 4 && value.item<double>() == 19, "the gradients");
    check(gradients.size() == 2 && curvature.rank() == 2, "the derivatives");

    auto fast = ty::compile(f); // compiled once for each combination of dtypes and shapes
    ty_function_bound(fast.get(), 0, 0, 1000, nullptr); // many sizes of axis 0, up to 1000: one memory plan
    tensor same = fast(a, b);
    tensor each = ty::vmap([](const tensor &row) { return ty::sum(row * row); })(ty::ones<double>({5, 3}));
    check(same.item<double>() == 19 && fast.compiles() == 1 && each.size() == 5, "compiled functions");

    auto square = ty::callback<1>([](const tensor &x) { return x * x - 2; });
    tensor root = ty::call(ty_find_root, square.body(), square.context(), tensor(0.0), tensor(2.0), 0,
                           nullptr, ty_root_options{}); // 1.41421356
    check(std::abs(root.item<double>() - 1.41421356) < 1e-8, "the root");

    auto end =
        ty::while_([](const tensor &x) { return x < 100; }, [](const tensor &x) { return x * 2; }, 0, a(0));
    check(end.last.item<double>() == 128 && end.steps.item<int>() == 7, "the loop");

    try {
        ty::grad([](const tensor &) -> tensor { throw std::domain_error("no such shape"); })(a);
    } catch (const std::domain_error &) { // the exception of the callback, not one of the library
        return;
    }
    check(false, "the exception of a callback");
}

static void slices() {
    tensor days = ty::array<double>({{12, 25}, {18, 33}, {9, 31}});
    double limit = 30;
    tensor hot = ty::filter_slices(days, -1, [limit](const ty::visit &v) { // rows
        ty::span<const double> day = v.x<double>();
        return *std::max_element(day.begin(), day.end()) > limit;
    });
    check(ty::to_string(hot) == "[[18. 33.]\n [ 9. 31.]]", "the hot days");
    double gain = 2; // of a device
    auto measured =
        ty::callee([&](const ty::called &c) { c.set_y(0, c.x(0) * gain); }, ty::form(ty::f64, {3, 2}));
    tensor level = ty::log(measured(ty::lazy(days))); // a promise: each evaluation calls the function
    gain = 3;
    check(bool(ty::all_close(ty::eval(level), ty::log(days * 3), 1e-12, 1e-12, false)), "the level");
}

static void graphs() {
    tensor x = ty::var(ty::ones<float>({3}), "x");
    tensor y = ty::exp(x) + x;
    ty::walk nodes({y});
    for (const tensor &node : nodes) std::cout << ty_operator(node.get()) << '\n'; // variable, exp, add
    std::cout << nodes.consumers(nodes.find("x")).size() << '\n';                  // 2
    tensor z = ty::transform(
        [](const tensor &node, const tensor &now) { // now: the node on its new operands; sin(exp(x)) + x
            return ty_operator(node.get()) == std::string("exp") ? ty::sin(now) : tensor();
        },
        {y})[0];
    check(bool(ty::all_close(ty::eval(z), ty::sin(ty::exp(ty::ones<float>({3}))) + 1, 1e-6, 1e-6, false)),
          "the new graph");
}

static void networks() {
    ty_linear_layer hidden = {}, out = {};
    hidden.units = 16, hidden.activation = ty_relu;
    out.units = 2;
    ty::model net([=](ty_layer *self, const tensor &x) {
        tensor h = ty::layer_linear(self, "hidden", x, hidden);
        return ty::layer_linear(self, "out", h, out);
    });
    tensor inputs = ty::normal<float>({200, 3}, ty::key(1));
    tensor labels = ty::sum(inputs * inputs, 1) > 2.5;

    ty_trainer_options options = {};
    options.inputs = inputs.get();
    tensor targets = labels.cast<int64_t>();
    options.targets = targets.get();
    options.optimiser.rule = &ty_adam;
    options.optimiser.rate = 0.01;
    ty::trainer trainer(net, options);
    trainer.run(500);
    double accuracy = trainer.accuracy(inputs, targets);
    std::cout << "accuracy " << (accuracy > 0.9 ? "above" : "below") << " 0.9\n";
    check(accuracy > 0.9, "the accuracy");
}

static void tables() {
    ty::table people = ty::table::parse("name,age,height\nAda,36,1.65\nBob,,1.8\nEve,41,1.7\n");
    tensor age = people["age"]; // f64: [36. nan 41.]
    ty::table old = people.filter(age > 40);
    std::cout << old << '\n'; // name age height, words i64 f64, 0 Eve 41 1.7
    tensor x = people.select({"age", "height"}).matrix<float>(); // [3, 2]
    check(old.rows() == 1 && x.shape()[1] == 2 && people.find("age") == 1, "tables");
}

static void contexts() {
    bool interrupted = false, limited = false;
    ty::context own({2, 0, nullptr}); // two threads, the usual workspace and engine
    std::thread other([&] {           // any thread may interrupt a context
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        own.interrupt();
    });
    try {
        ty::context::use here(own); // this thread computes in it until the end of the block
        tensor x = ty::full<double>({300, 300}, 0.001);
        for (;;) x = ty::matmul(x, x) + 0.001;
    } catch (const ty::interrupted_error &e) {
        std::cout << e.what() << '\n'; // interrupted: the context was asked to stop
        interrupted = true;
    }
    other.join();
    own.resume();

    own.deadline(std::chrono::seconds(60));  // later calls throw ty::timeout_error
    own.limits(1e9, std::int64_t(64) << 20); // operations from now on, bytes at one time
    try {
        ty::context::use here(own);
        tensor x = ty::ones<double>({4000, 4000}); // 122 MiB
    } catch (const ty::limit_error &e) {
        std::cout << e.what() << '\n';
        limited = true;
    }
    check(interrupted && limited, "the stops");
}

static void with_c() {
    tensor x = ty::ones<float>({2, 2});
    const ty_padding padding[] = {{1, 1, 0}, {0, 0, 0}};
    tensor y = ty::call(ty_pad, x, padding, ty::scalar<float>(0)); // any function of C
    ty::scope scope;                                               // owns results of functions of C
    ty_tensor *z = ty_neg(y.get());
    tensor kept = tensor::share(z); // survives the scope
    check(kept.size() == 8, "the result of C");
}

int main() {
    arrays();
    indexing();
    memory();
    errors();
    derivatives();
    slices();
    graphs();
    networks();
    tables();
    contexts();
    with_c();
    return failed != 0;
}
