#define TABLE leaf_avx512
#include "neighbours/leaf.kernel.c"
