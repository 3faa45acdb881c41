/* Random numbers by place: Philox's counter is (example, epoch, step, how many before), its key the seed. */
#ifndef DATA_DRAW_H
#define DATA_DRAW_H
#include <tyto/data.h>
#include "ops/random/permuted.h"

/* Numbers that are for no step. */
#define DRAW_ORDER UINT32_C(0xffff0000)
#define DRAW_SAMPLE UINT32_C(0xffff0001)

/* 128 bits of a place. */
void draw_bits(const ty_draws *at, uint32_t bits[4]);
/* A whole number below n > 0, at a place. */
uint64_t draw_below(const ty_draws *at, uint64_t n);
/* The order of n > 0 examples in an epoch. */
void draw_order(struct permuted *order, uint64_t n, uint64_t seed, uint64_t epoch);
#endif
