/* Exceptions from poisoned tensors.  Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_ERROR_HPP
#define TYTO_CPLUSPLUS_ERROR_HPP

#include <tyto/contraction.h>
#include <tyto/data.h>
#include <tyto/dlpack.h>
#include <tyto/expression.h>
#include <tyto/engine.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/onnx.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>

#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#if !defined(TY_NO_EXCEPTIONS) && !defined(__cpp_exceptions)
#define TY_NO_EXCEPTIONS
#endif
/* Sources with and without exceptions may be linked together: their functions have different names. */
#ifdef TY_NO_EXCEPTIONS
#define TY_CXX_BEGIN                                                                                         \
    namespace ty {                                                                                           \
    inline namespace quiet {
#else
#define TY_CXX_BEGIN                                                                                         \
    namespace ty {                                                                                           \
    inline namespace throwing {
#endif
#define TY_CXX_END                                                                                           \
    }                                                                                                        \
    }
#ifdef __GNUC__
#define TY_COLD __attribute__((cold, noinline))
#define TY_LIKELY(x) __builtin_expect(!!(x), 1)
#define TY_ASSUME(x) ((x) ? (void)0 : __builtin_unreachable())
#else
#define TY_COLD
#define TY_LIKELY(x) (x)
#define TY_ASSUME(x) ((void)0)
#endif

TY_CXX_BEGIN

#ifndef TY_NO_EXCEPTIONS
namespace detail {

/* One reference to a poisoned tensor, which exceptions carry. */
class failure {
  public:
    explicit failure(ty_tensor *owned) noexcept : poison(owned) {}
    failure(const failure &x) noexcept : poison(ty_retain(x.poison)) {}
    failure &operator=(const failure &x) noexcept {
        ty_tensor *before = poison;
        poison = ty_retain(x.poison);
        ty_release(before);
        return *this;
    }
    ~failure() { ty_release(poison); }
    ty_tensor *poison;
};

} // namespace detail

/* An error of the library; the text is its sentence.  Classes of codes derive from it, but for memory_error. */
class error : public std::runtime_error {
  public:
    /* Takes over one reference. */
    explicit error(ty_tensor *owned) : error(detail::failure(owned)) {}
    /* Return the poisoned tensor; the exception owns it. */
    ty_tensor *poison() const noexcept { return from.poison; }
    ty_code code() const noexcept { return ty_error_code(from.poison); }

  private:
    explicit error(const detail::failure &x) : std::runtime_error(ty_error(x.poison)), from(x) {}
    detail::failure from;
};

/* Memory ran out.  Derives from std::bad_alloc alone: programs catch that, and std::exception would be an ambiguous
   base of a class that had std::runtime_error as well.  Making one allocates nothing. */
class memory_error : public std::bad_alloc {
  public:
    explicit memory_error(ty_tensor *owned) noexcept : from(owned) {}
    const char *what() const noexcept override { return ty_error(from.poison); }
    ty_tensor *poison() const noexcept { return from.poison; }
    ty_code code() const noexcept { return ty_error_code(from.poison); }

  private:
    detail::failure from;
};

/* The error of one code. */
template <ty_code Code> class error_of : public error {
  public:
    using error::error;
};
using shape_error = error_of<TY_ERROR_SHAPE>;
using dtype_error = error_of<TY_ERROR_DTYPE>;
using index_error = error_of<TY_ERROR_INDEX>;
using argument_error = error_of<TY_ERROR_ARGUMENT>;
using domain_error = error_of<TY_ERROR_DOMAIN>;
using singular_error = error_of<TY_ERROR_SINGULAR>;
using not_converged_error = error_of<TY_ERROR_NOT_CONVERGED>;
using file_error = error_of<TY_ERROR_FILE>;
using format_error = error_of<TY_ERROR_FORMAT>;
using limit_error = error_of<TY_ERROR_LIMIT>;
using interrupted_error = error_of<TY_ERROR_INTERRUPTED>;
using timeout_error = error_of<TY_ERROR_TIMEOUT>;
using device_error = error_of<TY_ERROR_DEVICE>;
using unsupported_error = error_of<TY_ERROR_UNSUPPORTED>;
using state_error = error_of<TY_ERROR_STATE>;
using user_error = error_of<TY_ERROR_USER>;
using internal_error = error_of<TY_ERROR_INTERNAL>;

namespace detail {

/* The exception that left a callback on this thread, until the call around it throws it again. */
struct carried {
    std::exception_ptr exception{};
    char sentence[128] = {};
};
inline thread_local carried carried_now;

inline bool contains(const char *text, const char *part) noexcept {
    for (; *text; text++) {
        std::size_t i = 0;
        while (part[i] && text[i] == part[i]) i++;
        if (!part[i]) return true;
    }
    return false;
}

/* Throw the exception of a callback again if the poison comes from it. */
inline void throw_carried(ty_tensor *owned) {
    if (!carried_now.exception || !contains(ty_error(owned), carried_now.sentence)) return;
    ty_release(owned);
    std::exception_ptr exception = nullptr;
    std::swap(exception, carried_now.exception);
    std::rethrow_exception(exception);
}

/* Throw the exception for a poisoned tensor, one reference to which is taken over. */
[[noreturn]] TY_COLD inline void fail(ty_tensor *owned) {
    throw_carried(owned);
    switch (static_cast<int>(ty_error_code(owned))) {
#define ERROR_CODE(name, number, word, python, doc)                                                          \
    case TY_ERROR_##name:                                                                                    \
        if (TY_ERROR_##name == TY_ERROR_MEMORY) throw memory_error(owned);                                   \
        throw error_of<TY_ERROR_##name>(owned);
#include <tyto/tables/errors.def>
    default:
        break;
    }
    throw error(owned); /* a code of a newer library */
}

} // namespace detail
#endif

TY_CXX_END
#endif
