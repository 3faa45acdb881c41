// Without exceptions a failed function returns poison, which further functions return again.
#include <tyto/tyto.hpp>

#include <cstdio>
#include <cstring>

using ty::tensor;

static int failed;
#define CHECK(...)                                                                                           \
    ((__VA_ARGS__) ? (void)0                                                                                 \
                   : (void)(failed++, std::printf("%s:%d: not: %s\n", __FILE__, __LINE__, #__VA_ARGS__)))

static bool says(const tensor &x, const char *words) { return !x.ok() && std::strstr(x.error_text(), words); }

static void values() {
    tensor x = ty::array<float>({1, 2, 3}), bad = x + ty::ones<float>({4});
    CHECK(x.ok() && x.at<float>(1) == 2 && says(bad, "do not broadcast") &&
          says(ty::sum(bad * 2), "do not broadcast"));
    CHECK(says(ty::array<float>({{1, 2}, {3}}), "expected 2") && says(x(7), "7") &&
          says(tensor() + 1, "NULL"));
    std::vector<float> v = {1, 2};
    CHECK(says(ty::from(v, {3}), "expected 3") && says(ty::tensordot(x, x, {0}, {0, 0}), "tensordot"));
    CHECK(bad.data<float>().empty() && bad.values<float>().empty() && bad.item<float>() == 0 &&
          x.data<double>().empty());
    CHECK(x.data<float>()[2] == 3 && ty::to_string(bad).find("error: ") == 0);
    tensor var = ty::var(x, "x");
    CHECK(!ty::assign(var, bad) && ty::assign(var, x + 1));
    auto parts = ty::svd(bad, false);
    CHECK(says(parts.u, "broadcast") && says(parts.vh, "broadcast"));
    CHECK(says(ty::load("no.npy"), "no.npy"));
}
static void callbacks() {
    tensor x = ty::array<double>({1, 2, 3});
    CHECK(ty::grad([](const tensor &z) { return z * z; })(x).at<double>(2) == 6);
    CHECK(says(ty::grad([](const tensor &z) { return z + ty::ones<double>({4}); })(x), "broadcast"));
    auto f = ty::compile([](const tensor &a, const tensor &b) { return a + b; });
    CHECK(f(x, x).at<double>(0) == 2 && says(f(x, ty::ones<double>({4})), "broadcast"));
    CHECK(says(ty::vmap([](const tensor &a, const tensor &b) { return a + b; }, {0})(x, x),
               "2 operands and 1 axes"));
}
static void slices() {
    tensor x = ty::array<double>({1, 2, 3});
    auto wrong = [](const ty::visit &v) { return !v.x<float>().empty(); };
    CHECK(says(ty::map_slices({x}, ty::f64, {}, wrong), "map_slices: slice 0: the function failed"));
    CHECK(says(ty::filter_slices(x + ty::ones<double>({4}), {}, wrong), "broadcast"));
    auto node =
        ty::callee([](const ty::called &c) { c.set_y(0, c.x() + ty::ones<double>({4})); }, ty::form::of(x));
    CHECK(says(node(x), "broadcast"));
    ty::slicing two;
    two.each = {0, 0};
    CHECK(says(ty::each_slice({x}, two, wrong), "1 operands and 2 sets of axes"));
}
static void owners() {
    ty::program program({ty::var(ty::ones<double>({2}), "x") + 1});
    CHECK(program.run() && program.output().at<double>(1) == 2 && says(program.output(3), "output"));
    ty_context_options unknown = {};
    unknown.engine = "abacus";
    ty::context context(unknown), well;
    CHECK(!context && well);
    {
        ty::context::use here(well);
        well.interrupt();
        CHECK(says(ty::ones<double>({2}) + 1, "interrupted: "));
    }
    ty::table table("no.csv");
    CHECK(!table && std::strstr(table.error_text(), "no.csv") && table.rows() == 0 && !table["x"].ok());
    ty::archive archive("no.npz");
    CHECK(!archive && std::strstr(archive.error_text(), "no.npz"));
}

int main() {
    for (int scopes = 0; scopes < 2; scopes++) {
        ty_scope *scope = scopes ? ty_open() : nullptr;
        values();
        callbacks();
        slices();
        owners();
        ty_close(scope);
    }
    return failed != 0;
}
