// std::format of <tyto/format.hpp>, where the standard library has it; else operator<< alone.
#include <tyto/format.hpp>

#include <sstream>

#include "check.hpp"

int main() {
    ty::tensor x = ty::array<double>({{1.23456, -2}, {0.5, 1000}});
    std::ostringstream out;
    out << x;
    CHECK(out.str() == ty::to_string(x));
#ifdef __cpp_lib_format
    CHECK(std::format("{}", x) == out.str());
    CHECK(std::format("x is {:.3f}!", x(0)) == "x is [ 1.235 -2.000]!");
    CHECK(std::format("{:.2}, {:.0}", x(0), x(0)) == "[ 1.23 -2.  ], [ 1. -2.]");
    CHECK(std::format("{:.10f}", ty::scalar<double>(0.5)) == "0.5000000000");
    for (const char *bad : {"{:3}", "{:.}", "{:.x}", "{:.3g}", "{:.3ff}", "{:.1000}", "{:f}", "{:.3"})
        FAILS(std::format_error, "", (void)std::vformat(bad, std::make_format_args(x)));
#endif
    return failed != 0;
}
