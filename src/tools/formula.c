/* The option --formula: expressions and graphs written as mathematics. */
#include "tools/formula.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"
#include "expression/expression.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

static const char *const forms[] = {"text", "ascii", "latex", "mathml"}; /* by ty_notation_form */

static bool parse_form(const char *text, void *place) {
    for (int i = 0; i <= TY_NOTATION_MATHML; i++)
        if (!text || !strcmp(text, forms[i])) {
            *(int *)place = 1 + i;
            return true;
        }
    return false;
}

static bool is_form(const char *text) { return parse_form(text, &(int){0}); }

const struct option_type option_formula = {
    .expected = "text, ascii, latex or mathml", .parse = parse_form, .takes = is_form};

bool formula_print(int option, int n, ty_tensor *const *results, const char *const *names,
                   const char *const *by) {
    ty_notation_options options = {.form = (ty_notation_form)(option - 1), .names = names, .by = by};
    ty_tensor *error;
    char *text = ty_notation(n, results, options, &error);
    if (!text) return complain_of(error) == EXIT_SUCCESS;
    size_t length = strlen(text);
    bool written = result_json() || fputs(text, stdout) >= 0;
    if (length && text[length - 1] == '\n') text[length - 1] = 0;
    result_text("formula", text);
    ty_free(text);
    return written || complain("standard output could not be written") == EXIT_SUCCESS;
}

/* Add to `bound` the hashes of names that statements from *at to `end` set, as in "y = x * x; y", and move *at there.
   False after a message on stderr. */
static bool add_bound(struct map *bound, const char **at, const char *end) {
    struct fault unused = {0};
    struct token t, next;
    for (; token_read(*at, &t, &unused) && t.start < end; *at = t.start + t.length) {
        bool sets =
            t.kind == TOKEN_NAME && token_read(t.start + t.length, &next, &unused) && token_is(&next, "=");
        if (sets && !map_put(bound, hash_bytes(t.start, (size_t)t.length), 0, NULL))
            return complain("out of memory") == EXIT_SUCCESS;
    }
    return true;
}

bool formula_symbols(const char *expression, void *context,
                     bool (*add)(void *context, const char *name, size_t length)) {
    const char *at = expression, *read = expression, *name;
    struct map bound = {0};
    int length;
    bool well = true;
    while (well && expression_symbol(&at, &name, &length)) {
        well = add_bound(&bound, &read, name);
        if (well && !map_find(&bound, hash_bytes(name, (size_t)length)))
            well = add(context, name, (size_t)length);
    }
    map_drop(&bound);
    return well;
}
