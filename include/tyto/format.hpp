/*
 * Tensors in std::format, where the standard library has it (C++20).  Elsewhere this header defines nothing; operator<<
 * and ty::to_string of <tyto/tyto.hpp> are always there.
 *
 *   std::format("{}", x)      as ty::to_string(x)
 *   std::format("{:.3}", x)   at most 3 digits after the point
 *   std::format("{:.3f}", x)  exactly 3 digits after the point
 */
#ifndef TYTO_FORMAT_HPP
#define TYTO_FORMAT_HPP

#include <tyto/tyto.hpp>

#if __cplusplus >= 202002L
#include <version>
#endif
#ifdef __cpp_lib_format
#include <format>

template <> struct std::formatter<ty::tensor, char> {
    /* Read "", ".N" or ".Nf".  std::format refuses what is left over. */
    constexpr auto parse(std::format_parse_context &context) {
        auto at = context.begin();
        const auto end = context.end();
        if (at == end || *at != '.') return at;
        int digits = 0, n = 0;
        auto next = at + 1;
        for (; next != end && *next >= '0' && *next <= '9' && n < 3; next++, n++)
            digits = 10 * digits + (*next - '0');
        if (!n) return at;
        options_.precision = digits ? digits : -1; /* 0 is the default of ty_print_options */
        if (next == end || *next != 'f') return next;
        options_.mode = TY_FIXED;
        return ++next;
    }
    template <class Context> auto format(const ty::tensor &x, Context &context) const {
        auto out = context.out();
        for (char c : ty::to_string(x, options_)) *out++ = c;
        return out;
    }

  private:
    ty_print_options options_ = {};
};
#endif
#endif
