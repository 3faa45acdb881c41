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
#include "io/fields.h"
#include "io/input.h"
#include "io/output.h"
#include "ops/core/op.h"

enum {
    PIECE = 64 << 10,   /* size of one write, in bytes of text */
    LARGEST = 16 << 20, /* most bytes read before the launches */
    MOST_ROWS = 100000,
    MOST_BYTES = 1 << 30, /* most bytes of the tree: at most 25 per byte of text */
    DEPTH = 8
};
static const char launches[] = "\n\"traceEvents\": [";

ATTRIBUTES(row_fields, sizeof(struct profile_row), FIELD(struct profile_row, name, TEXT),
           FIELD(struct profile_row, calls, LONG, .end = 0x1p53),
           FIELD(struct profile_row, ms, REAL, .end = 1e300),
           FIELD(struct profile_row, bytes, REAL, .end = 1e300),
           FIELD(struct profile_row, flops, REAL, .end = 1e300));
/* The front without isa and rows. */
ATTRIBUTES(front_fields, sizeof(struct ty_profile),
           {.name = "tyto_profile", .type = FIELD_VERSION, .most = 1},
           FIELD(struct ty_profile, lost, LONG, .end = 0x1p53),
           FIELD(struct ty_profile, threads, INT, .end = 1e6));

/* ---- writing ---- */

static bool flush(struct output *out, struct text *t) {
    return t->length < PIECE ? !t->failed || fault_memory(out->fault, t->length) : output_text(out, t);
}

/* Append the front of the profile and its kernels to t, and write t to `out` whenever it is long. False
   sets the output's fault. */
static bool write_rows(const ty_profile *p, struct output *out, struct text *t) {
    struct field_writer w = {.t = t, .style = FIELDS_SPACED, .fault = out->fault};
    text_add(t,
             "{\"tyto_profile\": 1, \"isa\": \"%s\", \"threads\": %d, \"lost\": %" PRId64
             ", \"displayTimeUnit\": \"ms\",\n \"kernels\": [",
             p->isa, p->threads, p->lost);
    for (int i = 0; i < p->nrows; i++) {
        text_add(t, "%s\n  ", i ? "," : "");
        if (!fields_write(&w, &row_fields, &(struct infer){.attr = &p->rows[i]}) || !flush(out, t))
            return false;
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
    if (!p) return fault_set(fault, E_ARGUMENT, "profile: the profile is NULL");
    if (!output_to_path(&out, path, fault)) return false;
    bool done = write_rows(p, &out, &t) && write_launches(p, &out, &t);
    text_drop(&t);
    return output_end(&out, done) && done;
}
const struct profile_files profile_files = {save};

/* ---- reading ---- */

static void refuse_field(void *fault, ty_code code, const char *reason) {
    fault_set(fault, code, "is not a profile: %s", reason);
}

/* Parse a row of a profile's kernels and add it to p; false sets the fault. */
static bool read_row(const struct field_reader *r, struct ty_profile *p, const struct json *row) {
    struct profile_row is;
    return fields_read(r, &row_fields, row, &(struct infer){0}, &is) &&
           (profile_add_row(p, mem_copy_text(is.name), is.calls, is.ms, is.bytes, is.flops) ||
            fault_memory(r->context, sizeof *p->rows));
}

/* Parse the front of a profile, all but its launches, into p; false sets the fault. */
static bool read_root(struct ty_profile *p, const struct json *root, struct fault *fault) {
    struct field_reader front = {.refuse = refuse_field, .context = fault, .newer = true}, r = front;
    const struct json *rows = json_get(root, "kernels");
    char most[64];
    p->isa = "";
    if (!fields_read(&front, &front_fields, root, &(struct infer){0}, p)) return false;
    text_print(most, sizeof most, "a list of up to %d", MOST_ROWS);
    if (!json_is(rows, JSON_LIST) || json_count(rows) > MOST_ROWS)
        return field_unexpected(&front, "kernels", rows, most);
    r.list = "kernels", r.newer = false;
    for (r.index = 0; r.index < (int)json_count(rows); r.index++)
        if (!read_row(&r, p, json_at(rows, (size_t)r.index))) return false;
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
        done =
            fault_set(fault, E_FORMAT,
                      "is not a profile: \"traceEvents\" does not begin a line in its first %zu bytes", got);
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
    struct input *in = path ? input_stream(path, 0, fault) : NULL;
    if (!in) return path ? false : fault_set(fault, E_ARGUMENT, "profile: the path is NULL");
    bool done = read_front(p, in, &why) || fault_set(fault, why.code, "%s: %.900s", path, why.text);
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
