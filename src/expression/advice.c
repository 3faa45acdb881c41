/* Messages about unknown functions: the expression to write instead, or the known name nearest to theirs. */
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "expression/call.h"

/* Functions and calls of other languages that are short expressions here. */
static const struct {
    const char *name, *ours;
} formulas[] = {
#define FORMULA(name, ours) {#name, ours},
#include "expression/formulas.def"
};

const char *function_formula(const char *name, int n) {
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        if (word_is(formulas[i].name, name, n)) return formulas[i].ours;
    return NULL;
}

struct value function_unknown(struct expression *e, const struct token *name) {
    char wanted[64], hint[NEAREST_HINT];
    snprintf(wanted, sizeof wanted, "%.*s", name->length, name->start);
    const char *ours = function_formula(name->start, name->length);
    if (ours)
        return expression_fail(e, name->start, E_ARGUMENT, "unknown function %s; write %s", wanted, ours);
    struct nearest near = {.wanted = wanted};
    for (int i = 0; i < function_count; i++) nearest_offer(&near, function_table[i].name);
    for (int i = 0; i < alias_count; i++) nearest_offer(&near, alias_table[i].name);
    return expression_fail(e, name->start, E_ARGUMENT, "unknown function %s%s", wanted,
                           nearest_hint(&near, hint));
}
