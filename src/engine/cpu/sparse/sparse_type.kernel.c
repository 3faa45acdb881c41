/* Template: one dtype T with both index widths. */
#define INDEX i32
#define PLACE int32_t
#define WIDE uint32_t
#define LIMIT(columns) ((columns) > INT32_MAX ? (uint32_t)INT32_MAX + 1 : (uint32_t)(columns))
#include "engine/cpu/sparse/sparse.kernel.c"
#undef INDEX
#undef PLACE
#undef WIDE
#undef LIMIT
#define INDEX i64
#define PLACE int64_t
#define WIDE uint64_t
#define LIMIT(columns) ((uint64_t)(columns))
#include "engine/cpu/sparse/sparse.kernel.c"
#undef INDEX
#undef PLACE
#undef WIDE
#undef LIMIT
#undef T
#undef TYPE
#undef MADD
#undef VECTOR
#undef VECTOR_MADD
#undef DIVIDES
