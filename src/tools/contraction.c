/* tyto contraction: shows the loops of one contraction, saves them, and times the compiler's against the
   user's. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include "contract/cost.h"
#include "contract/loops.h"
#include "tools/options/file.h"
#include "tools/options/shapes.h"
#include "tools/options/result.h"
#include "tools/roof.h"
#include "tools/timing.h"
#include "tools/options/message.h"

struct settings {
    const char *equation, *out;
    int dtype; /* 0, or 1 + a ty_dtype */
    struct option_list sizes, configs;
    int64_t threads, rounds, workspace;
};

/* A configuration, its plan and its measurements. */
struct listed_contraction {
    const char *name;
    ty_contraction c;
    ty_contraction_plan *plan;
    struct timing timing;
    ty_tensor *result;
};

/* Extent of an operand's buffer that covers all entries: elements low (0 or less) to high - 1. */
struct span {
    ty_dtype dtype;
    int64_t low, high;
};

/* All configurations of a problem and its buffers. */
struct trial {
    const struct settings *s;
    int n;
    struct listed_contraction *entries; /* capacity for the equation's and all files */
    struct span spans[3];               /* spans by ty_side, in the caller's order of operands */
    char *buffers[3];                   /* addresses of element 0 */
    double peak;                        /* flop/s of the machine, the best sample between the rounds */
};

/* ---- configurations ---- */

/* Append the compiler's own configuration of the equation, for row-major operands, to t->entries, print it,
   and save it if requested; false after a message on stderr. */
static bool make(struct trial *t, struct arena *arena) {
    static struct shapes of;
    struct listed_contraction *e = &t->entries[t->n++];
    ty_dtype dtype = t->s->dtype ? (ty_dtype)(t->s->dtype - 1) : TY_F32;
    ty_contraction_operand operands[2];
    e->name = "compiled";
    if (!shapes_read(&of, t->s->equation, &t->s->sizes, arena)) return false;
    if (of.equation.noperands != 2)
        return refuse_because(t->s->equation, "one contraction has two operands; tyto bench times others");
    for (int k = 0; k < 2; k++)
        operands[k] = (ty_contraction_operand){dtype, of.equation.operands[k].count, of.shapes[k], NULL, 0};
    if (!contraction_from(&e->c, t->s->equation, &operands[0], &operands[1], NULL) ||
        !ty_contraction_optimise(&e->c, ty_threads()))
        return COMPLAIN_FAILURE_ABOUT(ty_contraction_failure(&e->c), "%s", t->s->equation) == EXIT_SUCCESS;
    char *text = ty_contraction_text(&e->c);
    say("%s", text ? text : "out of memory\n");
    ty_free(text);
    return !t->s->out || ty_contraction_save(&e->c, t->s->out) ||
           COMPLAIN_FAILURE(ty_contraction_failure(&e->c)) == EXIT_SUCCESS;
}

/* Load the configuration in the file `path` and append it to t->entries; false after a message on stderr. */
static bool load(struct trial *t, const char *path) {
    struct listed_contraction *e = &t->entries[t->n++];
    e->name = path;
    return contraction_from_file(&e->c, path) ||
           COMPLAIN_FAILURE(ty_contraction_failure(&e->c)) == EXIT_SUCCESS; /* the message names the file */
}

/* ---- operands ---- */

/* Return which side of c's own operands is `side` (a ty_side) of the caller's, as c may have swapped left
   and right. */
static ty_side own_side(const ty_contraction *c, int side) {
    return side == TY_OUT ? TY_OUT : (ty_side)(side ^ (int)c->swapped);
}

/* Print on stderr that operand `side` of entry e has another dtype than that of the first entry; always
   return false. */
static bool refuse_dtype(const struct trial *t, const struct listed_contraction *e, int side) {
    static const char *const names[] = {"left", "right", "out"};
    complain("%s: %s is %s, but in %s it is %s; compared configurations must have the same operands", e->name,
             names[side], ty_dtype_name(e->c.dtype[own_side(&e->c, side)]), t->entries[0].name,
             ty_dtype_name(t->spans[side].dtype));
    return false;
}

/* Return true if entry e has as many products and the same range of output elements as the first one; false
   after a message on stderr. */
static bool check_problem(const struct trial *t, const struct listed_contraction *e) {
    const struct listed_contraction *first = &t->entries[0];
    double n = contraction_products(&e->c), same = contraction_products(&first->c);
    int64_t low, high, first_low, first_high;
    contraction_extent(&e->c, TY_OUT, &low, &high);
    contraction_extent(&first->c, TY_OUT, &first_low, &first_high);
    if (n == same && low == first_low && high == first_high) return true;
    complain("%s has %.15g products for elements %" PRId64 " to %" PRId64 " of out, %s has %.15g for %" PRId64
             " to %" PRId64 "; compared configurations must solve the same problem",
             e->name, n, low, high - 1, first->name, same, first_low, first_high - 1);
    return false;
}

/* Check that all entries solve one problem, and set t->spans to the dtypes and the ranges of elements of
   the three operands; false after a message on stderr. */
static bool measure_operands(struct trial *t) {
    for (int i = 1; i < t->n; i++)
        if (!check_problem(t, &t->entries[i])) return false;
    for (int side = 0; side < 3; side++)
        for (int i = 0; i < t->n; i++) {
            const struct listed_contraction *e = &t->entries[i];
            ty_side own = own_side(&e->c, side);
            struct span *span = &t->spans[side], is = {.dtype = e->c.dtype[own]};
            contraction_extent(&e->c, own, &is.low, &is.high); /* sizes were checked on reading */
            if (i == 0) *span = (struct span){.dtype = is.dtype};
            if (is.dtype != span->dtype) return refuse_dtype(t, e, side);
            if (is.low < span->low) span->low = is.low;
            if (is.high > span->high) span->high = is.high;
        }
    return true;
}

/* Allocate and fill the buffer of operand `side`: zeros for the output, else values. t->buffers[side] is
   the address of element 0, which its span may not include. False after a message on stderr. */
static bool fill(struct trial *t, int side) {
    const struct span *span = &t->spans[side];
    int64_t n = span->high - span->low, size = (int64_t)ty_dtype_size(span->dtype);
    ty_tensor *x = side == TY_OUT ? ty_zeros(span->dtype, 1, &n) : shapes_fill(span->dtype, 1, &n, side);
    if (!ty_ok(x)) return complain_about(x, "%s", t->entries[0].name) == EXIT_SUCCESS;
    t->buffers[side] = (char *)(uintptr_t)ty_data(x) - span->low * size;
    return true;
}

/* ---- running ---- */

struct runs {
    const struct trial *t;
    const struct listed_contraction *e;
};

/* Run the entry's plan once, for timing; false after a message on stderr. context is the struct runs. */
static bool run_once(void *context) {
    const struct runs *r = context;
    char *const *buffers = r->t->buffers;
    return ty_contraction_run(r->e->plan, buffers[TY_LEFT], buffers[TY_RIGHT], buffers[TY_OUT]) ||
           COMPLAIN_FAILURE_ABOUT(ty_contraction_plan_failure(r->e->plan), "%s", r->e->name) == EXIT_SUCCESS;
}

/* Compile entry e into e->plan, run it once on a zeroed output and keep a copy of the result in e->result;
   false after a message on stderr. */
static bool prepare(const struct trial *t, struct listed_contraction *e) {
    const struct span *out = &t->spans[TY_OUT];
    int64_t n = out->high - out->low, size = (int64_t)ty_dtype_size(out->dtype);
    char *y = t->buffers[TY_OUT] + out->low * size;
    e->plan = ty_contraction_compile(&e->c);
    if (*ty_contraction_plan_error(e->plan))
        return COMPLAIN_FAILURE_ABOUT(ty_contraction_plan_failure(e->plan), "%s", e->name) == EXIT_SUCCESS;
    if (n) memset(y, 0, (size_t)(n * size));
    if (!run_once(&(struct runs){t, e})) return false;
    e->result = ty_from(out->dtype, 1, &n, y);
    return true;
}

/* Time one round of an entry, and raise t->peak to a sample of the machine's arithmetic that is taken after it; false
   after a message on stderr. */
static bool measure_round(struct trial *t, struct listed_contraction *e) {
    if (!timing_round(&e->timing, run_once, &(struct runs){t, e})) return false;
    t->peak = fmax(t->peak, roof_flops_sample(t->entries[0].c.sums, ty_threads()));
    return true;
}

/* Compile all entries and time them in rounds, one run of each per round; false after a message on stderr. */
static bool measure(struct trial *t) {
    for (int i = 0; i < t->n; i++)
        if (!prepare(t, &t->entries[i])) return false;
    for (int64_t round = 0; round < t->s->rounds; round++)
        for (int i = 0; i < t->n; i++)
            if (!measure_round(t, &t->entries[i])) return false;
    return true;
}

/* ---- showing ---- */

/* Return the largest difference of e's result from the first entry's, relative to that one's largest value
   (absolute if that is 0); NaN if a value is not finite or without memory. */
static double difference(const struct trial *t, const struct listed_contraction *e) {
    ty_dtype wide = t->spans[TY_OUT].dtype >= TY_C64 ? TY_C128 : TY_F64;
    if (t->spans[TY_OUT].high == t->spans[TY_OUT].low) return 0;
    ty_tensor *first = ty_cast(t->entries[0].result, wide), *mine = ty_cast(e->result, wide);
    double most = ty_item(ty_amax(ty_abs(first), TY_ALL)),
           apart = ty_item(ty_amax(ty_abs(ty_sub(mine, first)), TY_ALL));
    return most > 0 ? apart / most : apart;
}

/* Append an entry with its measured and predicted times to the JSON. */
static void add_entry(const struct trial *t, const struct listed_contraction *e,
                      const struct contract_cost *cost) {
    result_open(NULL, '{');
    result_text("name", e->name);
    result_number("milliseconds", e->timing.best);
    result_number("flops", e->c.flops);
    result_whole("workspace", ty_contraction_plan_workspace(e->plan));
    result_number("difference", difference(t, e));
    result_number("predicted_milliseconds", 1e3 * cost->seconds);
    result_close();
}

/* Print the cost model's predictions for all entries. */
static void show_predictions(const struct trial *t) {
    say("\n%12s %10s %10s %10s %10s %10s  %s\n", "predicted ms", "arithmetic", "memory", "caches", "packing",
        "calls", "configuration");
    result_open("configurations", '[');
    for (int i = 0; i < t->n; i++) {
        const ty_contraction *c = &t->entries[i].c;
        struct contract_machine machine;
        struct contract_cost cost;
        contraction_runner_current()->machine(c, ty_threads(), &machine);
        contract_cost_of(c, &machine, &cost);
        add_entry(t, &t->entries[i], &cost);
        const double parts[] = {cost.seconds, cost.arithmetic, cost.memory,
                                cost.caches,  cost.packing,    cost.calls};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            say(k ? " %10s" : "%12s", shown((char[SHOWN]){0}, 4, 1e3 * parts[k]));
        say("  %s\n", t->entries[i].name);
    }
    result_close();
}

/* Print the table of times, workspace and differences, then the predictions. */
static void show(struct trial *t) {
    double peak = t->peak;
    say("\n%10s %10s %8s %11s %8s %8s  %s\n", "ms", "GFLOP/s", "of peak", "workspace", "x first", "differs",
        "configuration");
    for (int i = 0; i < t->n; i++) {
        struct listed_contraction *e = &t->entries[i];
        char share[SHOWN + 2] = "-", rate[SHOWN] = "-", number[SHOWN];
        if (e->c.flops > 0) shown(rate, 2, 1e-6 * e->c.flops / e->timing.best);
        if (e->c.flops > 0 && peak > 0)
            snprintf(share, sizeof share, "%s %%",
                     shown(number, 1, 100 * 1e3 * e->c.flops / e->timing.best / peak));
        say("%10s %10s %8s %11lld", shown((char[SHOWN]){0}, 4, e->timing.best), rate, share,
            (long long)ty_contraction_plan_workspace(e->plan));
        say(" %8s %8.*e  %s\n", shown((char[SHOWN]){0}, 3, t->entries[0].timing.best / e->timing.best),
            precision_or(2) - 1, difference(t, e), e->name);
    }
    say("%d thread%s; the fastest of %lld interleaved rounds", ty_threads(), ty_threads() > 1 ? "s" : "",
        (long long)t->s->rounds);
    if (peak > 0) say("; peak %s GFLOP/s", shown((char[SHOWN]){0}, 1, 1e-9 * peak));
    say("\n");
    result_whole("threads", ty_threads());
    result_number("peak", peak > 0 ? peak : NAN);
    show_predictions(t);
}

/* Make or load all entries, measure and print them; false after a message on stderr. */
static bool try_all(struct trial *t, struct arena *arena) {
    if (t->s->equation && !make(t, arena)) return false;
    for (int i = 0; i < t->s->configs.n; i++)
        if (!load(t, t->s->configs.items[i])) return false;
    if (!measure_operands(t)) return false;
    for (int side = 0; side < 3; side++)
        if (!fill(t, side)) return false;
    if (!measure(t)) return false;
    show(t);
    return true;
}

/* Run the command contraction with the parsed settings `given`; return the exit status. */
static int run(const void *given) {
    static struct trial t;
    struct arena arena = {0};
    t = (struct trial){.s = given};
    if (!t.s->equation && !t.s->configs.n) {
        complain("an equation or --config is missing; see tyto contraction --help");
        return EXIT_USAGE;
    }
    if (t.s->out && !t.s->equation) {
        complain("-o %s: expected an equation, whose configuration is to be written", t.s->out);
        return EXIT_USAGE;
    }
    if (t.s->dtype && !t.s->equation) {
        complain("--dtype %s: expected an equation; configurations of --config have dtypes of their own",
                 ty_dtype_name((ty_dtype)(t.s->dtype - 1)));
        return EXIT_USAGE;
    }
    if (t.s->threads) ty_set_threads((int)t.s->threads);
    if (t.s->workspace) ty_set_workspace(t.s->workspace);
    ty_scope *scope = ty_open();
    t.entries = calloc((size_t)t.s->configs.n + 1, sizeof *t.entries);
    bool well = t.entries ? try_all(&t, &arena) : complain("out of memory") == EXIT_SUCCESS;
    for (int i = 0; i < t.n; i++) ty_contraction_plan_release(t.entries[i].plan);
    free(t.entries);
    ty_close(scope);
    arena_drop(&arena);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"EQUATION", &option_equation, AT(equation), "a contraction of two operands, such as \"mk,kn->mn\""},
    {"NAME=SIZE", &option_sizes, AT(sizes), "the size of an axis, for each letter"},
    {"-o", &option_target, AT(out), "write the compiled configuration as JSON"},
    {"--config", &option_files, AT(configs), "compare the configuration of such a file; repeatable"},
    {"--dtype", &option_dtype, AT(dtype), "use this dtype for both operands (f32)"},
    {"--rounds", &option_count, AT(rounds), "measure N rounds, and report the fastest (7)"},
    {"--workspace", &option_count, AT(workspace), "limit the bytes of workspace of the contraction (none)"},
    {"--threads", &option_width, AT(threads), "use N threads (all processors)"},
    {0}};
static const struct settings defaults = {.rounds = 7};

const struct command command_contraction = {
    .name = "contraction",
    .doc = "Show the loops of a contraction, write them as JSON, and compare the times of configurations.",
    .details =
        "  tyto contraction 'mk,kn->mn' m=1000 k=1000 n=1000 -o mine.json\n"
        "  tyto contraction 'mk,kn->mn' m=1000 k=1000 n=1000 --config mine.json\n"
        "  tyto contraction --config one.json --config two.json --rounds 15\n"
        "You may edit the file: the order and steps of the loops, and how each operand is packed.\n"
        "'predicted ms' is the predicted time of one thread, the sum of the columns after it.  'differs'\n"
        "is the largest difference to the first result, relative to its largest value.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run,
    .prints = true};
