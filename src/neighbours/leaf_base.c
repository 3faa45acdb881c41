#define TABLE leaf_base
#include "neighbours/leaf.kernel.c"
