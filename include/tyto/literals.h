/* Compound literals in C and in C++11, of which TY_ALL, TY_SHAPE, TY_AT, TY_ITEMS and others are made.  A list
   lives until the end of the full expression in C++, of the block in C. */
#ifndef TYTO_LITERALS_H
#define TYTO_LITERALS_H

#ifdef __cplusplus
#include <cstdint>

template <typename T, unsigned N> struct ty_list {
    enum { count = N };
    T values[N ? N : 1];
    const T *data() const { return values; }
};
template <typename T, typename... V> ty_list<T, sizeof...(V)> ty_list_of(V... values) {
    return {{static_cast<T>(values)...}};
}

#define TY_LITERAL(type) type
#define TY_INT64(x) static_cast<int64_t>(x)
#define TY_LIST(type, ...)                                                                                   \
    static_cast<int>(decltype(ty_list_of<type>(__VA_ARGS__))::count), ty_list_of<type>(__VA_ARGS__).data()
#else
/* TY_LITERAL(struct point){1, 2} */
#define TY_LITERAL(type) (type)
#define TY_INT64(x) (x)
/* Writes two arguments of a function: the number of values, and a pointer to them.  Each value is evaluated once. */
#define TY_LIST(type, ...) (int)(sizeof((type[]){__VA_ARGS__}) / sizeof(type)), ((const type[]){__VA_ARGS__})
#endif
#endif
