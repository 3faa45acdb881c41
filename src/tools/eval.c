/* tyto eval: an expression over the arrays of files. */
#define _GNU_SOURCE /* strcasestr */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tyto/create.h>
#include <tyto/expression.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "base/ascii.h"
#include "base/list.h"
#include "tools/elsewhere.h"
#include "tools/formula.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/written.h"
#include "tools/options/out.h"
#include "tools/options/result.h"

struct settings {
    struct file_out out;
    const char *expression, *dot;
    struct option_list inputs, gradients, names;
    bool lazy, functions;
    int formula; /* option_formula */
    int64_t threads;
    double operations;
    struct reader_in reader;
};

enum { MOST_RESULTS = 64 }; /* of an expression */
/* A growing list of tensors and their names. */
struct named {
    int n, values_capacity, names_capacity;
    ty_tensor **values;
    char **names;
};

/* Inputs, expression and results. */
struct evaluation {
    const struct settings *s;
    struct named inputs, results;
};

/* Append a tensor and a copy of the first `length` bytes of its name; false after a message on stderr. */
static bool named_add(struct named *all, const char *name, size_t length, ty_tensor *x) {
    char *copy = strndup(name, length);
    bool well = copy && list_reserve(all->values, all->n + 1, all->values_capacity) &&
                list_reserve(all->names, all->n + 1, all->names_capacity);
    if (!well) {
        free(copy);
        return complain("out of memory") == EXIT_SUCCESS;
    }
    all->values[all->n] = x;
    all->names[all->n++] = copy;
    return true;
}

static void named_drop(struct named *all) {
    for (int i = 0; i < all->n; i++) free(all->names[i]);
    mem_free(all->names);
    mem_free(all->values);
    *all = (struct named){0};
}

/* ---- inputs ---- */

/* Append input x, named by the first `length` bytes of `name`; it becomes a variable in a lazy run, and a
   tracked tensor if its gradient is requested. False after a message on stderr. */
static bool add_input(struct evaluation *e, const char *name, size_t length, ty_tensor *x) {
    struct named *all = &e->inputs;
    if (!ty_ok(x)) return complain_of(x) == EXIT_SUCCESS;
    if (!named_add(all, name, length, x)) return false;
    const char *own = all->names[all->n - 1];
    for (int i = 0; i < all->n - 1; i++)
        if (!strcmp(all->names[i], own)) return complain("%s is given twice", own) == EXIT_SUCCESS;
    bool differentiated = false;
    for (int i = 0; i < e->s->gradients.n; i++)
        differentiated = differentiated || !strcmp(e->s->gradients.items[i], own);
    if (differentiated && ty_dtype_of(x) < TY_F16)
        x = ty_cast(x, TY_F64); /* integers from csv can be differentiated, too */
    if (e->s->lazy || e->s->dot || e->s->formula)
        x = ty_var(x, own);
    else if (differentiated)
        x = ty_track(x, own);
    all->values[all->n - 1] = x;
    return true;
}

/* Read the inputs that text names: NAME=[1, 2], NAME=FILE, or NAME=FILE:KEY for one array of several; without a key,
   several become NAME_KEY.  NAME=FILE.csv:COLUMN has a column. False after a message on stderr. */
static bool read_input(struct evaluation *e, const char *text) {
    size_t length = strcspn(text, "=");
    for (size_t i = 0; i < length; i++)
        if (!(i ? ascii_is_word(text[i]) : ascii_is_letter(text[i])))
            return complain("%s: expected a name of letters, digits and _ in front of =", text) ==
                   EXIT_SUCCESS;
    const char *key;
    ty_tensor *columns;
    if (is_written_out(text + length + 1)) {
        columns = written_out(text, text + length + 1, e->s->operations);
        return ty_ok(columns) && add_input(e, text, length, columns);
    }
    if (file_columns(text + length + 1, &e->s->reader, &columns)) return add_input(e, text, length, columns);
    ty_archive *archive = file_open_key(text + length + 1, &e->s->reader, &key);
    if (!archive) return false;
    bool well = true;
    int count = ty_archive_count(archive);
    if (key) {
        well = add_input(e, text, length, ty_archive_get(archive, key));
    } else if (count == 1) {
        well = add_input(e, text, length, ty_archive_at(archive, 0));
    } else {
        for (int i = 0; i < count && well; i++) {
            char name[256];
            int n = snprintf(name, sizeof name, "%.*s_%s", (int)length, text, ty_archive_name(archive, i));
            well = add_input(e, name, (size_t)n < sizeof name ? (size_t)n : sizeof name - 1,
                             ty_archive_at(archive, i));
        }
    }
    ty_archive_free(archive);
    return well;
}

/* ---- results ---- */

/* Say how an unknown name of the expression gets a value: from one of the arrays of a file whose names begin with it, or
   by an input. */
static void show_inputs(const struct evaluation *e, const char *unknown) {
    size_t n = strlen(unknown);
    const struct option_list *inputs = &e->s->inputs;
    for (int i = 0; i < inputs->n; i++) {
        struct nearest parts = {.wanted = unknown};
        const char *first = NULL;
        if (strncmp(inputs->items[i], unknown, n) != 0 || inputs->items[i][n] != '=') continue;
        for (int k = 0; k < e->inputs.n; k++) {
            if (strncmp(e->inputs.names[k], unknown, n) != 0 || e->inputs.names[k][n] != '_') continue;
            nearest_list(&parts, e->inputs.names[k]);
            if (!first) first = e->inputs.names[k] + n + 1;
        }
        if (!first) continue;
        complain_below("  %s has several arrays, here %s; %s:%s is one as %s\n", inputs->items[i], parts.list,
                       inputs->items[i], first, unknown);
        return;
    }
    if (!inputs->n) complain_below("  an input gives it: %s=FILE, or %s=[1, 2]\n", unknown, unknown);
}

/* Print how an unknown name gets a value, or what is written for the signs behind it, as in f'(x), or for diff(f, x). */
static void hint_name(const struct evaluation *e, const char *at, const char *unknown) {
    const char *expression = e->s->expression;
    if (hint_sign(expression, at) || hint_sign(expression, at + strlen(unknown))) return;
    if (!e->s->inputs.n && strstr(expression, "diff("))
        hint_derivative();
    else
        show_inputs(e, unknown);
}

/* Print a note on stderr if the expression has the sign ^ outside quoted texts: it is a power elsewhere, and has a value
   here, too. */
static void note_sign(const char *expression) {
    char quote = 0;
    for (const char *at = expression; *at; at++) {
        if (*at == '^' && !quote) {
            complain("note: ^ is bit_xor; the power is **: x ** 2");
            return;
        }
        if (quote ? *at == quote : *at == '"' || *at == '\'') quote = quote ? 0 : *at;
    }
}

/* Print the error of a result on stderr, and, if it begins with "column N:", the expression with a mark
   under that column, counted from 1. */
static void show_fault(const struct evaluation *e, const ty_tensor *result) {
    int column = 0;
    char unknown[64], more;
    const char *expression = e->s->expression;
    complain_of(result);
    int found = sscanf(ty_error(result), "column %d: unknown name %63[^ ;]", &column, unknown);
    if (found < 1 || column < 1 || column > (int)strlen(expression) + 1) return;
    const char *at = expression + column - 1;
    if (!strchr(expression, '\n')) complain_below("  %s\n  %*s^\n", expression, column - 1, "");
    if (found == 2)
        hint_name(e, at, unknown);
    else if (sscanf(ty_error(result), "column %*d: unknown function %63[^ ;]%c", unknown, &more) == 1)
        hint_function(unknown);
    else if (!hint_sign(expression, at))
        hint_diff(ty_error(result), at);
}

/* Append result x, called `prefix` followed by `name`; false after a message on stderr. */
static bool add_result(struct evaluation *e, const char *prefix, const char *name, ty_tensor *x) {
    char words[300];
    snprintf(words, sizeof words, "%s%s", prefix, name);
    return named_add(&e->results, words, strlen(words), x);
}

/* Return the input that --grad names; NULL after a message on stderr. */
static ty_tensor *find_input(const struct evaluation *e, const char *name) {
    struct nearest near = {.wanted = name};
    for (int i = 0; i < e->inputs.n; i++) {
        if (!strcmp(e->inputs.names[i], name)) return e->inputs.values[i];
        nearest_offer(&near, e->inputs.names[i]);
    }
    complain("--grad %s: unknown input%s", name, nearest_known(&near, (char[NEAREST_KNOWN]){0}));
    return NULL;
}

/* Append d(sum of the first result)/d(input) to the results for each requested input; false after a message
   on stderr. */
static bool add_gradients(struct evaluation *e) {
    const struct option_list *wanted = &e->s->gradients;
    if (!wanted->n) return true;
    ty_tensor **x = malloc(2 * (size_t)wanted->n * sizeof *x), **g = x + wanted->n;
    bool well = x || complain("out of memory") == EXIT_SUCCESS;
    for (int i = 0; i < wanted->n && well; i++) {
        x[i] = find_input(e, wanted->items[i]);
        well = x[i];
    }
    if (well && !ty_grad(e->results.values[0], wanted->n, x, g)) {
        for (int i = 0; i < wanted->n && well; i++) well = ty_ok(g[i]) || complain_of(g[i]) == EXIT_SUCCESS;
    }
    for (int i = 0; i < wanted->n && well; i++) well = add_result(e, "d_", wanted->items[i], g[i]);
    free(x);
    return well;
}

static bool ends_in(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcmp(path + n - m, end);
}

/* Write the graph before evaluation to the file s->dot, if given: as Graphviz text, as a picture (.svg) of
   the program or as its page (.html). False after a message on stderr. */
static bool draw(const struct evaluation *e) {
    const char *path = e->s->dot;
    if (!path) return true;
    bool page = ends_in(path, ".html");
    if (!page && !ends_in(path, ".svg"))
        return file_write_text(path, ty_dot(e->results.n, e->results.values));
    ty_program *program =
        ty_compile(e->results.n, e->results.values, (ty_compile_options){.keep_graph = page});
    bool well = !*ty_program_error(program);
    if (!well)
        COMPLAIN_FAILURE(ty_program_failure(program));
    else
        well = file_write_text(path,
                               page ? ty_program_html(program, NULL, 0, 0) : ty_program_graph_svg(program));
    ty_program_free(program);
    return well;
}

/* Print the values, or append them to the JSON.  A name stands before each of several that have one: parts of a result of
   statistics or linear algebra, and gradients. */
static bool print(const struct named *results, ty_tensor *const *values) {
    bool well = true;
    result_open("results", '[');
    for (int i = 0; i < results->n && well; i++) {
        const char *name = results->names[i];
        bool named = results->n > 1 && strncmp(name, "result_", strlen("result_"));
        if (named) say(ty_rank(values[i]) > 1 ? "%s =\n" : "%s = ", name);
        well = result_tensor(NULL, name, values[i]) && print_tensor(values[i]);
    }
    result_close();
    return well;
}

/* Evaluate all results and print or save them, as requested; false after a message on stderr. */
static bool deliver(struct evaluation *e) {
    int n = e->results.n;
    ty_tensor **values = malloc((size_t)n * sizeof *values);
    const char *const *names = (const char *const *)e->results.names;
    bool well = values || complain("out of memory") == EXIT_SUCCESS;
    if (well && !ty_eval_all(n, e->results.values, values)) {
        for (int i = 0; i < n && well; i++) well = ty_ok(values[i]) || complain_of(values[i]) == EXIT_SUCCESS;
    }
    if (well)
        well = e->s->out.path ? out_save(&e->s->out, n, names, values, (ty_file_options){0})
                              : print(&e->results, values);
    free(values);
    return well;
}

/* ---- formulas ---- */

/* Append the input `name`, one number, unless it is given. */
static bool add_symbol(void *evaluation, const char *name, size_t length) {
    struct evaluation *e = evaluation;
    for (int i = 0; i < e->inputs.n; i++)
        if (!strncmp(e->inputs.names[i], name, length) && !e->inputs.names[i][length]) return true;
    return add_input(e, name, length, ty_scalar(TY_F64, 1)); /* a formula does not show its value */
}

/* Return a letter for the first result that no input has. */
static const char *result_letter(const struct evaluation *e) {
    static const char *const letters[] = {"y", "f", "g", "h", "u", "v", "w", "result"};
    size_t last = sizeof letters / sizeof *letters - 1, l = 0;
    for (int i = 0; i < e->inputs.n && l < last; i++)
        if (!strcmp(e->inputs.names[i], letters[l])) l++, i = -1;
    return letters[l];
}

/* Print the results and gradients as formulas; false after a message on stderr. */
static bool print_formula(struct evaluation *e) {
    int n = e->results.n, grads = e->s->gradients.n;
    const char **names = calloc(2 * (size_t)n, sizeof *names), **by = names + n;
    if (!names) return complain("out of memory") == EXIT_SUCCESS;
    for (int i = 0; i < n; i++) {
        bool derivative = i >= n - grads;
        names[i] = derivative || n - grads == 1 ? result_letter(e) : e->results.names[i];
        if (derivative) by[i] = e->s->gradients.items[i - (n - grads)];
        if (grads && !i) names[i] = result_letter(e);
    }
    bool well = formula_print(e->s->formula, n, e->results.values, n == 1 ? NULL : names, by);
    free(names);
    return well;
}

/* ---- the command ---- */

/* Return true if all of several results have names that differ: the parts of one function's result. */
static bool are_named(int n, ty_tensor *const *results) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            if (!ty_ok(results[i]) || !*ty_name(results[i]) ||
                (k < i && !strcmp(ty_name(results[i]), ty_name(results[k]))))
                return false;
    return n > 1;
}

/* Read the inputs, evaluate the expression, and print or save results and gradients; false after a message
   on stderr. */
static bool evaluate(struct evaluation *e) {
    const struct settings *s = e->s;
    ty_tensor *results[MOST_RESULTS];
    for (int i = 0; i < s->inputs.n; i++)
        if (!read_input(e, s->inputs.items[i])) return false;
    if (s->formula && !formula_symbols(s->expression, e, add_symbol)) return false;
    ty_expression_limits limits = {.operations = s->operations};
    int n = ty_expressions_within(limits, s->expression, e->inputs.n, (const char *const *)e->inputs.names,
                                  e->inputs.values, MOST_RESULTS, results);
    bool named = are_named(n, results);
    if (n > 0 && ty_ok(results[0]) && s->names.n && s->names.n != n)
        return complain("--name: %d name%s for %d result%s; the numbers must match", s->names.n,
                        plural(s->names.n), n, plural(n)) == EXIT_SUCCESS;
    for (int i = 0; i < n; i++) {
        char number[16];
        if (!ty_ok(results[i])) {
            show_fault(e, results[i]);
            return false;
        }
        snprintf(number, sizeof number, "%d", i);
        const char *own = s->names.n ? s->names.items[i] : named ? ty_name(results[i]) : NULL;
        if (!add_result(e, own ? "" : "result_", own ? own : number, results[i])) return false;
    }
    note_sign(s->expression);
    return add_gradients(e) && draw(e) && (s->formula ? print_formula(e) : deliver(e));
}

/* Return true if the function of a line has a name that means what n->wanted does. */
static bool means(struct nearest *n, const char *line) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "( "), line);
    return nearest_means(n, name);
}

/* Print the functions whose line contains `word`, upper and lower case alike, or whose names mean it (NULL: all).
   Return the exit status: EXIT_FAILED, after a message, if there is none. */
static int list_functions(const char *word) {
    struct nearest near = {.wanted = word};
    const char *line;
    int found = 0;
    for (int i = 0; (line = ty_expression_function(i)); i++)
        if (!word || strcasestr(line, word) || means(&near, line)) {
            if (!found++) result_open("functions", '[');
            say("%s\n", line);
            result_text(NULL, line);
        }
    if (found) return EXIT_SUCCESS;
    complain("no function has \"%s\" in its name or description", word);
    return EXIT_FAILED;
}

/* Run the command eval with the parsed settings `given`; return the exit status. */
static int run(const void *given) {
    const struct settings *s = given;
    struct evaluation e = {.s = s};
    if (s->functions) return list_functions(s->expression);
    if (!s->expression) {
        complain("an expression is missing; see tyto eval --help");
        return EXIT_USAGE;
    }
    const char *dot = s->dot ? strrchr(s->dot, '.') : NULL;
    if (dot && (!strcmp(dot, ".png") || !strcmp(dot, ".pdf") || !strcmp(dot, ".jpg"))) {
        complain("--dot %s: expected .svg for a picture, .html for a page, or .dot for Graphviz text",
                 s->dot);
        return EXIT_USAGE;
    }
    if (s->formula && s->out.path) {
        complain("--formula prints the formula: -o has no effect; use > FILE");
        return EXIT_USAGE;
    }
    if (!out_check(&s->out, "-o")) return EXIT_USAGE;
    if (s->dot && out_is_standard(s->dot) && s->out.path && out_is_standard(s->out.path)) {
        complain("--dot - and -o -: both are written to the standard output");
        return EXIT_USAGE;
    }
    if (s->threads) ty_set_threads((int)s->threads);
    ty_scope *scope = ty_open();
    bool well = evaluate(&e);
    ty_close(scope);
    named_drop(&e.inputs);
    named_drop(&e.results);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"EXPRESSION", &option_text, AT(expression), "the expression: \"sum(sin(x * y), axis=1)\""},
    {"[NAME=FILE]", &option_inputs, AT(inputs),
     "an array of this name, read from FILE; FILE:KEY selects one of several; or written out: x=[1,2]"},
    FILE_OUT_OPTIONS(
        struct settings, "-o",
        "write the results (npy, npz, csv, safetensors, ...) instead of printing them; - writes to the "
        "standard output"),
    {"--name", &option_names, AT(names), "call the next result so, printed and in a file; repeatable"},
    READER_OPTIONS(AT(reader)),
    {"--lazy", &option_flag, AT(lazy), "record a graph, compile it and run it"},
    {"--grad", &option_names, AT(gradients),
     "compute also the gradient of the sum of the first result by NAME; repeatable"},
    {"--dot", &option_target, AT(dot),
     "draw the graph: a picture for .svg, a page for .html, else Graphviz text (implies --lazy)"},
    FORMULA_OPTION(AT(formula)),
    {"--threads", &option_width, AT(threads), "use N threads (all processors)"},
    {"--operations", &option_number, AT(operations), "fail after this number of operations, such as 1e9"},
    {"--functions", &option_flag, AT(functions),
     "list all functions, or those about a WORD: --functions convolution"},
    {0}};
static const struct settings defaults = {0};

const struct command command_eval = {
    .name = "eval",
    .doc = "Evaluate an expression of arrays in files, and print or write the results.",
    .details =
        "  tyto eval 'linspace(0, 1, 5) ** 2'\n"
        "  tyto eval 'sum(x[1:-1, ::2] * w, axis=1)' x=x.npy w=w.npy -o sums.npy\n"
        "  tyto eval 'mean((a @ b - c) ** 2)' a=a.npy b=b.npy c=c.npy --grad a --grad b\n"
        "  tyto eval --formula 'x * sin(x)' --grad x\n"
        "  tyto eval 'y = x - mean(x); y / sqrt(mean(y * y)), x.sum()' x=data.csv\n"
        "Operators, those that bind most tightly first:\n"
        "  f() x[] x.f()    **    - + ~    * / // % @    + -    << >>    &    ^    |    comparisons\n"
        "  not    and    or\n"
        "A list such as [[1, 2], [3, 4]] is an array.  Constants are 2j, pi, inf, nan, none, true, false\n"
        "and the names of dtypes.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run,
    .computes = true,
    .prints = true};
