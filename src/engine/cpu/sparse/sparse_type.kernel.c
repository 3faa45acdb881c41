/* Template: one dtype T with both index widths. */
#define INDEX i32
#define PLACE int32_t
#define WIDE uint32_t
#define CHECK check_i32
#include "engine/cpu/sparse/sparse.kernel.c"
#undef INDEX
#undef PLACE
#undef WIDE
#undef CHECK
#define INDEX i64
#define PLACE int64_t
#define WIDE uint64_t
#define CHECK check_i64
#include "engine/cpu/sparse/sparse.kernel.c"
#undef INDEX
#undef PLACE
#undef WIDE
#undef CHECK
#undef T
#undef TYPE
#undef MADD
#undef VECTOR
#undef VECTOR_MADD
#undef DIVIDES
