/*
 * Template: the loops of every row of elementwise.def for one element type, and the type's table.
 * Parameters: LANE, TYPE (see math.h), STORED (the type in memory), KIND (0 bool, 1 signed, 2 unsigned,
 * 3 floating, 4 complex: literally, it is pasted).  Loops take whole vectors; what remains is padded to
 * one and goes through the same loop, so that an element's bits do not depend on where it stands.
 */

#define PUT_SAME T(store)
#define PUT_BOOL L(store_truth)
#if KIND == 4
#define PUT_PART T(store_part)
#else
#define PUT_PART T(store)
#endif

#define BODY(name, out_column, first, bytes_first, count, ...)                                             \
    static void T(loop_##name)(int64_t n, void *out, const void *a, const void *b, const void *c) {        \
        (void)b, (void)c;                                                                                  \
        int64_t whole = n - n % L(lanes);                                                                  \
        for (int64_t i = 0; i < whole; i += L(lanes)) {                                                    \
            PUT_##out_column(out, i, T(value_##name)(first(a, i) __VA_ARGS__));                            \
        }                                                                                                  \
        if (whole < n)                                                                                     \
            run_tail(T(loop_##name), whole, n - whole, L(lanes), count, bytes_first, sizeof(STORED),       \
                     BYTES_##out_column, out, (const void *const[]){a, b, c});                             \
    }
#define BYTES_SAME sizeof(STORED)
#define BYTES_BOOL 1
#define BYTES_PART sizeof(STORED)

#define LOOP1(name, out_column, first, bytes_first, type_first, value)                                     \
    static inline RESULT_##out_column T(value_##name)(L(vector) x) { return value; }                       \
    BODY(name, out_column, first, bytes_first, 1)
#define LOOP2(name, out_column, first, bytes_first, type_first, value)                                     \
    static inline RESULT_##out_column T(value_##name)(L(vector) a, L(vector) b) { return value; }          \
    BODY(name, out_column, first, bytes_first, 2, , T(load)(b, i))
#define LOOP3(name, out_column, first, bytes_first, type_first, value)                                     \
    static inline RESULT_##out_column T(value_##name)(type_first a, L(vector) b, L(vector) c) {            \
        return value;                                                                                      \
    }                                                                                                      \
    BODY(name, out_column, first, bytes_first, 3, , T(load)(b, i), T(load)(c, i))

#define OP1(name, in, out, value, ...) IF(IN_##in)(LOOP1(name, out, FIRST_##in, value))
#define OP2(name, in, out, value, ...) IF(IN_##in)(LOOP2(name, out, FIRST_##in, value))
#define OP3(name, in, out, value, ...) IF(IN_##in)(LOOP3(name, out, FIRST_##in, value))
#include <tyto/elementwise.def>
