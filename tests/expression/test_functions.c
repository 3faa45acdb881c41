/*
 * Coverage of expressions: each public function of tensors has an entry in functions.def, and each of these has a
 * golden; otherwise reasons.def says why not. A failure names the file to edit.
 */
#include <stdio.h>
#include <string.h>

#include "expression/call.h"
#include "ops/core/op.h"
#include "tests/support/harness.h"
#include "tests/support/samples/parameters.h"
#include "tests/support/tree.h"

/* The public headers whose functions map tensors to tensors; others concern programs, files or networks. */
static const char *const headers[] = {"create", "shape", "index",    "arithmetic", "math",
                                      "reduce", "sort",  "contract", "pool",       "image"};

struct reason {
    const char *why, *names;
};
static const struct reason no_function[] = {
#define NO_FUNCTION(why, names) {why, names},
#define NO_GOLDEN(why, names)
#include "tests/expression/reasons.def"
};
static const struct reason no_golden[] = {
#define NO_FUNCTION(why, names)
#define NO_GOLDEN(why, names) {why, names},
#include "tests/expression/reasons.def"
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool has_reason(const struct reason *reasons, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (tree_has_word(reasons[i].names, name)) return true;
    return false;
}

static const struct function *function_named(const char *name) {
    return function_find(name, (int)strlen(name));
}

/* Return the name of the next function that a header declares; NULL: none. */
static const char *next_declared(const char **at, char *name, size_t size) {
    const char *mark = strstr(*at, "TY_API "), *defined = strstr(*at, "TY_INLINE ");
    if (defined && (!mark || defined < mark)) mark = defined;
    const char *open = mark ? strchr(mark, '(') : NULL, *first = open;
    if (!open) return NULL;
    while (first > mark && strchr("abcdefghijklmnopqrstuvwxyz0123456789_", first[-1])) first--;
    snprintf(name, size, "%.*s", (int)(open - first), first);
    *at = open;
    /* that of the name without this end calls it */
    return (size_t)(open - first) > 6 && !strncmp(open - 6, "_sized", 6) ? next_declared(at, name, size)
                                                                         : name;
}

static int holes;

/* Check that a function is available by name, through an entry or its helpers, or in the grammar. */
static void check_function(const char *header, const char *name, size_t n, const char *const *callers) {
    bool expressed = function_named(name + strlen("ty_")),
         reason = has_reason(no_function, COUNT(no_function), name);
    for (size_t i = 0; i < n; i++) expressed |= tree_has_word(callers[i], name);
    if (expressed != reason) return;
    holes++;
    if (test_starving()) return;
    if (expressed)
        printf("%s: tests/expression/reasons.def says why it is not in functions.def, and it is\n", name);
    else
        printf("%s of tyto/%s.h: no row in src/expression/functions.def; add one, or NO_FUNCTION to "
               "tests/expression/reasons.def\n",
               name, header);
}

static void public_functions(void) {
    static const char *const callers[] = {"functions.def", "functions.c", "parse.c", "subscript.c"};
    char name[128], path[128];
    const char *rows[COUNT(callers)];
    for (size_t i = 0; i < COUNT(callers); i++) {
        snprintf(path, sizeof path, "src/expression/%s", callers[i]);
        rows[i] = tree_text(path);
    }
    int found = 0;
    holes = 0;
    for (size_t i = 0; i < COUNT(headers); i++) {
        snprintf(path, sizeof path, "include/tyto/%s.h", headers[i]);
        const char *at = tree_text(path);
        while (next_declared(&at, name, sizeof name)) {
            if (!strncmp(name, "ty_", 3)) found++, check_function(headers[i], name, COUNT(rows), rows);
        }
    }
    CHECK(found > 300, "only %d functions are found in the headers", found);
    CHECK(holes == 0, "%d public functions are neither in functions.def nor in reasons.def", holes);
}

/* The names in reasons.def are functions. */
static void reasons_are_of_functions(void) {
    char word[128];
    for (size_t i = 0; i < COUNT(no_golden); i++)
        for (const char *at = no_golden[i].names; sscanf(at, "%127s", word) == 1;
             at += strspn(at, " ") + strlen(word))
            CHECK(function_named(word), "reasons.def excuses the golden of %s, which is no function", word);
    for (size_t i = 0; i < COUNT(no_function); i++)
        for (const char *at = no_function[i].names; sscanf(at, "%127s", word) == 1;
             at += strspn(at, " ") + strlen(word)) {
            bool declared = false;
            for (size_t h = 0; h < COUNT(headers) && !declared; h++) {
                char path[128];
                snprintf(path, sizeof path, "include/tyto/%s.h", headers[h]);
                declared = tree_has_word(tree_text(path), word);
            }
            CHECK(declared, "reasons.def names %s, which no header declares", word);
        }
}

/* Return true if an expression calls the function. */
static bool is_called(const char *expression, const char *name) {
    size_t n = strlen(name);
    for (const char *at = strstr(expression, name); at; at = strstr(at + 1, name))
        if (at[n] == '(' && tree_has_word(at, name) && (at == expression || !strchr("_.", at[-1])) &&
            (at == expression || at[-1] < 'a' || at[-1] > 'z'))
            return true;
    return false;
}

/* Entries of elementwise.def have tests of their own; all other functions have a golden. */
static void goldens(void) {
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    bool *called = test_room((size_t)function_count * sizeof *called);
    while ((line = tree_line(&text)))
        for (int i = 0; tree_golden(line) && i < function_count; i++)
            called[i] |= is_called(line, function_table[i].name);
    int missing = 0;
    for (int i = 0; i < function_count; i++) {
        const struct op *op = op_find(function_table[i].name);
        bool row = op && op->row >= 0,
             reason = has_reason(no_golden, COUNT(no_golden), function_table[i].name);
        if (row || called[i] != reason) continue;
        missing++;
        if (test_starving()) continue;
        printf("%s: %s\n", function_table[i].name,
               reason ? "tests/expression/reasons.def says why it has no golden, and it has"
                      : "no line of tests/goldens/goldens.txt calls it; add one, or NO_GOLDEN to "
                        "tests/expression/reasons.def");
    }
    CHECK(missing == 0, "%d functions of expressions are not compared with NumPy", missing);
}

/* NumPy's names are aliases of existing functions, hide none, and each has a golden. */
static void aliases(void) {
    char *text = tree_text("tests/goldens/goldens.txt"), *line;
    bool *called = test_room((size_t)alias_count * sizeof *called);
    while ((line = tree_line(&text)))
        for (int i = 0; tree_golden(line) && i < alias_count; i++)
            called[i] |= is_called(line, alias_table[i].name);
    for (int i = 0; i < alias_count; i++) {
        const struct alias *a = &alias_table[i];
        const struct function *f = function_named(a->name);
        CHECK(f && !strcmp(f->name, a->function), "alias %s is of %s, which is no function", a->name,
              a->function);
        for (int k = 0; k < function_count; k++)
            CHECK(strcmp(function_table[k].name, a->name), "the alias %s hides a function", a->name);
        CHECK(called[i], "no line of tests/goldens/goldens.txt calls %s", a->name);
    }
}

/* ---- every parameter of every function, with valid and invalid values ---- */

enum { CALL_LENGTH = 1024 };

/* Return the length of a function's name at the beginning of a message, such as "sum" of "sum of f32[3]: ..."; else 0. */
static size_t name_length(const char *message) {
    size_t n = strspn(message, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return !strncmp(message + n, ": ", 2) || !strncmp(message + n, " of ", 4) ? n : 0;
}

/* Check that a message about the whole call, which begins in column 1, names the function that was called alone. */
static void names_function(const char *text, const char *function, const char *message) {
    static const char first[] = "column 1: ", *const others[] = {"out of memory", "more than 8 results"};
    size_t n = strlen(function);
    bool exempt = strncmp(message, first, strlen(first)) != 0;
    for (size_t i = 0; i < COUNT(others); i++) exempt |= strstr(message, others[i]) != NULL;
    if (exempt) return;
    const char *named = message + strlen(first);
    bool ours = !strncmp(named, function, n) && (name_length(named) == n || named[n] == ' ');
    CHECK(ours, "%s says\n    %s", text, message);
    size_t second = named[n] == ':' ? name_length(named + n + 2) : 0;
    CHECK(!second || !function_find(named + n + 2, (int)second), "%s names two functions:\n    %s", text,
          message);
}

/* Call with one value replaced; an error message must never contain `never` (or NULL). */
static void call_with(const char *function, int n, char names[][PARAMETER], const char *const *values,
                      int odd, const char *instead, const char *never) {
    char text[CALL_LENGTH];
    size_t at = (size_t)snprintf(text, sizeof text, "%s(", function);
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s=%s", i ? ", " : "", names[i],
                               i == odd ? instead : values[i]);
    snprintf(text + at, sizeof text - at, ")");
    struct test_round round = test_round();
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){1, -2, 0.5, 4, 0.25, -6}), *results[8];
    int made = ty_expressions(text, 1, (const char *const[]){"x"}, &x, 8, results);
    CHECK(made >= 0 && made <= 8, "%s: %d results", text, made);
    for (int i = 0; i < made; i++) {
        bool said = ty_ok(results[i]) || !strncmp(ty_error(results[i]), "column ", 7) || test_starving();
        CHECK(said && !(never && strstr(ty_error(results[i]), never)), "%s: %s", text, ty_error(results[i]));
        names_function(text, function, ty_error(results[i]));
        if (ty_ok(results[i]))
            CHECK(ty_rank(results[i]) >= 0 && ty_size(results[i]) >= 0, "%s is no tensor", text);
    }
    test_round_end(round);
}

/* Each value is accepted, or refused with a message and a column. */
static void calls_of_any_kind(void) {
    static const char *const odd[] = {"none",
                                      "-1",
                                      "0",
                                      "3",
                                      "1.5",
                                      "-0.0",
                                      "nan",
                                      "2j",
                                      "true",
                                      "f32",
                                      "\"wrap\"",
                                      "x",
                                      "x[0, 0]",
                                      "cast(x, i8)[0, 1:2]",
                                      "[]",
                                      "[1, 2]",
                                      "(0, 1)",
                                      "[1, 2.5]",
                                      "[[1, 0], [0, 1]]",
                                      "[x, \"a\"]",
                                      "[[1], 2]",
                                      "18446744073709551615",
                                      "...",
                                      "\"linear\"",
                                      "\"ij->ji\"",
                                      "99",
                                      "x > 0",
                                      "[x > 0, x < 0]"};
    int step = test_starving() ? 29 : 1, calls = 0;
    for (int i = 0; i < function_count; i += step) {
        char names[PARAMETERS][PARAMETER];
        const char *values[PARAMETERS], *words[PARAMETERS];
        int n = parameters_of(function_table[i].parameters, names, values, words);
        for (int k = 0; k < n; k++)
            for (size_t j = 0; j < COUNT(odd); j += test_starving() ? 9 : 1, calls++)
                call_with(function_table[i].name, n, names, values, k, odd[j], NULL);
    }
    CHECK(calls > 20000 || test_starving(), "only %d calls", calls);
}

/* The function accepts each word of a list such as "norm:(backward ortho forward)". */
static void words_are_known(void) {
    int calls = 0, step = test_starving() ? 29 : 1;
    for (int i = 0; i < function_count; i += step) {
        char names[PARAMETERS][PARAMETER], quoted[PARAMETER];
        const char *values[PARAMETERS], *words[PARAMETERS];
        int n = parameters_of(function_table[i].parameters, names, values, words);
        for (int k = 0; k < n; k++)
            for (const char *at = words[k]; at && *at != ')'; calls++) {
                size_t length = strcspn(at, " )");
                snprintf(quoted, PARAMETER, "\"%.*s\"", (int)length, at);
                call_with(function_table[i].name, n, names, values, k, quoted, " is no ");
                at += length + (at[length] == ' ');
            }
    }
    CHECK(calls > 200 || test_starving(), "only %d calls", calls);
}

TESTS_MAIN(TEST(calls_of_any_kind), TEST(words_are_known), TEST(public_functions),
           TEST(reasons_are_of_functions), TEST(goldens), TEST(aliases))
