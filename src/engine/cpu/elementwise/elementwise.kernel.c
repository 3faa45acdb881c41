/*
 * Template: loops y = f(a, b, c) of every operator of ROW_GROUP_FILE for one element type, and the type's table.
 * Parameters: LANE, TYPE (see math.h), STORED (type in memory), KIND (literal 0 bool, 1 signed, 2 unsigned, 3
 * floating, 4 complex, 5 complex in wide lanes, without a table), TWIN (of unsigned types, the signed type of its size;
 * of complex types, the wide lanes). Operands are contiguous and unaligned; y may equal an operand. Loops take whole vectors. The
 * rest is padded to a vector and uses the same loop, so bits do not depend on an element's position. WIDENED, if
 * defined, makes the loops instead (elementwise_half.kernel.c).
 */

#define RESULT_SAME L(vector)
#define RESULT_BOOL L(mask)
#define RESULT_PART L(part)
#define PUT_SAME T(store)
#define PUT_BOOL L(store_truth)
#if KIND >= 4
#define PUT_PART T(store_part)
#else
#define PUT_PART T(store)
#endif
#define BYTES_SAME sizeof(STORED)
#define BYTES_BOOL 1
#if KIND == 5
#define BYTES_PART (sizeof(STORED) / 2)
#else
#define BYTES_PART sizeof(STORED) /* unused for complex types of kind 4, which have no tails */
#endif

#ifdef WIDENED
#define ROW1(name, out, value) WIDENED(name, BYTES_##out, 1, sizeof(STORED))
#define ROW2(name, out, value) WIDENED(name, BYTES_##out, 2, sizeof(STORED))
#define ROW3(name, in, out, value) WIDENED(name, BYTES_##out, 3, FIRST_BYTES_##in)
#else
#define LOOP(name, put, bytes, count, bytes_a, ...)                                                          \
    static void T(loop_##name)(int64_t n, void *y, const void *a, const void *b, const void *c) {            \
        (void)b, (void)c;                                                                                    \
        int64_t whole = n - n % L(lanes);                                                                    \
        for (int64_t i = 0; i < whole; i += L(lanes)) put(y, i, T(value_##name)(__VA_ARGS__));               \
        if (whole < n)                                                                                       \
            run_tail(n, y, a, b, c, T(loop_##name),                                                          \
                     (struct loop_shape){L(lanes), count, bytes, bytes_a, sizeof(STORED)});                  \
    }
#define ROW1(name, out, value)                                                                               \
    static inline RESULT_##out T(value_##name)(L(vector) x) { return value; }                                \
    LOOP(name, PUT_##out, BYTES_##out, 1, sizeof(STORED), T(load)(a, i))
#define ROW2(name, out, value)                                                                               \
    static inline RESULT_##out T(value_##name)(L(vector) a, L(vector) b) { return value; }                   \
    LOOP(name, PUT_##out, BYTES_##out, 2, sizeof(STORED), T(load)(a, i), T(load)(b, i))
#define ROW3(name, in, out, value)                                                                           \
    static inline RESULT_##out T(value_##name)(FIRST_TYPE_##in a, L(vector) b, L(vector) c) {                \
        return value;                                                                                        \
    }                                                                                                        \
    LOOP(name, PUT_##out, BYTES_##out, 3, FIRST_BYTES_##in, FIRST_LOAD_##in(a, i), T(load)(b, i),            \
         T(load)(c, i))
#endif

#define OP1(name, in, out, value, ...) IF(IN_##in)(IF_OWN(name)(ROW1(name, out, value)))
#define OP2(name, in, out, value, ...) IF(IN_##in)(IF_OWN(name)(ROW2(name, out, value)))
#define OP3(name, in, out, value, ...) IF(IN_##in)(IF_OWN(name)(ROW3(name, in, out, value)))
#include ROW_GROUP_FILE
#undef OP1
#undef OP2
#undef OP3

#if KIND != 5
/* The last entry is no operator: ISO C wants at least one initialiser. */
static const cpu_loop T(table)[ROWS_IN_GROUP + 1] = {
#define OP1(name, in, ...) IF(IN_##in)([AT_##name] = LOOP_OF(name), )
#define OP2(name, in, ...) IF(IN_##in)([AT_##name] = LOOP_OF(name), )
#define OP3(name, in, ...) IF(IN_##in)([AT_##name] = LOOP_OF(name), )
#include ROW_GROUP_FILE
    [ROWS_IN_GROUP] = NULL};
#undef OP1
#undef OP2
#undef OP3
#endif

#undef RESULT_SAME
#undef RESULT_BOOL
#undef RESULT_PART
#undef PUT_SAME
#undef PUT_BOOL
#undef PUT_PART
#undef BYTES_SAME
#undef BYTES_BOOL
#undef BYTES_PART
#undef LOOP
#undef ROW1
#undef ROW2
#undef ROW3
#undef TYPE
#undef STORED
#undef KIND
