/* Sizes of the table-driven tiles for one instruction set, and macros that list rows 1 .. n, for brgemm.kernel.c. */
#include "engine/cpu/gemm/brgemm_table.h"
#include "engine/cpu/gemm/brgemm_part.h"

#define UP_TO(n) UP_TO_(n)
#define UP_TO_(n) UP_TO_##n
#define UP_TO_0(X, v)
#define UP_TO_2(X, v) X(1, v) X(2, v)
#define UP_TO_3(X, v) UP_TO_2(X, v) X(3, v)
#define UP_TO_4(X, v) UP_TO_3(X, v) X(4, v)
#define UP_TO_6(X, v) UP_TO_4(X, v) X(5, v) X(6, v)
#define UP_TO_8(X, v) UP_TO_6(X, v) X(7, v) X(8, v)
#define UP_TO_9(X, v) UP_TO_8(X, v) X(9, v)
#define UP_TO_12(X, v) UP_TO_9(X, v) X(10, v) X(11, v) X(12, v)
#define UP_TO_14(X, v) UP_TO_12(X, v) X(13, v) X(14, v)
#if VECTOR_BYTES == 64 || defined(__aarch64__) /* 32 registers */
#define FULL_1 14
#define FULL_2 14
#define FULL_3 9
#define FULL_4 6
#define SOME_1 6
#define SOME_2 6
#elif VECTOR_BYTES == 32
#define FULL_1 12
#define FULL_2 6
#define FULL_3 4
#define FULL_4 3
#define SOME_1 6
#define SOME_2 4
#else
#define FULL_1 8
#define FULL_2 4
#define FULL_3 3
#define FULL_4 0
#define SOME_1 4
#define SOME_2 4
#endif

#define SAME(x) (x)

/* An entry of a table of kernels. */
#define COUNT(tiles) ((int)(sizeof(tiles) / sizeof *(tiles)) - 1)
#define TYPE(left_, right_, out_, group_, name)                                                              \
    {.left = left_,                                                                                          \
     .right = right_,                                                                                        \
     .out = out_,                                                                                            \
     .group = group_,                                                                                        \
     .lanes = name##_lanes,                                                                                  \
     .left_columns = name##_left_columns,                                                                    \
     .right_single = name##_right_single,                                                                    \
     .right_bytes = name##_right_bytes,                                                                      \
     .out_bytes = VECTOR_BYTES,                                                                              \
     .most = {0, COUNT(name##_tiles_1), COUNT(name##_tiles_2), COUNT(name##_tiles_3),                        \
              COUNT(name##_tiles_4)},                                                                        \
     .tile = {NULL, name##_tiles_1, name##_tiles_2, name##_tiles_3, name##_tiles_4}},
