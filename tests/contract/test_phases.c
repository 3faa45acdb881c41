/* Phases of output windows: together they have each product of a window once, also with strides far beyond its taps. */
#include <tyto/tyto.h>
#include "contract/phases.h"
#include "tests/support/harness.h"

enum { MOST = 4096 };

/* Return the number of pairs of outer and inner index that window w adds to `position`. */
static int64_t products_at(const struct contract_window *w, int64_t position) {
    int64_t n = 0;
    for (int64_t inner = 0; inner < w->inner_size; inner++) {
        int64_t rest = position + w->low - inner * w->dilation;
        n += rest % w->stride == 0 && rest / w->stride >= 0 && rest / w->stride < w->outer_size;
    }
    return n;
}

/* Count the positions and products that a phase of w has, by position. */
static void count(const struct contract_window *w, const struct contract_phase *p, int64_t *places,
                  int64_t *products) {
    for (int64_t q = 0; q < p->outer; q++)
        for (int64_t k = 0; k < p->count; k++) {
            int64_t at = p->base + k + q * w->stride;
            CHECK(at < w->length, "position %lld of %lld", (long long)at, (long long)w->length);
            places[at]++;
            for (int64_t t = 0; t < p->inner; t++) {
                int64_t inner = p->first + k * p->rise + t * p->step, outer = q + p->shift - t * p->back;
                bool inside = inner >= 0 && inner < w->inner_size && outer >= 0 && outer < w->outer_size;
                bool adds = outer * w->stride + inner * w->dilation - w->low == at;
                CHECK(!inside || adds, "outer %lld and inner %lld at %lld", (long long)outer,
                      (long long)inner, (long long)at);
                products[at] += inside;
            }
        }
}

static void every_product_once(void) {
    static int64_t places[MOST], products[MOST];
    for (int i = 0; i < test_some(4000, 400, 40); i++) {
        struct arena arena = {0};
        struct contract_window w = {.outer_size = test_between(1, 6),
                                    .inner_size = test_between(1, 7),
                                    .stride = test_between(1, i % 4 ? 9 : 300),
                                    .dilation = test_between(1, 4) * (test_between(0, 1) ? 1 : -1),
                                    .low = test_between(-6, 12)};
        w.length = test_between(1, w.outer_size * w.stride + 20);
        bool ok;
        const struct contract_phase *p = contract_phases(&w, i % 3 == 0, test_between(1, 8), 4, &arena, &ok);
        CHECK(ok || test_starving(), "case %d: no memory", i);
        for (int64_t at = 0; at < w.length; at++) places[at] = products[at] = 0;
        for (; p; p = p->next) count(&w, p, places, products);
        for (int64_t at = 0; at < w.length && ok; at++)
            CHECK(places[at] == 1 && products[at] == products_at(&w, at), "case %d, position %lld", i,
                  (long long)at);
        arena_drop(&arena);
    }
}

/* Residues without products are not looked at one by one: there are 2^31 and more. */
static void far_strides(void) {
    static const int64_t strides[] = {INT64_C(1) << 31, (INT64_C(1) << 46) - 1};
    for (int i = 0; i < 16; i++) {
        struct arena arena = {0};
        int64_t stride = strides[i % 2], covered = 0, phases = 0;
        struct contract_window w = {.outer_size = 2,
                                    .inner_size = 3,
                                    .stride = stride,
                                    .dilation = i & 2 ? -3 : 5,
                                    .low = i & 4 ? 7 : -1,
                                    .length = stride + 20};
        bool ok;
        const struct contract_phase *p = contract_phases(&w, i & 8, 1, 4, &arena, &ok);
        for (; p; p = p->next, phases++) covered += p->count * p->outer;
        CHECK(ok ? covered == w.length && phases < 16 : test_starving(), "%lld places in %lld phases",
              (long long)covered, (long long)phases);
        arena_drop(&arena);
    }
}

/* Taps without overlap are one phase, found without a search among taps for each residue: 2^18 of both. */
static void many_taps(void) {
    for (int i = 0; i < 4; i++) {
        struct arena arena = {0};
        int64_t taps = INT64_C(1) << 18;
        struct contract_window w = {.outer_size = 2,
                                    .inner_size = taps,
                                    .stride = taps,
                                    .dilation = i & 1 ? -1 : 1,
                                    .low = i & 1 ? 1 - taps : 0,
                                    .length = 2 * taps};
        bool ok;
        const struct contract_phase *p = contract_phases(&w, false, 1, 4, &arena, &ok);
        bool one = ok && !p->next && p->count == taps && p->outer == 2 && p->inner == 1;
        CHECK(ok ? one : test_starving(), "the first phase has %lld residues, %lld places and %lld taps",
              (long long)(ok ? p->count : 0), (long long)(ok ? p->outer : 0), (long long)(ok ? p->inner : 0));
        arena_drop(&arena);
    }
}

TESTS_MAIN(TEST(every_product_once), TEST(far_strides), TEST(many_taps))
