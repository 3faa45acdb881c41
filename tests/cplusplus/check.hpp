/* The harness of the tests in C++: CHECK counts failures, FAILS expects an exception. */
#ifndef TESTS_CPLUSPLUS_CHECK_HPP
#define TESTS_CPLUSPLUS_CHECK_HPP
#include <cstdio>
#include <cstring>
#include <tyto/tyto.hpp>

static int failed;
#define CHECK(...)                                                                                           \
    ((__VA_ARGS__) ? (void)0                                                                                 \
                   : (void)(failed++, std::printf("%s:%d: not: %s\n", __FILE__, __LINE__, #__VA_ARGS__)))
/* Run the statements, which must throw an `exception` whose text contains `words`. */
#define FAILS(exception, words, ...)                                                                         \
    try {                                                                                                    \
        __VA_ARGS__;                                                                                         \
        failed++, std::printf("%s:%d: no exception: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                \
    } catch (const exception &e) {                                                                           \
        if (!std::strstr(e.what(), words))                                                                   \
            failed++, std::printf("%s:%d: '%s' is not in: %s\n", __FILE__, __LINE__, words, e.what());       \
    }

/* Counts the end of tensors over one borrowed number. */
struct counted {
    static inline int freed;
    static inline double number;
    static ty::tensor make() {
        freed = 0;
        number = 3;
        return ty::borrow(&number, {1}, [](double *) { freed++; });
    }
};

/* Return true if the elements of a tensor are these. */
template <class T> bool is(const ty::tensor &x, std::initializer_list<T> elements) {
    std::vector<T> have = x.values<T>();
    return have == std::vector<T>(elements);
}
#endif
