/* tyto einsum: Einstein summation over arrays of files, with explanations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "compile/passes.h"
#include "contract/contraction.h"
#include "ops/einsum/einsum.h"
#include "tools/options/file.h"
#include "tools/options/message.h"
#include "tools/options/out.h"
#include "tools/options/result.h"

struct settings {
    struct file_out out;
    const char *equation;
    int objective, strategy;
    struct option_list files;
    bool explain, path;
    int64_t threads, memory, workspace;
    struct reader_in reader;
};

enum { RUNS = 5 }; /* runs, of which the fastest counts */

/* Observations of each step: duration, and the contraction compiler's account. */
struct measuring {
    const struct einsum *e;
    double since;
    struct seen_step {
        double ms;
        char *compiled;
    } * steps;
};

/* The operands; operands_drop frees the arrays. */
struct operands {
    int n;
    ty_tensor **x, **cast; /* as read, and of one dtype */
    int *ranks;
    const int64_t **shapes;
};

/* ---- words as option types ---- */

static const char *objective_name(int i) {
    static const char *const names[] = {"time", "flops", "memory", NULL};
    return names[i];
}
static const char *strategy_name(int i) {
    static const char *const names[] = {"auto", "optimal", "greedy", "left", NULL};
    return names[i];
}
static const struct option_type option_objective = OPTION_NAMED("WHAT", objective_name);
static const struct option_type option_strategy = OPTION_NAMED("HOW", strategy_name);

/* ---- explaining ---- */

/* Return the contraction compiler's account of step k, from 0, with operands x[2] and result y, or the
   reason why there is none, as text that the caller frees; NULL without memory. */
static char *account_of(const struct einsum *e, int k, const struct labelled *x, const ty_tensor *y) {
    const struct einsum_step *s = &e->steps[k];
    struct contract_attr attr = {.ra = s->ra, .rb = s->rb, .ro = s->ro};
    struct contract_operand operands[3] = {
        {x[0].x->dtype, &x[0].x->layout}, {x[1].x->dtype, &x[1].x->layout}, {y->dtype, &y->layout}};
    struct text t = {0};
    struct fault fault = {0};
    memcpy(attr.labels, s->labels, (size_t)(s->ra + s->rb + s->ro));
    if (!contraction_explain(&attr, operands, ty_threads(), &t, &fault)) text_add(&t, "  %s\n", fault.text);
    return text_take(&t);
}

/* Record the duration of step k, from 0, if it is the least so far, and once the account of the step: the
   watch of an einsum. context is the struct measuring. */
static void see_step(void *context, int k, const struct labelled *x, const ty_tensor *result) {
    struct measuring *m = context;
    struct seen_step *step = &m->steps[k];
    double elapsed = debug_clock() - m->since;
    if (step->ms == 0 || elapsed < step->ms) step->ms = elapsed;
    if (!step->compiled) step->compiled = account_of(m->e, k, x, result);
    m->since = debug_clock();
}

static void show_text(struct text *t) {
    char *words = text_take(t);
    say("%s", words ? words : "out of memory\n");
    mem_free(words);
}

/* Print contraction k, counted from 0: its equation, its compiled form and its duration, as recorded in
   `seen`. */
static void explain_step(const struct einsum *e, int k, const struct seen_step *seen) {
    const struct einsum_pair *cost = &e->steps[k].cost;
    struct text t = {0};
    text_add(&t, "\nstep %d: ", k + 1);
    einsum_step_text(e, k, &t);
    text_add(&t, "\n%s", seen->compiled ? seen->compiled : "  out of memory\n");
    int digits = precision_or(4);
    text_add(&t, "  %.*g flops, %.*g bytes; the path's model %.*g ms, measured %.*g ms: ", digits,
             cost->flops, digits, cost->bytes, digits, 1e3 * cost->seconds, digits, seen->ms);
    text_add(&t, "%.*g GFLOP/s, %.*g GB/s\n", digits, 1e-6 * cost->flops / seen->ms, digits,
             1e-6 * cost->bytes / seen->ms);
    show_text(&t);
}

/* Run e on operands x RUNS times, with each step observed in m; return the fastest run in milliseconds,
   negative after a message on stderr. */
static double run_watched(const struct einsum *e, ty_tensor *const *x, struct measuring *m) {
    struct einsum_watch watch = {see_step, m};
    double best = -1;
    for (int i = 0; i < RUNS; i++) {
        ty_scope *scope = ty_open();
        double start = m->since = debug_clock();
        ty_tensor *y = einsum_run(e, x, NULL, &watch);
        double elapsed = debug_clock() - start;
        bool well = ty_ok(y) || complain_of(y) == EXIT_SUCCESS;
        ty_close(scope);
        if (!well) return -1;
        if (i == 0 || elapsed < best) best = elapsed;
    }
    return best;
}

/* Run e on operands x several times and print an account of each step and the fastest whole duration; false
   after a message on stderr. */
static bool explain(const struct einsum *e, ty_tensor *const *x) {
    struct measuring m = {.e = e, .steps = calloc((size_t)e->nsteps + 1, sizeof *m.steps)};
    double whole = m.steps ? run_watched(e, x, &m) : -1;
    for (int k = 0; whole >= 0 && k < e->nsteps; k++) explain_step(e, k, &m.steps[k]);
    if (whole >= 0) result_number("measured_milliseconds", whole);
    if (whole >= 0)
        say("\nall contractions, the fastest of %d runs with %d thread%s: %.*g ms\n", RUNS, ty_threads(),
            ty_threads() > 1 ? "s" : "", precision_or(4), whole);
    for (int k = 0; m.steps && k < e->nsteps; k++) mem_free(m.steps[k].compiled);
    free(m.steps);
    return whole >= 0;
}

/* Append the contractions and the model's costs to the JSON. */
static void add_steps(const struct einsum *e) {
    result_open("steps", '[');
    for (int k = 0; k < e->nsteps; k++) {
        const struct einsum_pair *cost = &e->steps[k].cost;
        struct text t = {0};
        einsum_step_text(e, k, &t);
        char *words = text_take(&t);
        result_open(NULL, '{');
        result_text("step", words);
        result_number("flops", cost->flops);
        result_number("bytes", cost->bytes);
        result_number("milliseconds", 1e3 * cost->seconds);
        result_close();
        mem_free(words);
    }
    result_close();
}

/* ---- computing ---- */

/* Save result y to s->out, or else print it unless only an account is requested; false after a message on
   stderr. */
static bool deliver(const struct settings *s, ty_tensor *y) {
    static const char *const name = "einsum";
    if (!ty_ok(y)) return complain_of(y) == EXIT_SUCCESS;
    if (s->out.path) return out_save(&s->out, 1, &name, &y, (ty_file_options){0});
    return result_tensor("result", NULL, y) && print_tensor(y);
}

/* Plan the einsum of the operands, print path and account if requested, and print or save the result; false
   after a message on stderr. */
static bool compute(const struct settings *s, const struct operands *o) {
    ty_einsum_options options = {.memory = s->memory,
                                 .objective = (ty_einsum_objective)s->objective,
                                 .strategy = (ty_einsum_strategy)s->strategy};
    struct fault fault = {0};
    cast_to_common("einsum", o->n, o->x, COMPUTED, o->cast);
    for (int i = 0; i < o->n; i++) o->ranks[i] = ty_rank(o->cast[i]), o->shapes[i] = ty_shape(o->cast[i]);
    struct einsum_request request = {s->equation, o->n,   ty_dtype_of(o->cast[0]), o->ranks, o->shapes,
                                     NULL,        options};
    struct einsum *e = einsum_make(&request, &fault);
    char name[EINSUM_NAME];
    if (!e) return complain_fault_about(&fault, "%s", einsum_name(s->equation, name)) == EXIT_SUCCESS;
    struct text t = {0};
    if (s->path || s->explain) {
        einsum_text(e, &t);
        show_text(&t);
    }
    if (s->path || s->explain) add_steps(e);
    bool well = !s->explain || explain(e, o->cast);
    if (well && (s->out.path || (!s->path && !s->explain)))
        well = deliver(s, einsum_run(e, o->cast, NULL, NULL));
    einsum_release(e);
    return well;
}

/* Read the operands; false after a message on stderr.  Call operands_drop in any case. */
static bool read_all(const struct settings *s, struct operands *o) {
    size_t n = (size_t)s->files.n;
    *o = (struct operands){.n = s->files.n,
                           .x = calloc(n, sizeof *o->x),
                           .cast = calloc(n, sizeof *o->cast),
                           .ranks = calloc(n, sizeof *o->ranks),
                           .shapes = calloc(n, sizeof *o->shapes)};
    if (!o->x || !o->cast || !o->ranks || !o->shapes) return complain("out of memory") == EXIT_SUCCESS;
    for (int i = 0; i < o->n; i++)
        if (!ty_ok(o->x[i] = file_tensor(s->files.items[i], &s->reader))) return false;
    return true;
}

static void operands_drop(struct operands *o) {
    free(o->x);
    free(o->cast);
    free(o->ranks);
    free(o->shapes);
}

/* Run the command einsum with the parsed settings `given`; return the exit status. */
static int run(const void *given) {
    const struct settings *s = given;
    struct operands operands;
    if (!s->equation || !s->files.n) {
        complain("einsum needs an equation and a file for each operand; see tyto einsum --help");
        return EXIT_USAGE;
    }
    if (!out_check(&s->out, "-o")) return EXIT_USAGE;
    if (s->path && !s->explain && s->out.path) {
        complain("-o %s: --path computes no result; use --explain", s->out.path);
        return EXIT_USAGE;
    }
    if (s->explain && s->out.path && out_is_standard(s->out.path)) {
        complain("--explain and -o -: both are written to the standard output; use -o FILE");
        return EXIT_USAGE;
    }
    if (s->threads) ty_set_threads((int)s->threads);
    if (s->workspace) ty_set_workspace(s->workspace);
    ty_scope *scope = ty_open();
    bool well = read_all(s, &operands) && compute(s, &operands);
    operands_drop(&operands);
    ty_close(scope);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"EQUATION", &option_equation, AT(equation), "\"ij,jk->ik\", or a tree \"[[i,j],[j,k]->[i,k]]\""},
    {"FILE", &option_files, AT(files), "a file for each operand; FILE:KEY selects one of several arrays"},
    FILE_OUT_OPTIONS(
        struct settings, "-o",
        "write the result (npy, npz, csv, safetensors, ...) instead of printing it; - writes to the standard "
        "output"),
    READER_OPTIONS(AT(reader)),
    {"--path", &option_flag, AT(path), "show the order of the contractions, and compute nothing"},
    {"--explain", &option_flag, AT(explain), "show each contraction, with its predicted and measured time"},
    {"--memory", &option_count, AT(memory), "limit the bytes of intermediate results (none)"},
    {"--workspace", &option_count, AT(workspace), "limit the bytes of workspace of one contraction (none)"},
    {"--objective", &option_objective, AT(objective),
     "minimise this quantity by the order of contractions (time)"},
    {"--strategy", &option_strategy, AT(strategy),
     "search the order so (auto: exhaustively up to 12 operands)"},
    {"--threads", &option_width, AT(threads), "use N threads (all processors)"},
    {0}};
static const struct settings defaults = {0};

const struct command command_einsum = {
    .name = "einsum",
    .doc = "Multiply arrays, and sum over the axes whose letters the output omits.",
    .details =
        "  tyto einsum 'ij,jk->ik' a.npy b.npy -o product.npy\n"
        "  tyto einsum 'ii' a.npy\n"
        "  tyto einsum '...ij,...jk,k->...i' a.npy b.npy v.npy --path\n"
        "  tyto einsum '[[i,j],[[j,k],[k,l]->[j,l]]->[i,l]]' a.npy b.npy c.npy --explain\n"
        "Each letter names an axis.  The same letter in two operands is the same axis; twice in one "
        "operand,\n"
        "it selects the diagonal.  '...' stands for any further axes.  Without '->', the output has the\n"
        "letters that occur once.  A tree in brackets fixes the order of contractions; its names of axes\n"
        "may have several letters and digits.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run,
    .computes = true,
    .prints = true};
