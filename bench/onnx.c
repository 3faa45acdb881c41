/*
 * Models in ONNX's format: loading, the first run and later runs, against ONNX Runtime if the Python of TY_PYTHON has it
 * (bench/support/onnx_peer.py).  Each measurement is a process of its own, and measurements alternate.  Memory is what the
 * process had at most, less what it had before the load.
 *
 * Models are folders of --models (build/onnx/real), as the official suite has them: NAME/model.onnx and
 * NAME/test_data_set_0/input_0.pb, ...; tests/onnx/real.py makes them of packages of PyPI, and
 * tests/onnx/export.py of networks of PyTorch.
 *
 *   ./dev bench onnx [--models FOLDER] [--json [FILE]] [--filter TEXT] [--rounds N] [--runs N] [--threads N]
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/onnx.h>
#include <tyto/tyto.h>
#include <unistd.h>
#include "bench/support/child.h"
#include "bench/support/peer_python.h"
#include "bench/support/record.h"

enum { OURS, ORT, KINDS, WARM = 2, MOST_INPUTS = 64 };
enum { LOAD, FIRST, MEMORY, FACTS }; /* values that a process prints before its times */
static const char script[] = "bench/support/onnx_peer.py";

static struct {
    int rounds, runs, threads;
    const char *filter, *models;
} settings = {3, 10, 0, "", "build/onnx/real"};
static struct record *document;
static char version[64]; /* of ONNX Runtime; "" without it */

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- in the child ---- */

static int complain(const char *name, const char *sentence) {
    fprintf(stderr, "bench: %s: %s\n", name, sentence);
    return 1;
}

/* Return a number of megabytes of /proc/self/status, such as that of VmHWM; 0: unknown. */
static double status_mb(const char *field) {
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, field, strlen(field))) kib = atof(line + strlen(field) + 1);
    if (f) fclose(f);
    return kib * 1024 / 1e6;
}

/* Reset this process's peak of memory; return the megabytes that it has now. */
static double begin_peak(void) {
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    return status_mb("VmRSS:");
}

/* Return input i of a model's test data; NULL if there is none. */
static ty_onnx_value *input(const char *folder, const ty_onnx *m, int i) {
    char path[4096];
    ty_onnx_port port;
    snprintf(path, sizeof path, "%s/test_data_set_0/input_%d.pb", folder, i);
    FILE *f = ty_onnx_input(m, i, &port) ? fopen(path, "rb") : NULL;
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    char *bytes = n > 0 ? malloc((size_t)n) : NULL;
    rewind(f);
    bool read = bytes && fread(bytes, 1, (size_t)n, f) == (size_t)n;
    fclose(f);
    ty_onnx_value *x = read ? ty_onnx_value_parse(port.kind, bytes, (size_t)n) : NULL;
    free(bytes);
    return x;
}

static bool run(ty_onnx *m, ty_onnx_value *const *inputs, const char *folder) {
    ty_onnx_value *outputs[MOST_INPUTS];
    int n = ty_onnx_outputs(m) < MOST_INPUTS ? ty_onnx_outputs(m) : MOST_INPUTS;
    ty_scope *scope = ty_open();
    bool well = ty_onnx_run_values(m, ty_onnx_inputs(m), (const ty_onnx_value *const *)inputs, n, outputs);
    if (!well) complain(folder, n ? ty_error(ty_onnx_value_failure(outputs[0])) : "no outputs");
    for (int i = 0; i < n; i++) ty_onnx_value_free(outputs[i]);
    ty_close(scope);
    return well;
}

static int measure_ours(FILE *out, const char *folder, int threads) {
    char path[4096];
    ty_onnx_value *inputs[MOST_INPUTS] = {NULL};
    double facts[FACTS], times[SAMPLE_TIMES];
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    ty_set_threads(threads);
    double before = begin_peak(), begin = now_ms();
    ty_onnx *m = ty_onnx_load(path, (ty_onnx_options){.eager = false});
    facts[LOAD] = now_ms() - begin;
    int status = *ty_onnx_error(m) ? complain(folder, ty_onnx_error(m)) : 0;
    for (int i = 0; i < ty_onnx_inputs(m) && i < MOST_INPUTS; i++) inputs[i] = input(folder, m, i);
    for (int i = -WARM; i < settings.runs && !status; i++) {
        begin = now_ms();
        status = !run(m, inputs, folder);
        *(i >= 0 ? &times[i] : i == -WARM ? &facts[FIRST] : &times[0]) = now_ms() - begin;
    }
    facts[MEMORY] = status_mb("VmHWM:") - before;
    for (int i = 0; i < FACTS && !status; i++) fprintf(out, "%.6f\n", facts[i]);
    for (int i = 0; i < settings.runs && !status; i++) fprintf(out, "%.6f\n", times[i]);
    for (int i = 0; i < MOST_INPUTS; i++) ty_onnx_value_free(inputs[i]);
    ty_onnx_free(m);
    return status;
}

static int measure_peer(FILE *out, const char *folder, int threads) {
    char numbers[3][16];
    const int values[] = {threads, settings.runs, WARM};
    for (int i = 0; i < 3; i++) snprintf(numbers[i], sizeof numbers[i], "%d", values[i]);
    if (dup2(fileno(out), STDOUT_FILENO) < 0) return 1;
    child_unpin();
    execlp(python_path(), python_path(), script, "--model", folder, "--threads", numbers[0], "--runs",
           numbers[1], "--warm", numbers[2], (char *)NULL);
    return 127;
}

struct measurement {
    const char *folder;
    int kind, threads;
};
static int measure(FILE *out, const void *context) {
    const struct measurement *m = context;
    return (m->kind == OURS ? measure_ours : measure_peer)(out, m->folder, m->threads);
}

/* ---- in the parent ---- */

static void find_peer(void) {
    char command[8192];
    snprintf(command, sizeof command, "'%s' '%s' --probe 2>/dev/null", python_path(), script);
    FILE *f = access(script, R_OK) ? NULL : popen(command, "r");
    if (f && fscanf(f, "%63s", version) != 1) *version = 0;
    if (f) pclose(f);
    if (*version)
        record_peer(document, "ort", version, "as ours");
    else
        printf("no peer ort: %s lacks onnxruntime\n", python_path());
}

/* Run one process of a kind, and separate its facts from its times; false if it failed. */
static bool measure_facts(struct sample *times, struct sample facts[FACTS], const struct measurement *m) {
    static struct sample one;
    one = (struct sample){0};
    if (!child_measure(&one, measure, m) || one.count <= FACTS) return false;
    for (int i = 0; i < one.count && times->count < SAMPLE_TIMES; i++) {
        struct sample *to = i < FACTS ? &facts[i] : times;
        to->ms[to->count++] = one.ms[i];
    }
    return true;
}

static void report(const char *name, struct sample *times, struct sample facts[][FACTS], int threads) {
    static const char *const names[KINDS][FACTS] = {{"load_ms", "first_ms", "memory_mb"},
                                                    {"ort_load_ms", "ort_first_ms", "ort_memory_mb"}};
    struct record_row row = {.name = name, .dtype = "f32", .threads = threads};
    double ours = child_median(&times[OURS]);
    row.ours = (struct record_time){1e-3 * ours, 1e-3 * times[OURS].ms[0]};
    printf("%-36s %d  %9.2f ms", name, threads, ours);
    if (times[ORT].count) {
        double ms = child_median(&times[ORT]);
        printf("   ort %9.2f ms, ratio %.2f", ms, ms / ours);
        row.peers[0].name = "ort";
        row.peers[0].time = (struct record_time){1e-3 * ms, 1e-3 * times[ORT].ms[0]};
        row.npeers = 1;
    }
    int n = 0;
    for (int k = 0; k < KINDS; k++) {
        if (!times[k].count) continue;
        double x[FACTS];
        for (int i = 0; i < FACTS; i++) {
            x[i] = child_median(&facts[k][i]);
            row.numbers[n].name = names[k][i], row.numbers[n++].value = x[i];
        }
        printf("\n    %-5s loaded in %.1f ms, first run %.1f ms, memory %.1f MB", k ? "ort" : "tyto", x[LOAD],
               x[FIRST], x[MEMORY]);
    }
    printf("\n");
    fflush(stdout);
    record_row(document, &row);
}

static bool bench(const char *name, int threads) {
    static struct sample times[KINDS], facts[KINDS][FACTS];
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/%s", settings.models, name);
    memset(times, 0, sizeof times);
    memset(facts, 0, sizeof facts);
    for (int round = 0; round < settings.rounds; round++)
        for (int k = 0; k < (*version ? KINDS : ORT); k++) {
            struct measurement m = {folder, k, threads};
            if (measure_facts(&times[k], facts[k], &m)) continue;
            fprintf(stderr, "bench: %s of %s failed\n", name, k ? "ort" : "tyto");
            if (k == OURS) return false;
        }
    report(name, times, facts, threads);
    return true;
}

static bool parse(int n, char **arguments) {
    const struct {
        const char *name;
        int *place;
    } numbers[] = {
        {"--rounds", &settings.rounds}, {"--runs", &settings.runs}, {"--threads", &settings.threads}};
    for (int i = 1; i < n; i += 2) {
        bool known = i + 1 < n;
        if (known && !strcmp(arguments[i], "--filter"))
            settings.filter = arguments[i + 1];
        else if (known && !strcmp(arguments[i], "--models"))
            settings.models = arguments[i + 1];
        else
            known = false;
        for (size_t k = 0; i + 1 < n && k < sizeof numbers / sizeof numbers[0]; k++)
            if (!strcmp(arguments[i], numbers[k].name))
                known = (*numbers[k].place = atoi(arguments[i + 1])) > 0;
        if (!known) return false;
    }
    return settings.rounds * settings.runs <= SAMPLE_TIMES && settings.runs + FACTS <= SAMPLE_TIMES;
}

static int seen(const struct dirent *entry) {
    return *entry->d_name != '.' && strstr(entry->d_name, settings.filter) != NULL;
}

int main(int n, char **arguments) {
    struct dirent **entries = NULL;
    bool open = record_open(&document, &n, arguments);
    if (!open || !parse(n, arguments)) {
        fprintf(stderr,
                "usage: %s [--models FOLDER] [--json [FILE]] [--filter TEXT] [--rounds N] [--runs N] "
                "[--threads N]\n",
                arguments[0]);
        return 2;
    }
    int count = scandir(settings.models, &entries, seen, alphasort), status = count <= 0;
    if (status) complain(settings.models, "no models; tests/onnx/real.py makes them, see its --help");
    if (!status) find_peer();
    printf("tyto %s (%s), onnxruntime %s; %d rounds of %d\n", ty_version(), ty_isa(), version,
           settings.rounds, settings.runs);
    int first = settings.threads ? settings.threads : 1, last = settings.threads ? settings.threads : 2;
    for (int i = 0; i < count; i++) {
        for (int threads = first; threads <= last; threads++)
            if (!bench(entries[i]->d_name, threads)) status = 1;
        free(entries[i]);
    }
    free(entries);
    return !record_close(document) || status;
}
