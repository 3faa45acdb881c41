/* The OpenCL engine's devices, memory, streams and programs on the drivers that are installed, if any. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/alloc.h"
#include "engine/opencl/source.h"
#include "engine/text/rows.h"
#include "tests/support/child.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/starve.h"

enum { N = 100000, THREADS = 4, ROUNDS = 20 };

/* out[i] = a * in[i] + i for i < n; buffers are read and written at offsets in bytes. */
static const char text[] =
    "kernel void scale(global char *in, ulong in_at, global char *out, ulong out_at, ulong a, ulong n) {\n"
    "    global const uint *x = (global const uint *)(in + in_at);\n"
    "    global uint *y = (global uint *)(out + out_at);\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i < n) y[i] = (uint)a * x[i] + (uint)i;\n"
    "}\n";

/* Return the number of devices.  0, after a sentence, if there is none: the tests have nothing to do. */
static int devices(void) {
    struct fault why = {0};
    starve_others(false); /* drivers end the process without memory */
    int n = opencl_count(&why);
    setenv("XDG_CACHE_HOME", scratch_folder(),
           1); /* PoCL has its own folder there, from now on the earlier one */
    if (!n) printf("nothing to test: %s\n", why.text);
    CHECK(n || why.set, "no devices, and no reason");
    return n;
}

/* Open device i, closed by close_device.  Return true unless memory runs out. */
static bool open_device(int i, struct device *d) {
    struct fault fault = {0};
    *d = (struct device){.number = i};
    snprintf(d->name, sizeof d->name, "opencl:%d", i);
    bool ok = opencl_describe(i, &d->facts, &fault) && opencl_open(i, d, &fault);
    CHECK(ok || mem_failed(), "%s", fault.text);
    return ok;
}

static void describes_devices(void) {
    struct fault fault = {0};
    for (int i = 0, n = devices(); i < n; i++) {
        struct device_facts facts;
        CHECK(opencl_describe(i, &facts, &fault), "%s", fault.text);
        CHECK(*facts.model && facts.memory > 0 && facts.most > 0 && facts.most <= facts.memory,
              "%s: %lld bytes", facts.model, (long long)facts.memory);
        CHECK(facts.align >= 64 && !(facts.align & (facts.align - 1)) && facts.units > 0 && facts.group > 0 &&
                  facts.local > 0,
              "%s: align %d, %d units", facts.model, facts.align, facts.units);
    }
}

/* Everything that a call needs. */
struct work {
    struct device *d;
    struct opencl_source *source;
    void *in, *out, *stream;
    uint32_t factor;
    uint32_t *host; /* 2 N words */
    struct fault fault;
};

/* Send words to the device, compute there ROUNDS times, and read them back in order.  False, with the fault set, on
   failure. */
static bool compute(struct work *w) {
    uint64_t values[] = {w->factor, N};
    struct device_place places[] = {{w->in, 256}, {w->out, 1024}};
    struct opencl_call call = {.kernel = "scale",
                               .nplaces = 2,
                               .places = places,
                               .nvalues = 2,
                               .values = values,
                               .ndims = 1,
                               .global = {N}};
    bool ok = opencl_upload(w->d, w->stream, places[0], w->host, 4 * N, &w->fault);
    for (int round = 0; ok && round < ROUNDS; round++)
        ok = source_call(w->d, w->stream, w->source, &call, &w->fault) &&
             opencl_copy(w->d, w->stream, places[0], places[1], 4 * N, &w->fault);
    ok = ok && opencl_download(w->d, w->stream, w->host + N, places[0], 4 * N, &w->fault);
    void *event = ok ? opencl_record(w->d, w->stream, &w->fault) : NULL;
    ok = event && opencl_wait(w->d, event, &w->fault) && opencl_state(w->d, event) == DEVICE_DONE;
    if (event) opencl_event_release(w->d, event);
    return ok;
}

/* Return element i of the words that compute reads back. */
static uint32_t expected(uint32_t x, uint32_t factor, uint32_t i) {
    for (int round = 0; round < ROUNDS; round++) x = factor * x + i;
    return x;
}

static void drop(struct work *w) {
    if (w->in) opencl_release(w->d, w->in);
    if (w->out) opencl_release(w->d, w->out);
    if (w->stream) opencl_stream_close(w->d, w->stream);
    source_free(w->source);
}

static struct opencl_source *source_of(struct device *d, const char *steps, const char *name,
                                       struct fault *fault) {
    static const struct text_uses none;
    struct text_program program = {.steps = steps, .length = strlen(steps), .uses = &none};
    return source_make(d, &program, name, fault);
}

/* Make the memory, the stream and the source of work on the device.  False, with the fault set, on failure. */
static bool fill(struct work *w, struct device *d, uint32_t factor) {
    *w = (struct work){.d = d, .factor = factor, .host = test_room(8 * N)};
    for (uint32_t i = 0; i < N; i++) w->host[i] = i * 2654435761u;
    w->in = opencl_allocate(d, 4 * N + 256, &w->fault);
    w->out = w->in ? opencl_allocate(d, 4 * N + 1024, &w->fault) : NULL;
    w->stream = w->out ? opencl_stream_open(d, &w->fault) : NULL;
    w->source = w->stream ? source_of(d, text, "scale", &w->fault) : NULL;
    return w->source;
}

static void check(const struct work *w) {
    for (uint32_t i = 0; i < N; i++)
        CHECK(w->host[N + i] == expected(w->host[i], w->factor, i), "element %u of factor %u", i, w->factor);
}

static void computes(void) {
    for (int i = 0, n = devices(); i < n; i++) {
        struct device d;
        struct work w;
        if (!open_device(i, &d)) continue;
        bool ok = fill(&w, &d, 3) && compute(&w);
        CHECK(ok || mem_failed(), "%s", w.fault.text);
        if (ok) check(&w);
        drop(&w);
        source_close(&d);
        opencl_close(&d);
    }
}

static void *run(void *work) { return compute(work) ? work : NULL; }

/* Threads call one kernel at once, with arguments of their own. */
static void computes_in_threads(void) {
    struct device d;
    struct work w[THREADS];
    pthread_t threads[THREADS];
    void *done;
    if (!devices() || test_starving() || !open_device(0, &d)) return;
    for (int t = 0; t < THREADS; t++) CHECK(fill(&w[t], &d, 2 * (uint32_t)t + 3), "%s", w[t].fault.text);
    for (int t = 0; t < THREADS; t++) CHECK(!pthread_create(&threads[t], NULL, run, &w[t]), "thread %d", t);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], &done);
        CHECK(done, "thread %d: %s", t, w[t].fault.text);
        check(&w[t]);
        drop(&w[t]);
    }
    source_close(&d);
    opencl_close(&d);
}

static void shows_the_compilers_log(void) {
    struct device d;
    struct fault fault = {0};
    if (!devices() || test_starving() || !open_device(0, &d)) return;
    struct opencl_source *source = source_of(&d, "kernel void f() { missing(); }", "MAP of sin", &fault),
                         *good = source_of(&d, text, "scale", &fault);
    void *stream = opencl_stream_open(&d, &fault);
    struct opencl_call call = {.kernel = "f", .ndims = 1, .global = {1}};
    for (int round = 0; round < 2; round++) {
        CHECK(source && stream && !source_call(&d, stream, source, &call, &fault), "a wrong text was built");
        CHECK(strstr(fault.text, "the kernel of MAP of sin could not be built: ") &&
                  strstr(fault.text, "missing"),
              "%s", fault.text);
        fault_clear(&fault);
    }
    opencl_stream_close(&d, stream);
    source_free(source);
    source_free(good);
    source_close(&d);
    opencl_close(&d);
}

/* Return how often words are in a text. */
static int count_of(const char *words, const char *in) {
    int n = 0;
    while ((in = strstr(in, words))) n++, in++;
    return n;
}

/* With TY_DEBUG the log is printed once, also if the kernel was first built with others and is called again.  TY_DEBUG
   is read once, so the test before runs in a process of its own. */
static void prints_the_log_once(void) {
    const char *path = scratch_path(scratch_folder(), "log");
    char said[1 << 16];
    if (!devices() || test_starving()) return;
    fflush(NULL);
    pid_t id = fork();
    if (!id) {
        setenv("TY_DEBUG", "1", 1);
        if (freopen(path, "w", stderr))
            execl("/proc/self/exe", "test_opencl", "shows_the_compilers_log", (char *)NULL);
        _exit(1);
    }
    int status = child_status(id);
    CHECK(id > 0 && WIFEXITED(status) && !WEXITSTATUS(status), "the child ended with status %x", status);
    FILE *in = fopen(path, "r");
    CHECK(in, "%s", path);
    said[fread(said, 1, sizeof said - 1, in)] = 0;
    fclose(in);
    CHECK(count_of("could not be built:\n", said) == 1 && count_of("MAP of sin", said) == 1, "%s", said);
}

/* A text that calls functions that prelude/opencl_functions.h lacks is built with the compiler's own header. */
static void needs_the_compilers_header(void) {
    struct device d;
    struct fault fault = {0};
    int refused = atomic_load(&opencl_refused_lean);
    if (!devices() || test_starving() || !open_device(0, &d)) return;
    struct opencl_source *source =
        source_of(&d, "kernel void f() { if (sinpi((float)get_global_id(0)) > 2) return; }", "sinpi", &fault);
    void *stream = opencl_stream_open(&d, &fault);
    struct opencl_call call = {.kernel = "f", .ndims = 1, .global = {1}};
    CHECK(source && stream && source_call(&d, stream, source, &call, &fault), "%s", fault.text);
    refused = atomic_load(&opencl_refused_lean) - refused;
    CHECK(refused == (opencl_device_of(&d)->found->lean != NULL), "%d programs were refused at first",
          refused);
    opencl_stream_close(&d, stream);
    source_free(source);
    source_close(&d);
    opencl_close(&d);
}

/* The child of a fork gets errors, does not hang, and ends as usual. */
static void survives_forks(void) {
    struct device d;
    struct work w;
    if (!devices() || test_starving() || !open_device(0, &d)) return;
    CHECK(fill(&w, &d, 3) && compute(&w), "%s", w.fault.text);
    fflush(NULL);
    pid_t id = fork();
    if (!id) {
        struct fault fault = {0};
        bool well = !opencl_count(&fault) && strstr(fault.text, "the process was forked");
        fault_clear(&fault);
        well = well && !compute(&w) &&
               strstr(w.fault.text, "the device is lost, because the process was forked");
        well = well && !opencl_allocate(&d, 10, &fault);
        drop(&w);
        source_close(&d);
        opencl_close(&d);
        exit(well ? 0 : 1);
    }
    int status = child_status(id);
    CHECK(id > 0 && WIFEXITED(status) && !WEXITSTATUS(status), "the child ended with status %x", status);
    CHECK(compute(&w), "the parent: %s", w.fault.text);
    check(&w);
    drop(&w);
    source_close(&d);
    opencl_close(&d);
}

TESTS_MAIN(TEST(describes_devices), TEST(computes), TEST(computes_in_threads), TEST(shows_the_compilers_log),
           TEST(prints_the_log_once), TEST(needs_the_compilers_header), TEST(survives_forks))
