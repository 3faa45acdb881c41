/* Looking up for all sizes of keys, for one instruction set: TABLE. */
#include "engine/cpu/search.h"

#define T uint8_t
#define NAME(verb) verb##_1
#include "engine/cpu/search_line.kernel.c"
#undef T
#undef NAME
#define T uint16_t
#define NAME(verb) verb##_2
#include "engine/cpu/search_line.kernel.c"
#undef T
#undef NAME
#define T uint32_t
#define NAME(verb) verb##_4
#include "engine/cpu/search_line.kernel.c"
#undef T
#undef NAME
#define T uint64_t
#define NAME(verb) verb##_8
#include "engine/cpu/search_line.kernel.c"
#undef T
#undef NAME

const search_table TABLE = {[1] = search_1, [2] = search_2, [4] = search_4, [8] = search_8};
