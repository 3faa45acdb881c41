/* Every pass watched: what a contraction is after each one that changes anything. */
#include <string.h>
#include "base/alloc.h"
#include "contract/cost.h"
#include "contract/loops.h"

/* Adds the configuration unless it reads as `before` does; returns how it reads now, NULL: no memory. */
static char *add_change(const ty_contraction *c, const char *title, char *before, struct text *to) {
    struct text now = {0};
    contraction_describe(c, &now);
    char *words = text_take(&now);
    if (words && (!before || strcmp(words, before))) text_add(to, "%s\n%s", title, words);
    mem_free(before);
    return words;
}

static bool explain_part(ty_contraction *c, const struct contract_machine *machine, struct text *to,
                         struct fault *fault) {
    char *words = add_change(c, "  as it is given:", NULL, to);
    for (const struct contract_pass *pass = contract_passes; pass->name && words; pass++) {
        struct text title = {0};
        if (!pass->run(c, machine, fault)) return mem_free(words), false;
        contraction_measure(c);
        text_add(&title, "  %s: %s", pass->name, pass->does);
        char *name = text_take(&title);
        words = add_change(c, name ? name : pass->name, words, to);
        mem_free(name);
    }
    if (!words) return fault_memory(fault, sizeof *c);
    mem_free(words);
    struct contract_cost cost;
    contract_cost_of(c, machine, &cost);
    text_add(
        to,
        "  predicted for one thread: %.4g ms = arithmetic %.4g + memory %.4g + caches %.4g + packing %.4g + "
        "calls %.4g\n",
        1e3 * cost.seconds, 1e3 * cost.arithmetic, 1e3 * cost.memory, 1e3 * cost.caches, 1e3 * cost.packing,
        1e3 * cost.calls);
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
