/*
 * Profiles as traces for Chrome and Perfetto ("Trace Event Format", events of phase X). The kernels come before
 * the launches, so that reading them needs only the front of the file:
 *
 *   {"tyto_profile": 1, "isa": "avx2", "threads": 2, "lost": 0, "displayTimeUnit": "ms",
 *    "kernels": [
 *     {"name": "...", "calls": 3, "ms": 0.2, "bytes": 4096, "flops": 1024},
 *     ...
 *    ],
 *   "traceEvents": [
 *    {"name": "...", "ph": "X", "pid": 1, "tid": 1, "ts": 12.5, "dur": 3.25},
 *    ...
 *   ]}
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array/scope.h"
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "compile/watch/profile.h"
#include "io/input.h"
#include "io/json.h"
#include "io/output.h"

enum {
    PIECE = 64 << 10,   /* size of one write, in bytes of text */
    LARGEST = 16 << 20, /* most bytes read before the launches */
    MOST_ROWS = 100000,
    MOST_BYTES = 1 << 30, /* most bytes of the tree: at most 25 per byte of text */
    DEPTH = 8
};
static const char launches[] = "\n\"traceEvents\": [";

/* ---- writing ---- */

static bool flush(struct output *out, struct text *t) {
    return t->length < PIECE ? !t->failed || fault_memory(out->fault, t->length) : output_text(out, t);
}

/* Append the front of the profile and its kernels to t, and write t to `out` whenever it is long. False
   sets the output's fault. */
static bool write_rows(const ty_profile *p, struct output *out, struct text *t) {
    text_add(t,
             "{\"tyto_profile\": 1, \"isa\": \"%s\", \"threads\": %d, \"lost\": %" PRId64
             ", \"displayTimeUnit\": \"ms\",\n \"kernels\": [",
             p->isa, p->threads, p->lost);
    for (int i = 0; i < p->nrows; i++) {
        const struct profile_row *r = &p->rows[i];
        text_add(t, "%s\n  {\"name\": ", i ? "," : "");
        if (!json_add_text(t, r->name, out->fault)) return false;
        text_add(t, ", \"calls\": %" PRId64 ", \"ms\": %.17g, \"bytes\": %.17g, \"flops\": %.17g}", r->calls,
                 r->ms, r->bytes, r->flops);
        if (!flush(out, t)) return false;
    }
    text_add(t, "\n ],%s", launches);
    return true;
}

/* Append the launches of the profile and the end of the file to t, and write all of t to `out`. False sets
   the output's fault. */
static bool write_launches(const ty_profile *p, struct output *out, struct text *t) {
    for (int64_t i = 0; i < p->nevents; i++) {
        const struct profile_event *e = &p->events[i];
        text_add(t, "%s\n {\"name\": ", i ? "," : "");
        if (!json_add_text(t, p->rows[e->row].name, out->fault)) return false;
        text_add(t, ", \"ph\": \"X\", \"pid\": 1, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f}", e->thread,
                 1e3 * e->start, 1e3 * e->ms);
        if (!flush(out, t)) return false;
    }
    text_add(t, "\n]}\n");
    return output_text(out, t);
}

/* Write the profile p to the file `path`; false sets the fault, also for a NULL profile. */
static bool save(const ty_profile *p, const char *path, struct fault *fault) {
    struct output out;
    struct text t = {0};
    if (!p) return fault_set(fault, "profile: the profile is NULL");
    if (!output_to_path(&out, path, fault)) return false;
    bool done = write_rows(p, &out, &t) && write_launches(p, &out, &t);
    text_drop(&t);
    return output_end(&out, done) && done;
}
const struct profile_files profile_files = {save};

/* ---- reading ---- */

static bool read_number(const struct json *row, const char *field, double *number) {
    return json_number(json_get(row, field), number) && *number >= 0 && *number < 1e300;
}

/* Parse kernel i, from 0 (for messages), of a profile and add it to p; false sets the fault. */
static bool read_row(struct ty_profile *p, const struct json *row, size_t i, struct fault *fault) {
    const char *name = json_text(json_get(row, "name"));
    double calls, ms, bytes, flops;
    if (!name || !read_number(row, "calls", &calls) || !read_number(row, "ms", &ms) ||
        !read_number(row, "bytes", &bytes) || !read_number(row, "flops", &flops) || calls > 0x1p53)
        return fault_set(fault,
                         "kernel %zu is not {\"name\": text, \"calls\", \"ms\", \"bytes\", \"flops\": "
                         "numbers of at least 0}",
                         i);
    struct text copy = {0};
    text_add(&copy, "%s", name);
    return profile_add_row(p, text_take(&copy), (int64_t)calls, ms, bytes, flops) ||
           fault_memory(fault, sizeof *p->rows);
}

/* Parse the front of a profile, all but its launches, into p; false sets the fault. */
static bool read_root(struct ty_profile *p, const struct json *root, struct fault *fault) {
    const struct json *rows = json_get(root, "kernels");
    int64_t version;
    double lost, threads;
    if (!json_integer(json_get(root, "tyto_profile"), &version))
        return fault_set(fault, "is not a profile: \"tyto_profile\" is missing");
    if (version != 1)
        return fault_set(fault, "is a profile of version %" PRId64 "; this build reads version 1", version);
    if (!json_is(rows, JSON_LIST) || json_count(rows) > MOST_ROWS || !read_number(root, "lost", &lost) ||
        !read_number(root, "threads", &threads) || lost > 0x1p53 || threads > 1e6)
        return fault_set(fault,
                         "is not a profile: \"kernels\" (at most %d), \"lost\", \"threads\" are expected",
                         MOST_ROWS);
    p->isa = "";
    p->lost = (int64_t)lost;
    p->threads = (int)threads;
    for (size_t i = 0; i < json_count(rows); i++)
        if (!read_row(p, json_at(rows, i), i, fault)) return false;
    profile_order(p);
    return true;
}

/* Parse n bytes of JSON, the front of a profile, into p; false sets the fault. */
static bool parse(struct ty_profile *p, const char *json, size_t n, struct fault *fault) {
    struct json *root =
        json_read("profile", "the text before the launches", json, n, DEPTH, MOST_BYTES, fault);
    bool done = root && read_root(p, root, fault);
    mem_free(root);
    return done;
}

/* Read the front of the file, up to the launches, which are skipped, into p; false sets the fault. */
static bool read_front(struct ty_profile *p, struct input *in, struct fault *fault) {
    static const char end[] = "\n\"traceEvents\": []}";
    size_t most = in->size < LARGEST ? (size_t)in->size : LARGEST, got;
    char *front = mem_alloc(most + sizeof end);
    if (!front) return fault_memory(fault, most);
    bool done = input_read(in, 0, front, most, &got, fault);
    if (done) front[got] = 0;
    char *cut = done ? strstr(front, launches) : NULL;
    if (done && !cut)
        done = fault_set(
            fault, "is not a profile: \"traceEvents\" does not begin a line in its first %zu bytes", got);
    if (done) {
        memcpy(cut, end, sizeof end);
        done = parse(p, front, strlen(front), fault);
    }
    mem_free(front);
    return done;
}

/* Read the profile in the file `path`, without its launches, into p; false sets the fault, also for a NULL
   path. */
static bool load(struct ty_profile *p, const char *path, struct fault *fault) {
    struct fault why = {0};
    struct input *in = path ? input_path(path, fault) : NULL;
    if (!in) return path ? false : fault_set(fault, "profile: the path is NULL");
    bool done = read_front(p, in, &why) || fault_set(fault, "%s: %.900s", path, why.text);
    input_close(in);
    return done;
}

/* ---- public functions ---- */

bool ty_profile_save(const ty_profile *p, const char *path, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    bool done = save(p, path, &fault);
    if (error) *error = done ? NULL : tensor_fault(&fault);
    return done;
}

ty_profile *ty_profile_load(const char *path, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct ty_profile *p = mem_alloc(sizeof *p);
    bool done = p ? load(p, path, &fault) : fault_memory(&fault, sizeof *p);
    if (error) *error = done ? NULL : tensor_fault(&fault);
    if (done) return p;
    ty_profile_free(p);
    return NULL;
}
