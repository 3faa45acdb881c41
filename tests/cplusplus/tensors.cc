// Handles, operators, indexing, construction, elements, and errors of <tyto/tyto.hpp>.
#include <tyto/tyto.hpp>

#include <array>
#include <chrono>
#include <complex>
#include <sstream>
#include <thread>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "check.hpp"

using ty::tensor;

// ---- ownership ----

// Everything that may be done to a handle; each ends with as many references as it began with.
static void handles() {
    {
        tensor x = counted::make(), y = x, z = std::move(y);
        CHECK(y.empty_handle() && z.get() == x.get());
        y = z;
        tensor &same = z, &moved = y;
        z = same;
        y = std::move(moved);
        swap(x, y);
        x = std::move(y);
        CHECK(!counted::freed && x.item<double>() == 3);
        tensor copy = tensor::adopt(x.release());
        CHECK(x.empty_handle() && copy.ok());
        x = tensor::share(copy.get());
        copy = {};
        CHECK(!counted::freed);
        std::vector<tensor> many(5, x);
        many.push_back(std::move(x));
        CHECK(!counted::freed);
    }
    CHECK(counted::freed == 1);
}
static void inside_scopes(int deep) {
    if (!deep) return handles();
    ty::scope scope;
    inside_scopes(deep - 1);
}
// Beyond the greatest number of scopes, temporaries of the library live as long as the innermost one.
static void beyond_all_scopes(int deep) {
    ty::scope scope;
    if (deep) return beyond_all_scopes(deep - 1);
    tensor x = counted::make(), y = x + 1;
    CHECK(y.item<double>() == 4);
}
// A handle outlives the scope in which its tensor was made, and memory is freed with it, not with the scope.
static void across_scopes() {
    tensor x;
    {
        ty::scope outer, inner;
        x = counted::make();
        CHECK(ty_item(ty_add(x.get(), x.get())) == 6); // the scope owns results of C
    }
    CHECK(!counted::freed && x.item<double>() == 3);
    ty::scope scope;
    x = 1;
    CHECK(counted::freed == 1);
}
// Results that are operands themselves, and several results.
static void shared_results() {
    {
        tensor x = counted::make(), y = ty::contiguous(x), z = ty::eval(y), r = +z, d = ty::detach(x);
        std::vector<tensor> parts = ty::split(ty::broadcast(x, {4}), 2, 0);
        std::vector<tensor> all = ty::eval_all({x, x, y});
        CHECK(all.size() == 3 && parts.size() == 2 && parts[1].size() == 2);
        auto [q, r2] = ty::qr(ty::reshape(x, {1, 1}), false);
        CHECK(q.size() == 1 && r2.size() == 1);
    }
    CHECK(counted::freed == 1);
    CHECK(!ty::tensor().ok() && !*tensor().error_text());
}
static void ownership() {
    for (int deep = 0; deep < 4; deep++) inside_scopes(deep);
    inside_scopes(250);
    beyond_all_scopes(300);
    CHECK(counted::freed == 1);
    std::thread([] {
        handles();
        inside_scopes(2);
    }).join();
    across_scopes();
    shared_results();
    ty::scope scope;
    shared_results();
}

// ---- construction ----

static void construction() {
    tensor x = ty::array<float>({{1, 2}, {3, 4}});
    CHECK(x.dtype() == ty::f32 && x.rank() == 2 && x.shape()[1] == 2 && is<float>(x, {1, 2, 3, 4}));
    CHECK(ty::array<int>({1, 2, 3}).dtype() == TY_I32);
    CHECK(ty::array<double>({{1}, {2}}).rank() == 2);
    CHECK(ty::array<double>({{}, {}}).size() == 0 && ty::array<double>({{}, {}}).shape()[0] == 2);
    CHECK(ty::array<double>(5).rank() == 0);
    CHECK(ty::array<bool>({true, false}).dtype() == TY_BOOL);
    CHECK(ty::array<std::complex<float>>({{{1, 2}, {3, 4}}}).rank() == 3);
    FAILS(ty::error, "a list of 3 at depth 1; expected 2", ty::array<float>({{1, 2}, {3, 4, 5}}));
    FAILS(ty::error, "a number at depth 1; expected a list", ty::array<float>({{1, 2}, 3}));
    FAILS(ty::error, "a list at depth 1; expected a number", ty::array<float>({1, {2, 3}}));
    std::vector<int64_t> v = {1, 2, 3, 4};
    CHECK(is<int64_t>(ty::from(v), {1, 2, 3, 4}) && ty::from(v, {2, 2}).rank() == 2);
    FAILS(ty::error, "4 elements; expected 6", ty::from(v, {2, 3}));
    FAILS(ty::error, "4 elements; expected 0", ty::from(v, {-2, -2}));
    CHECK(is<double>(ty::from(std::array<double, 2>{{1, 2}}), {1, 2}));
    std::vector<std::complex<double>> c = {{1, 2}, {3, 4}};
    CHECK(ty::from(c).dtype() == TY_C128 && ty::from(c).at<std::complex<double>>(1) == c[1]);
    CHECK(ty::dtype_of<std::complex<float>>() == TY_C64 && ty::dtype_of<const long>() == TY_I64);
    CHECK(ty::dtype_of<unsigned char>() == TY_U8 && ty::dtype_of<bool>() == TY_BOOL);
    const float elements[] = {1, 2, 3};
    CHECK(is<float>(ty::from(elements, {3}), {1, 2, 3}) && is<float>(ty::from(elements), {1, 2, 3}));
    const std::vector<bool> bits = {true, false, true, true};
    CHECK(is<bool>(ty::from(bits), {true, false, true, true}) && ty::from(bits, {2, 2}).dtype() == TY_BOOL);
    CHECK(ty::from(std::vector<bool>()).size() == 0);
    FAILS(ty::error, "4 elements; expected 3", ty::from(bits, {3}));
    CHECK(ty::zeros<float>({2, 3}).size() == 6 && ty::ones(ty::f64, x.shape()).size() == 4);
    CHECK(is<int>(ty::arange<int>(0, 6, 2), {0, 2, 4}));
    int freed = 0;
    float mine[4] = {1, 2, 3, 4};
    CHECK(is<float>(ty::borrow(mine, {4}), {1, 2, 3, 4}));
    FAILS(ty::error, "borrow", ty::borrow(mine, {-4}, [&](float *) { freed++; }));
    CHECK(freed == 1);
}

// ---- elements ----

static void elements() {
    tensor x = ty::array<double>({{1, 2}, {3, 4}});
    CHECK(x.at<double>(1, -1) == 4 && x.at<int>(0, 0) == 1 && ty::sum(x).item<double>() == 10);
    double sum = 0;
    for (double value : x.data<double>()) sum += value;
    CHECK(sum == 10 && x.data<double>().size() == 4);
#if __cplusplus >= 202002L
    std::span<const double> span = x.data<double>();
    CHECK(span.size() == 4 && span[3] == 4 && is<double>(ty::from(span), {1, 2, 3, 4}));
#endif
    CHECK(is<float>(ty::transpose(x), {1, 3, 2, 4}) && is<bool>(x > 2, {false, false, true, true}));
    FAILS(ty::error, "of another type", x.data<float>());
    FAILS(ty::error, "row-major", ty::transpose(x).data<double>());
    FAILS(ty::error, "a promise", ty::lazy(x).data<double>());
    FAILS(ty::error, "4 elements; expected 1", x.item<double>());
    FAILS(ty::error, "NULL", tensor().item<double>());
    FAILS(ty::error, "NULL", tensor().values<double>());
    FAILS(ty::error, "NULL", tensor().data<double>());
    CHECK(ty::all(x == x) && !ty::any(x > 4));
    FAILS(ty::error, "expected 1", (void)static_cast<bool>(x == x));
    CHECK(ty::lazy(x).is_promise() && ty::sum(ty::lazy(x)).item<double>() == 10);
    std::ostringstream out;
    out << x;
    CHECK(out.str() == "[[1. 2.]\n [3. 4.]]" && ty::to_string(x) == out.str());
    x.named("weights");
    CHECK(!std::strcmp(x.name(), "weights") && ty::info(x).find("f64") != std::string::npos);
}

// ---- operators ----

static void operators() {
    tensor x = ty::array<float>({1, 2, 3}), i = ty::array<int>({5, 6, 7});
    CHECK(is<float>(2 * x + 1, {3, 5, 7}) && (2.5 * x).dtype() == TY_F32 && (x - x / 2).dtype() == TY_F32);
    CHECK((i + 1).dtype() == TY_I32 && (i + 0.5).dtype() == TY_F64 &&
          (x + std::complex<double>(0, 1)).dtype() == TY_C64);
    CHECK(is<int>(i % 4, {1, 2, 3}) && is<int>(i & 4, {4, 4, 4}) && is<int>((i | 8) ^ 1, {12, 15, 14}));
    CHECK(is<int>(i << 1, {10, 12, 14}) && is<int>(i >> 1, {2, 3, 3}) && is<int>(~i, {-6, -7, -8}));
    CHECK(is<float>(-x, {-1, -2, -3}) && is<float>(+x, {1, 2, 3}));
    CHECK(is<bool>(x == 2, {false, true, false}) && is<bool>(x != 2, {true, false, true}));
    CHECK(is<bool>(x <= 2, {true, true, false}) && is<bool>(2 < x, {false, false, true}) &&
          is<bool>(x >= x, {true, true, true}));
    CHECK(is<bool>((x > 1) & (x < 3), {false, true, false}));
    tensor y = x;
    y += 1;
    y *= y;
    CHECK(is<float>(y, {4, 9, 16}) && is<float>(x, {1, 2, 3}));
    tensor alone = ty::array<float>({1, 2, 3}); // the only handle: its memory serves the result
    const float *memory = alone.data<float>().data();
    alone += x;
    alone *= 2;
    CHECK(is<float>(alone, {4, 8, 12}) && alone.data<float>().data() == memory);
    FAILS(ty::error, "do not broadcast", alone += ty::ones<float>({4}));
    tensor sum = alone + 1,
           view = alone[ty::slice(1)]; // neither the failed sum nor this one may use the memory
    CHECK(is<float>(sum, {5, 9, 13}) && is<float>(alone, {4, 8, 12}));
    alone -= 1;
    CHECK(is<float>(alone, {3, 7, 11}) && is<float>(view, {8, 12}));
    CHECK(is<uint64_t>(ty::array<uint64_t>({0}) + UINT64_MAX, {UINT64_MAX}));
    CHECK(is<float>(ty::where(x > 1, x, 0.0), {0, 2, 3}) && is<float>(ty::max(x, 2), {2, 2, 3}));
    FAILS(ty::error, "do not broadcast", x + ty::ones<float>({4}));
    FAILS(ty::shape_error, "bool of 3 elements; expected 1: ty::all(x)", if (x == x) failed++);
    FAILS(ty::shape_error, "bool of 0 elements", (void)!ty::zeros<float>({0}));
    CHECK(ty::array<int>({3}) && !ty::lazy(ty::array<int>({0})) && !tensor(false));
    CHECK(ty::call(ty_add, x, x).at<float>(2) == 6 && ty::call(ty_rank, x) == 1);
}

// ---- indexing ----

static void indexing() {
    tensor x = ty::reshape(ty::arange<int>(0, 12, 1), {3, 4});
    CHECK(is<int>(x(0, ty::all), {0, 1, 2, 3}) && is<int>(x[1], {4, 5, 6, 7}) && is<int>(x(-1, -1), {11}));
    CHECK(is<int>(x(0, ty::slice(1, {}, 2)), {1, 3}) && is<int>(x(ty::slice({}, {}, -1), 0), {8, 4, 0}));
    CHECK(is<int>(x(ty::ellipsis, 0), {0, 4, 8}) && x(ty::new_axis).rank() == 3);
    CHECK(is<int>(x[x > 9], {10, 11}) && is<int>(x(ty::array<int>({2, 0}), 0), {8, 0}));
    std::size_t place = 2;
    CHECK(x(place, place).item<int>() == 10);
    tensor before = x;
    x.part(0, ty::slice(2)) = 7;
    CHECK(is<int>(x[0], {0, 1, 7, 7}) && is<int>(before[0], {0, 1, 2, 3}));
    x.part(1) += 1;
    CHECK(is<int>(x[1], {5, 6, 7, 8}));
    x.part(x > 7) = x(0, 0);
    CHECK(is<int>(x[2], {0, 0, 0, 0}));
    x.part(ty::array<int>({0, 0}), 0).combine(TY_SCATTER_ADD, 1);
    CHECK(x.at<int>(0, 0) == 2);
    tensor part = x.part(2);
    CHECK(part.size() == 4);
    CHECK(is<int>(ty::slice(x, 1, 0, 1, 1), {2, 5, 0})); // the function of C
    FAILS(ty::error, "3", x(3));
    CHECK(is<int>(ty::sum(x, 0).cast<int>(), {7, 7, 14, 7}) && ty::sum(x, ty::axes(1).keep()).rank() == 2);
    CHECK(ty::sum(x, {0, 1}).rank() == 0 && ty::sum(x).rank() == 0);
}

// ---- lists, structs, actions, DLPack ----

// Loops over the first axis.
static void rows() {
    tensor x = ty::array<double>({{1, 2}, {3, 4}, {5, 6}});
    double sum = 0;
    for (const tensor &row : x) sum = sum * 10 + row.at<double>(1);
    CHECK(sum == 246);
    for (tensor row : ty::lazy(x) * 2) CHECK(row.is_promise() && row.rank() == 1);
    CHECK(std::distance(x.begin(), x.end()) == 3 && is<double>(*++x.begin(), {3, 4}));
    CHECK(is<double>(*x.begin()++, {1, 2}) && x.begin() != x.end());
    for (tensor row : ty::zeros<float>({0, 3})) CHECK(row.rank() == 5);
    FAILS(ty::shape_error, "no axes", for (tensor row : tensor(1)) CHECK(row.ok()));
    FAILS(ty::error, "NULL", for (tensor row : tensor()) CHECK(row.ok()));
}

// Parameters at the end that have a default in the table of expressions.
static void defaults() {
    tensor x = ty::array<double>({{3, 1}, {2, 4}}), v = ty::array<double>({3, -4});
    CHECK(ty::norm(v).item<double>() == 5 && ty::trace(x).item<double>() == 7);
    CHECK(is<double>(ty::sort(x), {1, 3, 2, 4}) && is<double>(ty::concat({x, x})[3], {2, 4}));
    CHECK(ty::stack({v, v, v}).shape()[0] == 3 && ty::svd(ty::ones<double>({3, 2})).u.shape()[1] == 3);
    CHECK(is<double>(ty::diff(v), {-7}) && is<double>(ty::triu(x), {3, 1, 0, 4}));
    CHECK(ty::geomspace<double>(1, 2).size() == 50 && is<int>(ty::iota<int>({2, 2}), {0, 1, 0, 1}));
}

static void functions() {
    tensor a = ty::ones<double>({2, 2}), b = a * 2;
    CHECK(ty::concat({a, b}, 0).shape()[0] == 4);
    std::vector<tensor> list = {a, b};
    CHECK(ty::stack(list, 0).rank() == 3 && ty::einsum("ij,jk->ik", a, b).at<double>(0, 0) == 4);
    CHECK(ty::einsum("ii->i", a).size() == 2); // an operand that may be left out
    auto [u, s, vh] = ty::svd(a, false);
    CHECK(ty::all_close(ty::matmul(u * s, vh), a, 1e-12, 1e-12, false));
    CHECK(ty::tensordot(a, b, {1}, {0}).size() == 4);
    FAILS(ty::error, "lists of 1 and 2", ty::tensordot(a, b, {1}, {0, 1}));
    tensor m = ty::reshape(ty::arange<float>(0, 6, 1), {2, 3});
    CHECK(is<float>(ty::permute(m, {1, 0}), {0, 3, 1, 4, 2, 5}));
    FAILS(ty::error, "permute: 1 axes for a tensor of 2", ty::permute(m, {0}));
    CHECK(is<float>(ty::pad(m, {{1, 0, 0}, {0, -2, 0}}, 9), {9, 0, 3}));
    FAILS(ty::error, "pad: 1 axes", ty::pad(m, {{1, 0, 0}}));
    CHECK(is<int>(ty::tril_indices(2, 2)[0], {0, 1, 1}) && is<int>(ty::triu_indices(2, 2, 1)[1], {1}));
    FAILS(ty::error, "tril", ty::tril_indices(-1, 2));
    CHECK(ty::expression("sum(x * y)", {{"x", m}, {"y", 2}}).item<float>() == 30);
    FAILS(ty::error, "column", ty::expression("sum(", {}));
    tensor v = ty::var(a, "v");
    CHECK(ty::assign(v, b) && ty::sum(v).item<double>() == 8);
    FAILS(ty::error, "assign", ty::assign(v, ty::ones<double>({3})));
    CHECK(ty::rank(a) == 2 && ty::is_promise(v));
    CHECK(ty::split_at(a, {1}, 0).size() == 2 && ty::split(a, 2, 1).size() == 2);
    FAILS(ty::error, "split: the number", ty::split(a, -1, 0));
    FAILS(ty::error, "split", ty::split(a, 3, 0));
    CHECK(ty::hessian(ty::sum(v * v), {v, v}, 0).size() == 4);
    FAILS(ty::error, "no.npy", ty::load("no.npy"));
    std::string path = "no.npy";
    FAILS(ty::error, "no.npy", ty::load(path));
    CHECK(ty::loss_huber(a, b).rank() == 0);
    ty::loss_options options;
    options.reduction = TY_LOSS_SUM;
    options.weight = ty::ones<double>({2, 2}) * 3;
    CHECK(ty::loss_huber(a, b, options).item<double>() == 6);
#if __cplusplus >= 202002L
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" // structs of C have no default values for it
    CHECK(ty::loss_huber(a, b, {.reduction = TY_LOSS_SUM, .weight = a}).item<double>() == 2);
    CHECK(ty::conv1d(ty::ones<float>({1, 8, 1}), ty::ones<float>({2, 1, 1}), {.stride = {2}}).shape()[1] ==
          4);
#endif
    {
        tensor x = counted::make(), y = ty::from_dlpack(ty::to_dlpack(x)),
               z = ty::from_dlpack(ty::to_dlpack_legacy(y));
        CHECK(z.item<double>() == 3 && z.data<double>().data() == &counted::number);
    }
    CHECK(counted::freed == 1);
    FAILS(ty::error, "broadcast", (void)ty::to_dlpack(ty::lazy(a) + ty::ones<double>({3})));
}

// Each code of an error is a class.
static void codes() {
    tensor x = ty::ones<float>({2, 3});
    FAILS(ty::shape_error, "broadcast", x + ty::ones<float>({4}));
    FAILS(ty::index_error, "7", x(7));
    FAILS(ty::file_error, "no.npy", ty::load("no.npy"));
    FAILS(ty::shape_error, "expected 1", x.item<float>());
    try {
        x(7);
    } catch (const ty::error &e) {
        CHECK(e.code() == TY_ERROR_INDEX);
    }
}

static void contexts() {
    ty::context c({1, 0, nullptr});
    CHECK(c.ok() && c && !c.interrupted());
    {
        ty::context::use here(c);
        CHECK(ty_threads() == 1 && ty_context_now() == c.get());
        c.interrupt();
        FAILS(ty::interrupted_error, "interrupted", ty::ones<float>({2}) + 1);
        c.resume();
        c.deadline(0);
        FAILS(ty::timeout_error, "timeout", ty::ones<float>({2}) + 1);
        c.resume();
        c.deadline(std::chrono::nanoseconds(1));
        FAILS(ty::timeout_error, "timeout", ty::ones<float>({2}) + 1);
        c.deadline(std::chrono::minutes(60));
        CHECK((ty::ones<float>({2}) + 1).size() == 2);
        c.deadline(3600);
        CHECK((ty::ones<float>({2}) + 1).size() == 2);
        c.resume();
        c.limits(0, 1000);
        FAILS(ty::limit_error, "limit", ty::ones<float>({1000}));
        c.limits(100, 0);
        FAILS(ty::limit_error, "limit", ty::ones<float>({1000}) + 1);
        c.limits(0, 0);
        CHECK((ty::ones<float>({1000}) + 1).size() == 1000);
    }
    CHECK(!ty_context_now() && (ty::ones<float>({2}) + 1).size() == 2);
    ty::context moved = std::move(c), inner({3, 0, nullptr});
    c.interrupt(); // empty: the default context is not interrupted
    c.deadline(0);
    c.limits(1, 1);
    CHECK(!c.ok() && !c.interrupted() && (ty::ones<float>({1000}) + 1).size() == 1000);
    {
        ty::context::use outer(moved);
        {
            ty::context::use here(inner);
            CHECK(ty_threads() == 3);
            ty::context ended = std::move(inner); // ends before the use of it
        }
        CHECK(ty_threads() == 1 && ty_context_now() == moved.get());
    }
    CHECK(!ty_context_now());
    ty_context_options unknown = {};
    unknown.engine = "abacus";
    FAILS(ty::argument_error, "abacus", ty::context{unknown});
}

// Another thread interrupts work that would not end.
static void interrupts() {
    ty::context c;
    std::thread other([&c] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        c.interrupt();
    });
    FAILS(ty::interrupted_error, "interrupted: ", {
        ty::context::use here(c);
        for (tensor x = ty::ones<double>({64, 64});;) x = ty::matmul(x, x) * 0.0;
    });
    other.join();
    CHECK(c.interrupted() && (ty::ones<float>({2}) + 1).size() == 2); // the default context goes on
    c.resume();
    ty::context::use here(c);
    CHECK((ty::ones<float>({2}) + 1).size() == 2);
}

int main() {
    ownership();
    codes();
    contexts();
    interrupts();
    construction();
    elements();
    operators();
    indexing();
    rows();
    defaults();
    functions();
    ty::scope scope; // everything once more with a scope
    construction();
    elements();
    operators();
    indexing();
    rows();
    defaults();
    functions();
    return failed != 0;
}
