/* Prints a contraction after each pass that changes it. */
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "contract/cost.h"
#include "contract/loops.h"

/* State of the printing. */
struct account {
    struct text *to;
    char *before; /* text of the previous configuration; NULL: none yet */
    bool failed;  /* no memory for a text */
};

/* Append the configuration c to the account's text, under the heading `title` and `more`, if its description has
   changed since the last call. Sets a->failed if memory runs out. */
static void add_change(struct account *a, const ty_contraction *c, const char *title, const char *more) {
    struct text now = {0};
    contraction_describe(c, &now);
    char *words = text_take(&now);
    if (words && (!a->before || strcmp(words, a->before))) text_add(a->to, "  %s%s\n%s", title, more, words);
    a->failed = a->failed || !words;
    mem_free(a->before);
    a->before = words;
}

static void see_pass(void *context, const struct contract_pass *pass, const ty_contraction *c) {
    char title[32];
    snprintf(title, sizeof title, "%s: ", pass->name);
    add_change(context, c, title, pass->does);
}

/* Optimise c in place, and append to the text `to` its configuration after each pass that changes it, and its
   predicted time. False with the fault set on error. */
static bool explain_part(ty_contraction *c, const struct contract_machine *machine, struct text *to,
                         struct fault *fault) {
    struct account account = {to, NULL, false};
    struct contraction_watch watch = {see_pass, &account};
    struct contract_cost cost;
    add_change(&account, c, "as it is given:", "");
    bool ok = contraction_optimise_seen(c, machine, &watch, fault);
    mem_free(account.before);
    if (ok && account.failed) ok = fault_memory(fault, sizeof *c);
    if (!ok) return false;
    contract_cost_of(c, machine, &cost);
    text_add(
        to,
        "  predicted for one thread: %.4g ms = arithmetic %.4g + memory %.4g + caches %.4g + packing %.4g + "
        "calls %.4g\n",
        1e3 * cost.seconds, 1e3 * cost.arithmetic, 1e3 * cost.memory, 1e3 * cost.caches, 1e3 * cost.packing,
        1e3 * cost.calls);
    struct contract_held held;
    if (machine->holds && machine->holds(machine, c, &held)) {
        text_add(to, "  workspace %lld bytes", (long long)held.workspace);
        if (held.kept) text_add(to, ", and %lld for packed constants", (long long)held.kept);
        text_add(to, "\n");
    }
    if (machine->threads > 1) text_add(to, "  for %d threads: %.4g ms\n", machine->threads, 1e3 * c->seconds);
    return true;
}

bool contraction_explain(const struct contract_attr *attr, const struct contract_operand operands[3],
                         int threads, struct text *to, struct fault *fault) {
    struct arena arena = {0};
    struct contraction_parts parts;
    bool ok = contraction_lower(&parts, attr, operands, &arena, fault);
    for (int i = 0; ok && i < parts.n; i++) {
        struct contract_machine machine;
        if (parts.n > 1) text_add(to, "  part %d of %d\n", i + 1, parts.n);
        contraction_runner_current()->machine(&parts.items[i], threads, &machine);
        ok = explain_part(&parts.items[i], &machine, to, fault);
    }
    arena_drop(&arena);
    return ok;
}
