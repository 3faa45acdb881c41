#define TABLE leaf_avx2
#include "neighbours/leaf.kernel.c"
