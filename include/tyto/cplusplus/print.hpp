/* Tensors as text.  Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_PRINT_HPP
#define TYTO_CPLUSPLUS_PRINT_HPP

#include <tyto/cplusplus/tensor.hpp>

#include <iosfwd>

TY_CXX_BEGIN

namespace detail {

/* A text of the library, which is freed; empty if memory ran out. */
inline std::string text(char *owned) {
#ifdef TY_NO_EXCEPTIONS
    std::string copy(owned ? owned : "");
    ty_free(owned);
    return copy;
#else
    if (!owned) throw std::bad_alloc();
    struct freed {
        char *text;
        ~freed() { ty_free(text); }
    } text = {owned};
    return text.text;
#endif
}

} // namespace detail

/* Return the elements as text in NumPy's format; a promise is evaluated. */
inline std::string to_string(const tensor &x, const ty_print_options &options = {}) {
    return detail::text((ty_format)(x.get(), options));
}
/* Return a description in lines: dtype, shape, strides, bytes. */
inline std::string info(const tensor &x) { return detail::text((ty_info)(x.get())); }

template <class Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &out, const tensor &x) {
    return out << to_string(x).c_str();
}

TY_CXX_END
#endif
