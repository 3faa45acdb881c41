/* Entries that are expressions: those of entries.def, and the lines of tests/goldens/goldens.txt. */
#include <stdlib.h>
#include <string.h>

#include <tyto/expression.h>

#include "array/dtype.h"
#include "expression/call.h"
#include "ops/core/op.h"
#include "tests/bits/bits.h"
#include "tests/support/harness.h"
#include "tests/support/samples/golden_inputs.h"
#include "tests/support/samples/sample.h"
#include "tests/support/tree.h"

enum { HEAVY = 1, GRADIENT = 2 };
enum { MOST_INPUTS = 20, MOST_RESULTS = 40, TEXT = 2048, WORD = 64 };

static const struct row {
    int flags;
    const char *name, *dtypes, *words, *inputs, *text;
} rows[] = {
#define BITS(flags, name, dtypes, words, inputs, text) {flags, name, dtypes, words, inputs, text},
#include "tests/bits/entries.def"
};
enum { ENTRY_ROWS = sizeof rows / sizeof *rows };

struct inputs {
    int n;
    char text[TEXT];
    const char *names[MOST_INPUTS];
    ty_tensor *values[MOST_INPUTS];
};

/* ---- one set of inputs ---- */

/* Return the gradients of sum(square(y)) by all inputs after y itself, in results[]; their number. */
static int with_gradients(const struct inputs *in, ty_tensor **results, int n) {
    ty_tensor *loss = ty_num(0);
    for (int i = 0; i < n; i++) loss = ty_add(loss, ty_sum(ty_square(ty_abs(results[i])), TY_ALL));
    ty_grad(loss, in->n, (ty_tensor *const *)in->values, results + n);
    return n + in->n;
}

/* Return `hash` continued by the results of the text; *well is false if a result is poisoned. */
static uint64_t add_results(uint64_t hash, const char *text, const struct inputs *in, bool gradient,
                            bool *well) {
    ty_tensor *results[MOST_RESULTS + MOST_INPUTS];
    int n = ty_expressions(text, in->n, in->names, in->values, MOST_RESULTS, results);
    if (gradient && ty_ok(results[0])) n = with_gradients(in, results, n);
    *well = ty_eval_all(n, results, results);
    for (int i = 0; i < n; i++) hash = bits_add(hash, results[i]);
    return hash;
}

/* Return `hash` continued by the results, which must be the same if the inputs are variables of a compiled graph.
   An expression whose shapes depend on values has no graph. */
static uint64_t add_both(uint64_t hash, const char *text, const struct inputs *in, bool gradient) {
    struct inputs other = *in;
    bool well, compiled;
    for (int i = 0; gradient && i < in->n; i++) other.values[i] = ty_track(in->values[i], in->names[i]);
    uint64_t eager = add_results(hash, text, &other, gradient, &well);
    if (!in->n || !well) return eager;
    for (int i = 0; i < in->n; i++) other.values[i] = ty_var(in->values[i], in->names[i]);
    ty_tensor *probe[MOST_RESULTS];
    int n = ty_expressions(text, other.n, other.names, other.values, MOST_RESULTS, probe);
    for (int i = 0; i < n; i++)
        if (!ty_ok(probe[i])) return eager;
    if (add_results(hash, text, &other, gradient, &compiled) != eager)
        bits_fail("compiled, it has another hash");
    return eager;
}

/* ---- entries.def ---- */

/* The choices of an entry: {n}, {p}, {t}. */
struct choice {
    char word[WORD], rest[WORD];
    const char *dtype;
};

/* Copy text, with the choices in place of braces. */
static void fill(char *out, size_t size, const char *text, const struct choice *choice) {
    size_t n = 0;
    while (*text && n + WORD < size) {
        const char *by = !strncmp(text, "{n}", 3)   ? choice->word
                         : !strncmp(text, "{p}", 3) ? choice->rest
                         : !strncmp(text, "{t}", 3) ? choice->dtype
                                                    : NULL;
        if (by)
            n += (size_t)snprintf(out + n, size - n, "%s", by);
        else
            out[n++] = *text;
        text += by ? 3 : 1;
    }
    out[n] = 0;
}

static ty_dtype dtype_named(const char *name) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        if (!strcmp(ty_dtype_name((ty_dtype)dtype), name)) return (ty_dtype)dtype;
    bits_fail("there is no such dtype");
    return TY_F32;
}

/* Make an input of its description, name:sizes:low..high:dtype, which is cut into parts. */
static void make_input(struct inputs *in, char *description, const char *dtype) {
    char *parts[4] = {description, NULL, NULL, NULL};
    int64_t shape[TY_MAX_RANK];
    int rank = 0;
    for (int i = 1; i < 4 && (parts[i] = strchr(parts[i - 1], ':')); i++) *parts[i]++ = 0;
    ty_dtype own = dtype_named(parts[3] ? parts[3] : dtype);
    double low = dtype_is(own, CLASS_INTEGER) ? -9 : -1, high = -low;
    for (char *at = parts[1]; at && *at; at += *at == ',') shape[rank++] = strtoll(at, &at, 10);
    if (parts[2] && *parts[2]) {
        low = strtod(parts[2], NULL);
        high = strtod(strstr(parts[2], "..") + 2, NULL);
    }
    in->names[in->n] = parts[0];
    in->values[in->n++] = sample_shape(own, rank, shape, low, high);
}

static void make_inputs(struct inputs *in, const struct row *row, const struct choice *choice) {
    in->n = 0;
    if (!strcmp(row->inputs, "-")) return;
    fill(in->text, sizeof in->text, row->inputs, choice);
    for (char *at = in->text, *next; at; at = next) {
        next = strchr(at, ' ');
        if (next) *next++ = 0;
        make_input(in, at, choice->dtype);
    }
}

/* Add the results of one choice to the hash. */
static uint64_t add_choice(uint64_t hash, const struct row *row, const struct choice *choice) {
    struct inputs in;
    char text[TEXT];
    struct test_round round = test_round();
    make_inputs(&in, row, choice);
    fill(text, sizeof text, row->text, choice);
    hash = add_both(hash, text, &in, row->flags & GRADIENT);
    test_round_end(round);
    return hash;
}

/* Make the entry of a row, a dtype and a word, which may be a range of sizes. */
static void word_entry(const struct row *row, const char *dtype, const char *word) {
    struct choice choice = {.dtype = dtype};
    char name[BITS_NAME], *to = strstr(word, ".."), *colon = strchr(word, ':');
    uint64_t hash = bits_start();
    bits_begin();
    snprintf(choice.word, WORD, "%.*s", (int)(colon ? colon - word : (long)strlen(word)), word);
    snprintf(choice.rest, WORD, "%s", colon ? colon + 1 : "");
    fill(name, sizeof name, row->name, &choice);
    if (*choice.rest) snprintf(name + strlen(name), sizeof name - strlen(name), " %s", choice.rest);
    if (to) {
        for (long n = atol(word); n <= atol(to + 2); n++) {
            snprintf(choice.word, WORD, "%ld", n);
            hash = add_choice(hash, row, &choice);
        }
    } else
        hash = add_choice(hash, row, &choice);
    bits_entry(name, dtype, hash);
}

void bits_expressions(void) {
    for (int i = 0; i < ENTRY_ROWS; i++) {
        char dtypes[TEXT], words[TEXT], *outer, *inner;
        if (rows[i].flags & HEAVY && bits_quick()) continue;
        snprintf(dtypes, sizeof dtypes, "%s", rows[i].dtypes);
        for (char *dtype = strtok_r(dtypes, " ", &outer); dtype; dtype = strtok_r(NULL, " ", &outer)) {
            snprintf(words, sizeof words, "%s", rows[i].words);
            for (char *word = strtok_r(words, " ", &inner); word; word = strtok_r(NULL, " ", &inner))
                word_entry(&rows[i], dtype, word);
        }
    }
}

/* ---- goldens ---- */

void bits_goldens(void) {
    char *rest = tree_text("tests/goldens/goldens.txt"), *line;
    while ((line = tree_line(&rest))) {
        const char *text = tree_golden(line);
        if (!text) continue;
        struct inputs in = {.n = GOLDEN_INPUTS};
        struct test_round round = test_round();
        bits_begin();
        golden_inputs(in.names, in.values);
        bits_entry(text, "-", add_both(bits_start(), text, &in, false));
        test_round_end(round);
    }
}

/* ---- coverage ---- */

static const char *const distributions[] = {
#define DISTRIBUTION(NAME, name, ...) #name,
#include <tyto/tables/distributions.def>
#define MULTIVARIATE(NAME, name, ...) #name,
#include <tyto/tables/multivariate.def>
};

/* Return true if an expression calls the function. */
static bool is_called(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        char before = at == text ? ' ' : at[-1];
        if (at[n] == '(' && !strchr("_.", before) && (before < 'a' || before > 'z')) return true;
    }
    return false;
}

/* Return true if an entry of entries.def calls the function. */
static bool has_entry(const char *name) {
    for (int i = 0; i < ENTRY_ROWS; i++)
        if (is_called(rows[i].text, name) ||
            (strstr(rows[i].text, "{n}(") && tree_has_word(rows[i].words, name)))
            return true;
    return false;
}

static bool has_golden(const char *name) {
    char *rest = tree_text("tests/goldens/goldens.txt"), *line;
    while ((line = tree_line(&rest)))
        if (tree_golden(line) && is_called(line, name)) return true;
    return false;
}

static bool is_drawn(const char *name) {
    for (int i = 0; i < ENTRY_ROWS; i++)
        if (!strcmp(rows[i].name, "draw {n}") && tree_has_word(rows[i].words, name)) return true;
    return !strcmp(name, "multinomial");
}

/* Note a fault of a name that nothing computes. */
static void missing(const char *kind, const char *name) {
    char entry[BITS_NAME];
    bits_begin();
    bits_fail("nothing computes it; add it to tests/bits/entries.def");
    snprintf(entry, sizeof entry, "%s %s", kind, name);
    bits_entry(entry, "-", 0);
}

void bits_coverage(void) {
    struct test_round round = test_round();
    for (int i = 0; i < function_count; i++) {
        const char *name = function_table[i].name;
        const struct op *op = op_find(name);
        bool row = op && op->row >= 0;
        if (!row && !has_entry(name) && !has_golden(name)) missing("function", name);
    }
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++)
        if (!is_drawn(distributions[i])) missing("distribution", distributions[i]);
    test_round_end(round);
}
