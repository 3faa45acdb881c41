/*
 * Exported files of C against the engine: inference of networks, a token of a GPT with a cache, and steps of training,
 * with one thread.  Each file is compiled by `$CC -O3 -march=native`, and its results are compared with the engine's;
 * then both run in turns in one process.  ONNX Runtime is timed, too, if the Python of TY_PYTHON has it
 * (bench/support/zoo_peer.py).
 *
 *   ./dev bench export [--json [FILE]] [--filter TEXT] [--rounds N] [--runs N] [--folder FOLDER]
 *
 * With --folder the files of the last row stay there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/export_c.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>
#include <unistd.h>
#include "bench/support/child.h"
#include "bench/support/peer_python.h"
#include "bench/support/record.h"

static const char script[] = "bench/support/zoo_peer.py";
enum { OURS, ORT, KINDS, WARM = 2, MOST = 512, ROOM = 4096 };

/* Graphs and the updates of variables that a run makes. */
struct job {
    int ninputs, nupdates;
    ty_tensor *inputs[2], *output;
    ty_update updates[MOST];
};
struct work {
    const char *name, *network;
    void (*record)(const struct work *w, ty_model *m, struct job *j);
    int64_t batch, side; /* rows and columns of images; 0: the network's own size */
    bool peer;           /* ONNX Runtime */
};
static void infer(const struct work *w, ty_model *m, struct job *j);
static void step(const struct work *w, ty_model *m, struct job *j);
static void token(const struct work *w, ty_model *m, struct job *j);
static const struct work works[] = {
    {"LeNet, 28x28", "lenet", infer, 1, 0, false},
    {"SqueezeNet, 224x224", "squeezenet", infer, 1, 224, true},
    {"MobileNet v2, 224x224", "mobilenet_v2", infer, 1, 224, true},
    {"ResNet-50, 224x224", "resnet50", infer, 1, 224, true},
    {"LSTM, 64 tokens", "char_lstm", infer, 1, 0, false},
    {"GPT, a token with cache", NULL, token, 1, 0, false},
    {"LeNet step, batch 64", "lenet", step, 64, 0, false},
    {"GPT step, 1 x 256 tokens", "gpt", step, 1, 0, false},
};

static struct {
    int rounds, runs;
    const char *filter, *folder;
} settings = {2, 10, "", NULL};
static struct record *document;
static char version[64]; /* of ONNX Runtime; "" without it */

/* Return the milliseconds of a clock: of this process, which has one thread, so that other programs disturb less. */
static double clock_ms(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
static int complain(const char *sentence) {
    fprintf(stderr, "bench: %s\n", sentence);
    return 1;
}

/* ---- graphs ---- */

static void add_update(struct job *j, ty_tensor *variable, ty_tensor *value) {
    if (j->nupdates < MOST) j->updates[j->nupdates++] = (ty_update){variable, value};
}
static ty_tensor *add_input(struct job *j, ty_tensor *value, const char *name) {
    return j->inputs[j->ninputs++] = ty_var(ty_eval(value), name);
}
static ty_tensor *input(const struct work *w, struct job *j) {
    const ty_network *net = ty_network_named(w->network);
    int64_t shape[5] = {w->batch};
    memcpy(shape + 1, net->shape, sizeof net->shape);
    if (w->side) shape[1] = shape[2] = w->side;
    ty_tensor *x = net->dtype == TY_F32
                       ? ty_normal(TY_F32, net->rank + 1, shape, ty_key(1))
                       : ty_mul(ty_uniform(TY_F32, net->rank + 1, shape, ty_key(1)), ty_num(100));
    return add_input(j, ty_cast(x, net->dtype), "x");
}
static void infer(const struct work *w, ty_model *m, struct job *j) {
    j->output = ty_model_forward(m, input(w, j), NULL);
}

/* A step of Adam on the mean cross entropy. */
static void step(const struct work *w, ty_model *m, struct job *j) {
    const ty_network *net = ty_network_named(w->network);
    const ty_optimiser o = {.rule = &ty_adam};
    int64_t shape[2] = {w->batch, net->shape[0]};
    ty_tensor *x = input(w, j),
              *two = ty_mul(ty_uniform(TY_F32, net->tokens ? 2 : 1, shape, ty_key(2)), ty_num(2));
    ty_tensor *label = add_input(j, ty_cast(two, TY_I32), "label");
    ty_tensor *key = ty_var(ty_key(5), "key"), *count = ty_var(ty_scalar(TY_F64, 1), "count");
    ty_tensor *parameters[MOST], *gradients[MOST];
    j->output =
        ty_mean(ty_loss_cross_entropy(ty_model_forward(m, x, key), label, (ty_loss_options){0}), TY_ALL);
    j->nupdates = ty_model_updates(m, MOST, j->updates);
    int n = ty_model_parameters(m);
    for (int i = 0; i < n; i++) parameters[i] = ty_model_parameter(m, i);
    if (!ty_grad(j->output, n, parameters, gradients)) return;
    for (int i = 0; i < n; i++) {
        ty_tensor *states[TY_RULE_STATES] = {NULL}, *before[TY_RULE_STATES];
        for (int k = 0; k < o.rule->nstates; k++)
            before[k] = states[k] = ty_var(ty_optimiser_state(&o, k, parameters[i]), o.rule->states[k]);
        add_update(j, parameters[i], ty_optimise(&o, parameters[i], gradients[i], states, count, NULL));
        for (int k = 0; k < o.rule->nstates; k++) add_update(j, before[k], states[k]);
    }
    add_update(j, key, ty_fold(key, 1));
    add_update(j, count, ty_add(count, ty_num(1)));
}

/* A GPT of the zoo's size that computes one token: keys and values of earlier ones are variables. */
enum { BLOCKS = 6, HEADS = 6, UNITS = 384, DEPTH = UNITS / HEADS, PLACES = 256, TOKENS = 256, AT = 200 };
static ty_tensor *weight(int64_t rows, int64_t columns) {
    static uint64_t number;
    ty_tensor *x = ty_normal(TY_F32, 2, (int64_t[]){rows, columns}, ty_key(++number));
    return ty_var(ty_eval(ty_mul(x, ty_num(0.05))), "w");
}
/* Return all rows of a cache, with `row` (HEADS,1,DEPTH) at `place`, which the run stores. */
static ty_tensor *remember(struct job *j, ty_tensor *row, ty_tensor *place) {
    ty_tensor *cache = ty_var(ty_normal(TY_F32, 3, (int64_t[]){HEADS, PLACES, DEPTH}, ty_key(9)), "cache");
    ty_tensor *here = ty_eq(ty_reshape(ty_arange(TY_I32, 0, PLACES, 1), 2, (int64_t[]){PLACES, 1}), place);
    ty_tensor *next = ty_where(here, row, cache);
    add_update(j, cache, next);
    return next;
}
static ty_tensor *attend(struct job *j, ty_tensor *h, ty_tensor *place) {
    ty_tensor *part[3], *all = ty_matmul(h, weight(UNITS, 3 * UNITS));
    for (int i = 0; i < 3; i++)
        part[i] =
            ty_reshape(ty_slice(all, 1, i * UNITS, (i + 1) * UNITS, 1), 3, (int64_t[]){HEADS, 1, DEPTH});
    ty_tensor *keys = remember(j, part[1], place), *values = remember(j, part[2], place);
    ty_tensor *scores = ty_mul(ty_matmul(part[0], ty_transpose(keys)), ty_num(0.125));
    scores = ty_where(ty_le(ty_arange(TY_I32, 0, PLACES, 1), place), scores, ty_num(-1e30));
    ty_tensor *y = ty_matmul(ty_softmax(scores, -1), values);
    return ty_matmul(ty_reshape(y, 2, (int64_t[]){1, UNITS}), weight(UNITS, UNITS));
}
static ty_tensor *norm(ty_tensor *h) {
    const ty_axes last = {.last = 1, .keep = true};
    return ty_mul(ty_sub(h, ty_mean(h, last)), ty_rsqrt(ty_add(ty_variance(h, last), ty_num(1e-5))));
}
static void token(const struct work *w, ty_model *m, struct job *j) {
    (void)w, (void)m;
    ty_tensor *number = add_input(j, ty_full(TY_I32, 1, (int64_t[]){1}, 7), "token");
    ty_tensor *place = add_input(j, ty_full(TY_I32, 1, (int64_t[]){1}, AT), "place");
    ty_tensor *rows = weight(TOKENS, UNITS);
    ty_tensor *h = ty_add(ty_take(rows, number, 0), ty_take(weight(PLACES, UNITS), place, 0));
    for (int i = 0; i < BLOCKS; i++) {
        h = ty_add(h, attend(j, norm(h), place));
        ty_tensor *wide = ty_gelu(ty_matmul(norm(h), weight(UNITS, 4 * UNITS)));
        h = ty_add(h, ty_matmul(wide, weight(4 * UNITS, UNITS)));
    }
    j->output = ty_matmul(h, ty_transpose(rows));
}

/* ---- the exported file ---- */

/* Values that a process prints before its times, of which the engine's and the file's alternate. */
enum { COMPILER, LINES, ARENA, FACTS };
struct file {
    void *state, *weights;
    int (*run)(void *state, void *const *x);
    double facts[FACTS];
};

static bool write_entries(const char *folder, int arguments) {
    char path[ROOM];
    snprintf(path, sizeof path, "%s/entries.c", folder);
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "#include \"m.h\"\nsize_t state_bytes(void) { return sizeof(m_state); }\n"
               "int begin(void *state, const void *weights, size_t bytes) {\n"
               "return m_begin((m_state *)state, weights, bytes);\n}\n"
               "int run(void *state, void *const *x) {\nreturn m_run((m_state *)state");
    for (int i = 0; i < arguments; i++) fprintf(f, ", x[%d]", i);
    fprintf(f, ");\n}\n");
    return fclose(f) == 0;
}
static bool begin(struct file *e, const char *folder, void *library) {
    char path[ROOM];
    size_t (*state_bytes)(void);
    int (*start)(void *, const void *, size_t);
    *(void **)&state_bytes = dlsym(library, "state_bytes");
    *(void **)&start = dlsym(library, "begin");
    *(void **)&e->run = dlsym(library, "run");
    snprintf(path, sizeof path, "%s/m.bin", folder);
    FILE *f = fopen(path, "rb");
    if (!f || !state_bytes || !start || !e->run) return false;
    fseek(f, 0, SEEK_END);
    size_t bytes = (size_t)ftell(f), room = (state_bytes() + 64) / 64 * 64;
    rewind(f);
    e->weights = aligned_alloc(64, (bytes + 64) / 64 * 64), e->state = aligned_alloc(64, room);
    bool well = e->weights && e->state && fread(e->weights, 1, bytes, f) == bytes;
    fclose(f);
    if (well) memset(e->state, 0, room);
    return well && start(e->state, e->weights, bytes) == 0;
}
/* Export, compile and load a job. */
static bool open_file(struct file *e, const char *folder, const struct job *j) {
    char path[ROOM], weights[ROOM], command[3 * ROOM];
    ty_tensor *error = NULL;
    ty_export_report report;
    snprintf(path, sizeof path, "%s/m.c", folder);
    snprintf(weights, sizeof weights, "%s/m.bin", folder);
    const ty_export_function f = {.name = "run",
                                  .ninputs = j->ninputs,
                                  .inputs = j->inputs,
                                  .noutputs = 1,
                                  .outputs = &j->output,
                                  .nupdates = j->nupdates,
                                  .updates = j->updates};
    if (!ty_export_c(path, 1, &f, (ty_export_options){.weights = weights}, &report, &error))
        return complain(ty_error(error)), false;
    if (!write_entries(folder, j->ninputs + 1)) return complain("the entries cannot be written"), false;
    snprintf(command, sizeof command,
             "cd '%s' && ${CC:-cc} -O3 -march=native -shared -fPIC -o m.so entries.c m.c -lm", folder);
    double start = clock_ms(CLOCK_MONOTONIC);
    if (system(command)) return complain(command), false;
    e->facts[COMPILER] = clock_ms(CLOCK_MONOTONIC) - start;
    e->facts[LINES] = (double)report.lines, e->facts[ARENA] = 1e-3 * (double)report.arena_bytes;
    snprintf(path, sizeof path, "%s/m.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return (library && begin(e, folder, library)) || (complain("the file cannot be loaded"), false);
}

/* ---- in the child ---- */

/* Run both in turns, and print their times; the results of the first run must be equal. */
static int alternate(FILE *out, const struct job *j, ty_program *p, struct file *e) {
    size_t bytes = (size_t)ty_size(j->output) * ty_dtype_size(ty_dtype_of(j->output));
    void *x[3], *y = malloc(bytes + 1);
    for (int i = 0; i < j->ninputs; i++) x[i] = (void *)(uintptr_t)ty_data(ty_eval(j->inputs[i]));
    x[j->ninputs] = y;
    if (!y) return complain("no memory");
    int status = 0;
    for (int i = 0; i < FACTS; i++) fprintf(out, "%.6f\n", e->facts[i]);
    for (int i = -WARM; i < settings.runs && !status; i++) {
        double start = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        bool well = ty_run(p);
        double middle = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        int code = e->run(e->state, x);
        double end = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        if (!well || code) status = complain(well ? "the file refuses its operands" : ty_program_error(p));
        ty_tensor *want = status ? NULL : ty_contiguous(ty_output(p, 0));
        if (want && memcmp(y, ty_data(want), bytes) != 0) status = complain("results differ");
        if (i >= 0) fprintf(out, "%.6f\n%.6f\n", middle - start, end - middle);
    }
    free(y);
    return status;
}
static int measure_in(FILE *out, const struct work *w, const char *folder) {
    static struct job j;
    struct file e = {NULL};
    ty_set_threads(1);
    ty_model *m = w->network ? ty_network_model(ty_network_named(w->network), (ty_network_options){0},
                                                (ty_model_options){.seed = 1, .lazy = true})
                             : NULL;
    ty_scope *scope = ty_open();
    w->record(w, m, &j);
    int status = ty_ok(j.output) ? 0 : complain(ty_error(j.output));
    if (!status && !open_file(&e, folder, &j)) status = 1;
    ty_program *p =
        status ? NULL
               : ty_compile(1, &j.output, (ty_compile_options){.updates = j.updates, .nupdates = j.nupdates});
    if (p && *ty_program_error(p)) status = complain(ty_program_error(p));
    if (!status) status = alternate(out, &j, p, &e);
    if (p) ty_program_free(p);
    ty_close(scope);
    if (m) ty_model_free(m);
    free(e.state), free(e.weights);
    return status;
}
static int measure_ours(FILE *out, const void *context) {
    char folder[] = "/tmp/tyto_export_XXXXXX", command[ROOM];
    if (settings.folder) return measure_in(out, context, settings.folder);
    if (!mkdtemp(folder)) return complain("no folder for files");
    int status = measure_in(out, context, folder);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) || status;
}
static int measure_peer(FILE *out, const void *context) {
    const struct work *w = context;
    char runs[16], side[16];
    snprintf(runs, sizeof runs, "%d", settings.runs);
    snprintf(side, sizeof side, "%d", (int)w->side);
    if (dup2(fileno(out), STDOUT_FILENO) < 0) return 1;
    child_unpin();
    execlp(python_path(), python_path(), script, "--peer", "ort", "--network", w->network, "--mode", "infer",
           "--threads", "1", "--runs", runs, "--side", side, (char *)NULL);
    return 127;
}

/* ---- in the parent ---- */

static void find_peer(void) {
    char command[2 * ROOM];
    snprintf(command, sizeof command, "'%s' '%s' --peer ort --probe 2>/dev/null", python_path(), script);
    FILE *f = access(script, R_OK) ? NULL : popen(command, "r");
    if (f && fscanf(f, "%63s", version) != 1) *version = 0;
    if (f) pclose(f);
    if (*version)
        record_peer(document, "ort", version, "1");
    else
        printf("no peer ort: %s lacks onnxruntime or torch\n", python_path());
}

static struct record_time time_of(struct sample *s) {
    double ms = child_median(s);
    return (struct record_time){1e-3 * ms, 1e-3 * s->ms[0]};
}
/* The row's own time is that of the file; the engine is a peer of it. */
static void report(const struct work *w, struct sample *file, struct sample *engine, struct sample *ort,
                   const double *facts) {
    struct record_row row = {.name = w->name, .dtype = "f32", .threads = 1, .npeers = 1};
    row.ours = time_of(file);
    row.peers[0].name = "engine", row.peers[0].time = time_of(engine);
    double ms = 1e3 * row.ours.median, other = 1e3 * row.peers[0].time.median;
    printf("%-26s C %9.3f ms   engine %9.3f ms, C / engine %5.2f", w->name, ms, other, ms / other);
    if (ort->count) {
        row.peers[1].name = "ort", row.peers[1].time = time_of(ort), row.npeers = 2;
        other = 1e3 * row.peers[1].time.median;
        printf("   ort %9.3f ms, C / ort %5.2f", other, ms / other);
    }
    printf("   cc %.1f s, %.0f lines, arena %.0f KB\n", 1e-3 * facts[COMPILER], facts[LINES], facts[ARENA]);
    row.numbers[0].name = "cc_s", row.numbers[0].value = 1e-3 * facts[COMPILER];
    row.numbers[1].name = "lines", row.numbers[1].value = facts[LINES];
    row.numbers[2].name = "arena_kb", row.numbers[2].value = facts[ARENA];
    fflush(stdout);
    record_row(document, &row);
}
static bool bench(const struct work *w) {
    static struct sample one, file, engine, ort;
    double facts[FACTS];
    file.count = engine.count = ort.count = 0;
    for (int round = 0; round < settings.rounds; round++) {
        one.count = 0;
        if (!child_measure(&one, measure_ours, w) || one.count != FACTS + 2 * settings.runs)
            return complain(w->name), false;
        memcpy(facts, one.ms, sizeof facts);
        for (int i = FACTS; i < one.count; i += 2) {
            engine.ms[engine.count++] = one.ms[i];
            file.ms[file.count++] = one.ms[i + 1];
        }
        if (w->peer && *version && !child_measure(&ort, measure_peer, w)) complain("ONNX Runtime failed");
    }
    report(w, &file, &engine, &ort, facts);
    return true;
}

static bool parse(int n, char **arguments) {
    for (int i = 1; i < n; i += 2) {
        if (i + 1 == n) return false;
        if (!strcmp(arguments[i], "--filter"))
            settings.filter = arguments[i + 1];
        else if (!strcmp(arguments[i], "--folder"))
            settings.folder = arguments[i + 1];
        else if (!strcmp(arguments[i], "--rounds"))
            settings.rounds = atoi(arguments[i + 1]);
        else if (!strcmp(arguments[i], "--runs"))
            settings.runs = atoi(arguments[i + 1]);
        else
            return false;
    }
    return settings.rounds > 0 && settings.runs > 0 && settings.rounds * settings.runs <= SAMPLE_TIMES &&
           FACTS + 2 * settings.runs <= SAMPLE_TIMES;
}

int main(int n, char **arguments) {
    if (!record_open(&document, &n, arguments) || !parse(n, arguments)) {
        fprintf(stderr,
                "usage: %s [--json [FILE]] [--filter TEXT] [--rounds N] [--runs N] "
                "[--folder FOLDER]\n",
                arguments[0]);
        return 2;
    }
    find_peer();
    printf("tyto %s (%s), onnxruntime %s; %d rounds of %d\n", ty_version(), ty_isa(), version,
           settings.rounds, settings.runs);
    int status = 0;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strstr(works[i].name, settings.filter) && !bench(&works[i])) status = 1;
    return !record_close(document) || status;
}
