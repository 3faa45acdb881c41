#include "base/error.h"
#include "base/machine/floating.h"
#include "data/draw.h"
#include <tyto/create.h>
#include "base/wide.h"
#include "ops/random/philox.h"

/* Set bits[4] to the 128 random bits that belong to the counter `at`. */
static void draw_bits(const ty_draws *at, uint32_t bits[4]) {
    bits[0] = (uint32_t)at->index;
    bits[1] = (uint32_t)(at->index >> 32) ^
              at->count << 8; /* distinct counters up to 2^40 examples and 2^24 draws */
    bits[2] = (uint32_t)at->epoch;
    bits[3] = at->step;
    philox(bits, (uint32_t)at->seed, (uint32_t)(at->seed >> 32));
}

double ty_draws_number(ty_draws *draws, double low, double high) {
    FLOATING_DEFAULT;
    uint32_t bits[4];
    if (!draws) return low;
    draw_bits(draws, bits);
    draws->count++;
    double share = ((double)(bits[0] >> 5) * 67108864 + (double)(bits[1] >> 6)) / 9007199254740992.0;
    double x = low + (high - low) * share;
    return x < high || !(low < high) ? x : low; /* rounding may reach `high` */
}

ty_tensor *ty_draws_key(const ty_draws *draws) {
    if (!draws) return ty_poison_code(E_ARGUMENT, "draw_key: the draws of a step are NULL");
    ty_tensor *key = ty_fold(ty_fold(ty_key(draws->seed), draws->epoch), draws->index);
    return ty_fold(key, draws->step);
}

uint64_t draw_below(const ty_draws *at, uint64_t n) {
    uint32_t bits[4];
    draw_bits(at, bits);
    return product_high((uint64_t)bits[1] << 32 | bits[0], n);
}

void draw_order(struct permuted *order, uint64_t n, uint64_t seed, uint64_t epoch) {
    uint32_t bits[4];
    permuted_begin(order, n);
    for (uint64_t i = 0; i < PERMUTED_ROUNDS; i++) {
        draw_bits(&(ty_draws){seed, epoch, i, DRAW_ORDER, 0}, bits);
        order->keys[i] = (uint64_t)bits[1] << 32 | bits[0];
    }
}
