/*
 * The passes run in the order of this table. Dimensions come first (drop, fuse), as their number and sizes
 * decide everything else. The order of sums comes before all that the machine decides. Sides come before loops,
 * as they decide the shape of a box. Loops are made from the inside out: boxes, their order, sharing. Packing is
 * next, as it depends on how often boxes are reloaded. Last, configurations that an engine finds too large are
 * reduced.
 *
 * Each pass leaves a complete, equivalent contraction, so tests check after each one, and a user's
 * configuration may enter anywhere.
 */
#include "contract/passes.h"
#include "contract/sums.h"
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "base/machine/debug.h"

enum { DEBUG_CONTRACTIONS = 3 };

const struct contract_pass contract_passes[] = {
    {"drop", "remove dimensions of size 1", pass_contract_drop},
    {"fuse", "fuse neighbours with consecutive strides", pass_contract_fuse},
    {"sum", "choose the order of sums, the same on all machines", pass_contract_sum},
    {"orient", "choose the left operand so that columns are contiguous in out", pass_contract_orient},
    {"identify", "choose the primitive that computes a box", pass_contract_identify},
    {"split", "split dimensions into boxes that fit the caches", pass_contract_split},
    {"order", "order loops for the least predicted time", pass_contract_order},
    {"share", "share loops evenly among threads", pass_contract_share},
    {"pack", "choose how operands reach the primitive", pass_contract_pack},
    {"fit", "shrink boxes if the workspace is too large", pass_contract_fit},
    {NULL, NULL, NULL},
};

/* Print the configuration after a pass to stderr (TY_DEBUG). */
static void print_pass(void *context, const struct contract_pass *pass, const ty_contraction *c) {
    struct text text = {0};
    (void)context;
    text_add(&text, "tyto: contraction after %s (%s)\n", pass->name, pass->does);
    contraction_describe(c, &text);
    char *words = text_take(&text);
    if (words) fprintf(stderr, "%s", words);
    mem_free(words);
}

/* True if the comma-separated list contains the name. */
static bool is_listed(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
        if (strncmp(at, name, n) == 0 && (at[n] == 0 || at[n] == ',')) return true;
    return false;
}

/* True if all names in the comma-separated list are names of passes. Each listed pass accounts for its name and
   a comma. */
static bool allows(const char *list) {
    size_t known = 0, all = strlen(list);
    for (const struct contract_pass *pass = contract_passes; pass->name; pass++)
        if (is_listed(list, pass->name)) known += strlen(pass->name) + 1;
    return known == all + 1;
}
/* Passes to omit, for measurements (docs/contraction.md). */
const struct environment_row environment_passes = {
    "TY_CONTRACT_WITHOUT",
    "passes, each once, with commas between: drop, fuse, sum, orient, "
    "identify, split, order, share, pack, fit",
    allows, "Passes of the contraction compiler to leave out."};

/* True if a pass kept the order of sums *order, which pass `sum` has chosen (n: -1 before it); always true in release
   builds. False, with the fault set, if not. */
static bool check_order(const ty_contraction *c, const struct contract_pass *pass, struct sum_order *order,
                        struct fault *fault) {
#ifdef NDEBUG
    (void)c, (void)pass, (void)order, (void)fault;
    return true;
#else
    struct sum_order now;
    contraction_order_of(c, &now);
    if (pass->run == pass_contract_sum) *order = now;
    return order->n < 0 || !contraction_rounds(c) || contraction_order_equal(order, &now) ||
           fault_set(fault, E_INTERNAL, "contraction: pass %s changed the order of sums", pass->name);
#endif
}

bool contraction_optimise_seen(ty_contraction *c, const struct contract_machine *machine,
                               const struct contraction_watch *watch, struct fault *fault) {
    c->nloops = 0;
    c->spans = 0;
    c->bypass = false;
    memset(c->packing, 0, sizeof c->packing);
    c->packing[0].loop = c->packing[1].loop = -1;
    const char *without = environment_value(&environment_passes);
    struct sum_order order = {.n = -1};
    for (const struct contract_pass *pass = contract_passes; pass->name; pass++) {
        if (without && is_listed(without, pass->name)) continue;
        if (!pass->run(c, machine, fault) || !check_order(c, pass, &order, fault)) return false;
        if (!watch) continue;
        contraction_measure(c);
        watch->see(watch->context, pass, c);
    }
    struct contract_cost cost;
    contraction_measure(c);
    contract_cost_of(c, machine, &cost);
    bool shared = c->nloops && c->loops[0].exec == TY_EXEC_SHARED;
    int spans = c->spans > machine->threads ? machine->threads : (int)c->spans;
    c->seconds = cost.seconds;
    if (shared)
        c->seconds /= machine->threads * contract_evenness(c, machine->threads);
    else if (spans > 1)
        c->seconds /= spans;
    return true;
}

bool contraction_optimise(ty_contraction *c, const struct contract_machine *machine, struct fault *fault) {
    static const struct contraction_watch printing = {print_pass, NULL};
    return contraction_optimise_seen(c, machine, debug_level() >= DEBUG_CONTRACTIONS ? &printing : NULL,
                                     fault);
}
