/* All sizes of keys for one instruction set: TABLE. */
#include <string.h>
#include "engine/cpu/sort.h"

#define T uint8_t
#define NAME(verb) verb##_1
#include "engine/cpu/sort_items.kernel.c"
#include "engine/cpu/sort_keys.kernel.c"
#undef T
#undef NAME
#define T uint16_t
#define NAME(verb) verb##_2
#include "engine/cpu/sort_items.kernel.c"
#include "engine/cpu/sort_keys.kernel.c"
#undef T
#undef NAME
#define T uint32_t
#define NAME(verb) verb##_4
#include "engine/cpu/sort_items.kernel.c"
#include "engine/cpu/sort_keys.kernel.c"
#undef T
#undef NAME
#define T uint64_t
#define NAME(verb) verb##_8
#include "engine/cpu/sort_items.kernel.c"
#include "engine/cpu/sort_keys.kernel.c"
#undef T
#undef NAME

#define LOOPS(size)                                                                                          \
    {sort_##size, select_##size, network_##size, keys_##size, elements_##size, pack_##size, collect_##size,  \
     spread_##size}
const sort_table TABLE = {[1] = LOOPS(1), [2] = LOOPS(2), [4] = LOOPS(4), [8] = LOOPS(8)};
