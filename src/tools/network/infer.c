/* tyto infer: measures time and memory of a network for a batch. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/profile.h>
#include "base/machine/debug.h"
#include "base/order.h"
#include "ops/core/kernel/kernel.h"
#include "tools/network/network.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

struct settings {
    const char *network, *weights;
    int layout;
    int64_t classes, batch, runs, threads;
    bool memory, profile, fold;
};

static double peak_mb(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (double)usage.ru_maxrss / 1024; /* Linux: in KiB */
}

/* Return the size of the model's parameters and states in MiB. */
static double weight_mb(const ty_model *m) {
    double bytes = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (k ? ty_model_states(m) : ty_model_parameters(m)); i++) {
            ty_tensor *x = k ? ty_model_state(m, i) : ty_model_parameter(m, i);
            bytes += (double)ty_size(x) * (double)ty_dtype_size(ty_dtype_of(x));
        }
    return bytes / (1 << 20);
}

/* Return the compiled network, called on variables with the shapes of its examples and s->batch of them;
   its results are the program's outputs. The caller frees it; NULL after a message on stderr. */
static ty_program *compile(const struct settings *s, struct network *n) {
    ty_tensor *x[TY_MAX_RANK], *y[TY_MAX_RANK];
    int count = network_examples(n, s->batch, TY_MAX_RANK, x), folded = 0;
    ty_tensor *error = NULL;
    if (!count) return NULL;
    if (s->fold && (folded = ty_model_fold(n->model, count, x, &error)) < 0) {
        complain_of(error);
        return NULL;
    }
    if (s->fold) say("%d norms folded into the weights of the layers before them\n", folded);
    for (int i = 0; i < count; i++) x[i] = ty_var(x[i], "input");
    ty_model_call(n->model, NULL, count, x, y);
    ty_program *program = ty_compile(ty_model_results(n->model), y, (ty_compile_options){0});
    if (!*ty_program_error(program)) return program;
    COMPLAIN_FAILURE(ty_program_failure(program));
    ty_program_free(program);
    return NULL;
}

/* Run the program and wait for its engine; false after a message on stderr. */
static bool run_once(ty_program *program) {
    return ty_run(program) ? engine_wait() : COMPLAIN_FAILURE(ty_program_failure(program)) == EXIT_SUCCESS;
}

/* Run the program once to allocate memory, then s->runs times, and set *ms to the median duration; false
   after a message on stderr. */
static bool measure(const struct settings *s, ty_program *program, double *ms) {
    bool well = run_once(program); /* which allocates memory */
    if (!well) return false;
    double *times = malloc((size_t)s->runs * sizeof *times);
    if (!times) return complain("out of memory") == EXIT_SUCCESS;
    int64_t n = 0; /* runs so far */
    for (; n < s->runs && well; n++) {
        double begin = debug_clock();
        well = run_once(program);
        times[n] = debug_clock() - begin;
    }
    qsort(times, (size_t)n, sizeof *times, order_f64);
    if (well) *ms = times[s->runs / 2];
    free(times);
    return well;
}

/* Print the memory of the network's weights and of the program's results, and the peak of the process. */
static void tell_memory(const struct network *n, const ty_program *program) {
    ty_report r;
    ty_program_report(program, &r);
    say("weights %s MB; intermediate results %s MB in one block (%s MB alive at once); peak "
        "resident memory %s MB\n",
        shown((char[SHOWN]){0}, 1, weight_mb(n->model)),
        shown((char[SHOWN]){0}, 1, (double)r.arena_bytes / (1 << 20)),
        shown((char[SHOWN]){0}, 1, (double)r.live_bound / (1 << 20)), shown((char[SHOWN]){0}, 1, peak_mb()));
    result_number("weights_mb", weight_mb(n->model));
    result_whole("arena_bytes", (int64_t)r.arena_bytes);
    result_whole("live_bytes", (int64_t)r.live_bound);
    result_number("peak_mb", peak_mb());
}

/* Compile and time the network, whose opening began at the time `begin` in milliseconds, and print the
   result and the profile if requested; return the exit status. */
static int infer(const struct settings *s, struct network *n, double begin) {
    double built = debug_clock(), ms = 0;
    ty_trim(); /* frees the memory of drawing the parameters */
    ty_program *program = compile(s, n);
    if (!program) return EXIT_FAILED;
    double compiled = debug_clock();
    if (s->profile) ty_profile_start();
    bool well = measure(s, program, &ms);
    ty_profile *profile = s->profile ? ty_profile_stop() : NULL;
    if (well) {
        say("%s, batch %lld, %d thread%s, %s: %s ms (median of %lld); parameters made in %s ms, "
            "compiled in %s ms\n",
            s->network, (long long)s->batch, ty_threads(), plural(ty_threads()),
            engine_current()->device ? ty_engine_name() : ty_isa(), shown((char[SHOWN]){0}, 2, ms),
            (long long)s->runs, shown((char[SHOWN]){0}, 1, built - begin),
            shown((char[SHOWN]){0}, 1, compiled - built));
        result_text("network", s->network);
        result_whole("batch", s->batch);
        result_whole("threads", ty_threads());
        result_text("engine", ty_engine_name());
        result_number("milliseconds", ms);
        result_number("made_milliseconds", built - begin);
        result_number("compiled_milliseconds", compiled - built);
        if (s->memory) tell_memory(n, program);
    }
    char *table = profile ? ty_profile_table(profile, 30, 0, 0) : NULL;
    if (table) say("%s", table);
    ty_free(table);
    ty_profile_free(profile);
    ty_program_free(program);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

/* Run the command infer with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    const struct settings *s = chosen;
    struct network n = {0};
    if (!network_check(s->network)) return EXIT_USAGE;
    if (s->threads) ty_set_threads((int)s->threads);
    ty_scope *scope = ty_open();
    int status = EXIT_FAILED;
    double begin = debug_clock();
    if (network_open(&n, s->network, s->classes, (ty_model_options){.seed = 1, .lazy = true}) &&
        network_build(&n, s->batch) && (!s->weights || network_load(&n, s->weights, s->layout)))
        status = infer(s, &n, begin);
    network_close(&n);
    ty_close(scope);
    return status;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"NETWORK", &option_name, AT(network), network_names},
    {"--batch", &option_count, AT(batch), "compute N examples in a batch (1)"},
    {"--runs", &option_count, AT(runs), "measure N runs, and report the median (30)"},
    {"--threads", &option_width, AT(threads),
     "use N threads (all processors); results have the same bits for any number"},
    {"--classes", &option_count, AT(classes), "distinguish N classes or tokens (the network's default)"},
    {"--weights", &option_file, AT(weights), "read weights from a file (default: random weights)"},
    {"--layout", &option_layout, AT(layout),
     "expect names and order of axes in the file of weights as in tyto, pytorch or keras (tyto)"},
    {"--fold", &option_flag, AT(fold), "fold batch norms into the weights first"},
    {"--memory", &option_flag, AT(memory), "show the memory of weights and intermediate results"},
    {"--profile", &option_flag, AT(profile), "show the time of each kernel"},
    {0}};

const struct command command_infer = {
    .name = "infer",
    .doc = "Measure the time and memory of a network.",
    .details = "The inputs are random.  Use tyto predict for your own inputs.\n"
               "  tyto infer resnet50 --batch 8\n"
               "  tyto infer lenet --profile",
    .options = options,
    .defaults = &(const struct settings){.network = "", .batch = 1, .runs = 30},
    .bytes = sizeof(struct settings),
    .run = run,
    .prints = true,
    .computes = true,
    .own_line = true};
