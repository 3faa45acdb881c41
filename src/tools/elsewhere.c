/* Hints for signs and functions of other languages in an expression. */
#include "tools/elsewhere.h"
#include <string.h>
#include "base/ascii.h"
#include "base/nearest.h"
#include "tools/options/message.h"

void hint_derivative(void) {
    complain_below("  --grad x gives the derivative by x: tyto eval 'x ** 2' x=3 --grad x\n");
}

bool hint_sign(const char *expression, const char *at) {
    static const struct {
        const char *sign, *ours; /* ours: NULL for derivatives */
    } rows[] = {{"^", "the power is **: x ** 2"},
                {"&&", "and joins conditions"},
                {"||", "or joins conditions"},
                {"~=", "different is !="},
                {"d/dx", NULL},
                {"d/dt", NULL},
                {"d/dy", NULL},
                {"'(", NULL},
                {"'", "the transpose of A is A.T"}};
    if (*at == '\'' && (at == expression || !(ascii_is_word(at[-1]) || strchr(")]", at[-1]))))
        return false; /* a text */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strncmp(at, rows[i].sign, strlen(rows[i].sign)) != 0) continue;
        if (rows[i].ours)
            complain_below("  %s\n", rows[i].ours);
        else
            hint_derivative();
        return true;
    }
    return false;
}

void hint_function(const char *unknown) {
    struct nearest near = {.wanted = unknown, .pages = true};
    if (nearest_means(&near, "ty_grad")) hint_derivative();
    complain_below("  tyto help %s looks for it in options, functions of C and pages, too\n", unknown);
}

void hint_diff(const char *error, const char *at) {
    if (strstr(error, "expected an integer: it is diff(") ||
        (!strncmp(at, "diff(", strlen("diff(")) && strstr(error, "a 0-d tensor has no axes")))
        hint_derivative();
}
