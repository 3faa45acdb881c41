/* The search for contraction paths against all trees, and its guarantees: limits, determinism, peaks. */
#include <math.h>
#include <string.h>
#include "ops/einsum/path.h"
#include "tests/support/harness.h"

enum { MOST_LABELS = 40 };

struct sample_network {
    struct einsum_network net;
    struct label_set operands[PATH_OPERANDS];
    double sizes[PATH_LABELS];
    struct label_set lonely[PATH_OPERANDS];
    bool constant[PATH_OPERANDS];
};

/* Make a network whose labels join two or three operands, or one and the output. */
static struct sample_network *random_network(int n, int labels, double largest) {
    struct sample_network *s = test_room(sizeof *s);
    s->net = (struct einsum_network){.n = n,
                                     .operands = s->operands,
                                     .sizes = s->sizes,
                                     .lonely = s->lonely,
                                     .constant = s->constant,
                                     .dtype = TY_F32};
    for (int l = 0; l < labels; l++) {
        int users = test_between(0, 4) ? 2 : 3;
        s->sizes[l] = floor(test_uniform(2, largest + 1));
        for (int k = 0; k < users; k++) set_put(&s->operands[test_between(0, n - 1)], l);
        if (test_between(0, 5) == 0) set_put(&s->net.output, l);
    }
    return s;
}

/* Add labels to some of the first operands that occur nowhere else. */
static void add_lonely(struct sample_network *s) {
    for (int k = 0; k < s->net.n; k++) {
        int label = PATH_LABELS - 1 - k % 8;
        s->sizes[label] = (double)(2 + k % 8);
        if (test_between(0, 3) == 0 && k < 8) set_put(&s->lonely[k], label);
    }
}

static struct arena *test_arena(void) {
    struct arena *arena = test_room(sizeof *arena);
    return test_own(arena, (void (*)(void *))arena_drop);
}

static void check_found(bool found, const struct fault *fault) {
    CHECK(found || (test_starving() && strstr(fault->text, "memory")), "no path: %s", fault->text);
    if (!found) test_fail(__FILE__, __LINE__, "found", "starved");
}

/* ---- all trees ---- */

struct best {
    double flops, seconds, peak;
};

/* Return the best values of all trees over a set of operands (bits), each measure separately; peaks in
   either order. */
static struct best try_all(const struct einsum_network *net, uint32_t set, uint32_t all,
                           struct label_set *labels) {
    struct label_set inside = {{0}}, outside = net->output;
    for (int i = 0; i < net->n; i++) {
        if (set >> i & 1)
            inside = set_union(inside, net->operands[i]);
        else
            outside = set_union(outside, net->operands[i]);
    }
    *labels = set_common(inside, outside);
    if (!(set & (set - 1))) {
        *labels = inside;
        return (struct best){0, 0, 0}; /* a late sum of one operand needs no memory */
    }
    struct best best = {INFINITY, INFINITY, INFINITY};
    for (uint32_t left = (set - 1) & set; left; left = (left - 1) & set) {
        struct label_set a, b;
        if (left < (set ^ left)) continue;
        struct best l = try_all(net, left, all, &a), r = try_all(net, set ^ left, all, &b);
        struct einsum_pair pair = path_pair(net, a, b, *labels);
        double held_l = left & (left - 1) ? 4 * path_size(net, a) : 0;
        double held_r = (set ^ left) & ((set ^ left) - 1) ? 4 * path_size(net, b) : 0;
        double held = set == all ? 0 : 4 * path_size(net, *labels);
        double peak = fmin(fmax(l.peak, held_l + r.peak), fmax(r.peak, held_r + l.peak));
        best.flops = fmin(best.flops, l.flops + r.flops + pair.flops);
        best.seconds = fmin(best.seconds, l.seconds + r.seconds + pair.seconds);
        best.peak = fmin(best.peak, fmax(peak, held_l + held_r + held));
    }
    return best;
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); }

static void all_trees(void) {
    for (int i = 0; i < (test_starving() ? 2 : 150); i++) {
        struct test_round round = test_round();
        int n = (int)test_between(2, 6);
        struct sample_network *s = random_network(n, (int)test_between(1, 10), 9);
        struct arena *arena = test_arena();
        struct label_set labels;
        struct fault fault = {0};
        struct path path = {0};
        add_lonely(s);
        struct best best = try_all(&s->net, (1u << n) - 1, (1u << n) - 1, &labels);
        const double wanted[] = {best.seconds, best.flops, best.peak};
        for (int objective = 0; objective < 3; objective++) {
            ty_einsum_options options = {.objective = (ty_einsum_objective)objective};
            check_found(path_find(&path, &s->net, &options, arena, &fault), &fault);
            double got = objective == 2 ? path_root(&path)->peak : path_root(&path)->cost;
            CHECK(near(got, wanted[objective]), "network %d of %d, objective %d: %g, the best tree has %g", i,
                  n, objective, got, wanted[objective]);
        }
        test_round_end(round);
    }
}

/* ---- reports of a path ---- */

/* Run the steps in order, counting bytes; returns the sum of costs. */
static double simulate(const struct einsum_network *net, const struct path *path, double *peak) {
    double held[2 * PATH_OPERANDS] = {0}, live = 0, cost = 0;
    bool used[2 * PATH_OPERANDS] = {false};
    *peak = 0;
    for (int id = path->n; id < path->nodes; id++) {
        const struct path_node *y = &path->node[id];
        for (int side = 0; side < 2; side++) {
            int child = side ? y->right : y->left;
            CHECK(child >= 0 && child < id && !used[child], "step %d takes node %d", id, child);
            used[child] = true;
            bool summed = child < path->n && !set_is_empty(net->lonely[child]) &&
                          set_is_empty(set_common(path->node[child].labels, net->lonely[child]));
            if (summed) live += held[child] = 4 * path_size(net, net->operands[child]);
        }
        if (id < path->nodes - 1) live += held[id] = 4 * path_size(net, y->labels);
        *peak = fmax(*peak, live);
        live -= held[y->left] + held[y->right];
        cost += y->pair.seconds;
    }
    CHECK(path->nodes == 2 * path->n - 1, "%d nodes for %d operands", path->nodes, path->n);
    for (int id = 0; id < path->nodes - 1; id++) CHECK(used[id], "node %d is not used", id);
    return cost;
}

static void many_operands(void) {
    static const int sizes[] = {3, 12, 13, 20, 40, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int strategy = 0; strategy < (test_starving() && sizes[i] > 20 ? 0 : 4); strategy++) {
            struct test_round round = test_round();
            struct sample_network *s = random_network(sizes[i], sizes[i] * 3 / 2, 5);
            if (strategy % 2) add_lonely(s);
            struct arena *arena = test_arena();
            struct fault fault = {0};
            struct path path = {0}, again = {0};
            ty_einsum_options options = {.strategy = (ty_einsum_strategy)strategy};
            check_found(path_find(&path, &s->net, &options, arena, &fault), &fault);
            check_found(path_find(&again, &s->net, &options, arena, &fault), &fault);
            double peak, cost = simulate(&s->net, &path, &peak);
            CHECK(near(cost, path_root(&path)->cost), "%d operands cost %g and say %g", sizes[i], cost,
                  path_root(&path)->cost);
            CHECK(near(peak, path_root(&path)->peak), "%d operands take %g bytes and say %g", sizes[i], peak,
                  path_root(&path)->peak);
            for (int id = path.n; id < path.nodes; id++)
                CHECK(path.node[id].left == again.node[id].left &&
                          path.node[id].right == again.node[id].right,
                      "the same search finds another path: step %d", id - path.n);
            test_round_end(round);
        }
    }
}

/* More thorough searches find no worse path; a limit is kept or refused. */
static void strategies(void) {
    static const ty_einsum_strategy better[] = {TY_EINSUM_OPTIMAL, TY_EINSUM_AUTO, TY_EINSUM_GREEDY};
    int rounds = test_starving() ? 1 : 25;
    for (int i = 0; i < rounds; i++) {
        struct test_round round = test_round();
        struct sample_network *s = random_network((int)test_between(7, 18), 24, 6);
        add_lonely(s);
        struct arena *arena = test_arena();
        struct fault fault = {0};
        struct path path = {0};
        double last = 0;
        for (int k = 0; k < 3; k++) {
            ty_einsum_options options = {.strategy = better[k]};
            check_found(path_find(&path, &s->net, &options, arena, &fault), &fault);
            CHECK(path_root(&path)->cost >= last * (1 - 1e-9), "strategy %d finds %g, one that knows more %g",
                  k, path_root(&path)->cost, last);
            last = path_root(&path)->cost;
        }
        ty_einsum_options least = {.objective = TY_EINSUM_MEMORY}, limited = {.memory = 0};
        check_found(path_find(&path, &s->net, &least, arena, &fault), &fault);
        double peak = path_root(&path)->peak;
        limited.memory = (int64_t)peak;
        limited.objective = i % 2 ? TY_EINSUM_FLOPS : TY_EINSUM_TIME;
        if (peak > 1) {
            check_found(path_find(&path, &s->net, &limited, arena, &fault), &fault);
            CHECK(path_root(&path)->peak <= peak, "%g bytes where %g are allowed", path_root(&path)->peak,
                  peak);
        }
        limited.memory = (int64_t)(peak / 2);
        if (peak > 4 && s->net.n <= PATH_EXACT) {
            CHECK(!path_find(&path, &s->net, &limited, arena, &fault), "a path takes less than the least");
            CHECK(test_starving() || strstr(fault.text, "bytes for its intermediates"), "it says: %s",
                  fault.text);
        }
        test_round_end(round);
    }
}

/* Contractions of constants only are free, so they come first if that saves anything. */
static void constants(void) {
    struct sample_network *s = random_network(3, 0, 2);
    struct arena *arena = test_arena();
    struct fault fault = {0};
    struct path path = {0};
    ty_einsum_options options = {.objective = TY_EINSUM_FLOPS};
    for (int l = 0; l < 4; l++) s->sizes[l] = l == 0 ? 2 : 100;
    for (int k = 0; k < 3; k++) set_put(&s->operands[k], k), set_put(&s->operands[k], k + 1);
    set_put(&s->net.output, 0);
    set_put(&s->net.output, 3);
    check_found(path_find(&path, &s->net, &options, arena, &fault), &fault);
    CHECK(near(path_root(&path)->cost, 2 * (2e4 + 2e4)), "a thin chain costs %g", path_root(&path)->cost);
    s->constant[1] = s->constant[2] = true;
    check_found(path_find(&path, &s->net, &options, arena, &fault), &fault);
    CHECK(near(path_root(&path)->cost, 2 * 2e4), "with two constants it costs %g", path_root(&path)->cost);
}

/* For ij,jk,kl->il of small matrices, the outer product of the first and the last is never the fastest
   path. */
static void small_chains(void) {
    static const double sizes[] = {3, 4, 5, 6, 8, 11};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct sample_network *s = random_network(3, 0, 2);
    struct arena *arena = test_arena();
    struct fault fault = {0};
    for (int l = 0; l < 4; l++)
        set_put(&s->operands[l < 3 ? l : 2], l), set_put(&s->operands[l > 0 ? l - 1 : 0], l);
    set_put(&s->net.output, 0);
    set_put(&s->net.output, 3);
    for (int i = 0; i < SIZES * SIZES * SIZES * SIZES && !(test_starving() && i); i++) {
        struct path path = {0};
        ty_einsum_options options = {0};
        for (int l = 0, rest = i; l < 4; l++, rest /= SIZES) s->sizes[l] = sizes[rest % SIZES];
        check_found(path_find(&path, &s->net, &options, arena, &fault), &fault);
        const struct path_node *first = &path.node[3];
        CHECK(first->left == 1 || first->right == 1, "%g %g %g %g: operands %d and %d first", s->sizes[0],
              s->sizes[1], s->sizes[2], s->sizes[3], first->left, first->right);
    }
}

TESTS_MAIN(TEST(all_trees), TEST(many_operands), TEST(strategies), TEST(constants), TEST(small_chains))
