/*
 * Configurations of contractions as JSON:
 *
 *   {"tyto_contraction": 1, "dtypes": ["f32", "f32", "f32"], "sums": "f32", "offsets": [0, 0, 0],
 *    "dims": [{"type": "M", "size": 64, "strides": [32, 0, 48]}, ...],
 *    "loops": [{"dim": 0, "exec": "shared", "step": 32}, ...],
 *    "guards": [{"side": "left", "dims": [0, 2], "coefficients": [1, 1], "low": -1, "size": 64}, ...],
 *    "primitive": "gemm", "packing": [{"kind": "panels", "loop": 1}, {"kind": "none", "loop": -1}],
 *    "constant": [false, true],
 *    "bypass": false, "swapped": false, "spans": 0, "seconds": 0.001}
 *
 * Reading is strict: each field occurs once, others are refused, integers fit and names are known; the result
 * passes contraction_check. Flops and bytes are computed again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array/dtype.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "contract/loops.h"
#include "io/input.h"
#include "io/json.h"
#include "io/output.h"

/* Names in the order of their enums, ended by NULL. */
static const char *const types[] = {"C", "M", "N", "K", NULL};
static const char *const execs[] = {"sequential", "shared", "primitive", NULL};
static const char *const sides[] = {"left", "right", "out", NULL};
static const char *const primitives[] = {"gemm", "brgemm", "lanes", "flat", "scalar", NULL};
static const char *const packings[] = {"none", "panels", "footprint", "whole", NULL};

enum {
    LARGEST = 1 << 20,     /* most bytes of a text that is read */
    MOST_BYTES = 64 << 20, /* most bytes of its tree, which takes at most 41 per byte of text */
    DEPTH = 8              /* most nesting; a configuration has 4 levels: root, list, entry, numbers */
};

/* ---- writing ---- */

static void write_numbers(struct text *t, const char *name, int n, const int64_t *numbers) {
    text_add(t, "\"%s\": [", name);
    for (int i = 0; i < n; i++) text_add(t, "%s%" PRId64, i ? ", " : "", numbers[i]);
    text_add(t, "]");
}

/* Append the list of dimensions as JSON. */
static void write_dims(struct text *t, const ty_contraction *c) {
    text_add(t, "  \"dims\": [");
    for (int i = 0; i < c->ndims; i++) {
        text_add(t, "%s\n    {\"type\": \"%s\", \"size\": %" PRId64 ", ", i ? "," : "",
                 types[c->dims[i].type], c->dims[i].size);
        write_numbers(t, "strides", 3, c->dims[i].stride);
        text_add(t, "}");
    }
    text_add(t, "],\n");
}

/* Append the lists of loops and guards as JSON. */
static void write_loops(struct text *t, const ty_contraction *c) {
    text_add(t, "  \"loops\": [");
    for (int i = 0; i < c->nloops; i++)
        text_add(t, "%s\n    {\"dim\": %d, \"exec\": \"%s\", \"step\": %" PRId64 "}", i ? "," : "",
                 c->loops[i].dim, execs[c->loops[i].exec], c->loops[i].step);
    text_add(t, "],\n  \"guards\": [");
    for (int i = 0; i < c->nguards; i++) {
        const ty_guard *g = &c->guards[i];
        text_add(t, "%s\n    {\"side\": \"%s\", \"dims\": [%d, %d], ", i ? "," : "", sides[g->side],
                 g->dim[0], g->dim[1]);
        write_numbers(t, "coefficients", 2, g->coefficient);
        text_add(t, ", \"low\": %" PRId64 ", \"size\": %" PRId64 "}", g->low, g->size);
    }
    text_add(t, "],\n");
}

/* Append all of a valid configuration as JSON. */
static void write_all(struct text *t, const ty_contraction *c) {
    text_add(t, "{\"tyto_contraction\": 1,\n  \"dtypes\": [\"%s\", \"%s\", \"%s\"], \"sums\": \"%s\", ",
             ty_dtype_name(c->dtype[0]), ty_dtype_name(c->dtype[1]), ty_dtype_name(c->dtype[2]),
             ty_dtype_name(c->sums));
    write_numbers(t, "offsets", 3, c->offset);
    text_add(t, ",\n");
    write_dims(t, c);
    write_loops(t, c);
    text_add(t, "  \"primitive\": \"%s\",\n  \"packing\": [", primitives[c->primitive]);
    for (int side = 0; side < 2; side++)
        text_add(t, "%s{\"kind\": \"%s\", \"loop\": %d}", side ? ", " : "", packings[c->packing[side].kind],
                 c->packing[side].loop);
    text_add(t, "],\n  \"constant\": [%s, %s],\n", c->constant[TY_LEFT] ? "true" : "false",
             c->constant[TY_RIGHT] ? "true" : "false");
    text_add(t, "  \"bypass\": %s, \"swapped\": %s, \"spans\": %" PRId64 ", \"seconds\": %.17g}\n",
             c->bypass ? "true" : "false", c->swapped ? "true" : "false", c->spans, c->seconds);
}

/* Append the configuration c as JSON to t; false sets the fault, also if c is NULL, invalid or predicts no
   finite time. */
static bool to_json(const ty_contraction *c, struct text *t, struct fault *fault) {
    if (!c) return fault_set(fault, "contraction: the configuration is NULL");
    if (c->error[0]) return fault_set(fault, "%s", c->error);
    if (!contraction_check(c, fault)) return false;
    if (!(c->seconds >= 0 && c->seconds < 1e300))
        return fault_set(fault, "contraction: the predicted time is %g seconds; expected a finite time",
                         c->seconds);
    write_all(t, c);
    return !t->failed || fault_memory(fault, t->length);
}

char *ty_contraction_json(const ty_contraction *c) {
    struct text text = {0};
    struct fault fault = {0};
    if (to_json(c, &text, &fault)) return text_take(&text);
    bool starved = text.failed;
    text_drop(&text);
    if (starved) return NULL;
    text_add(&text, "error: %s\n", fault.text);
    return text_take(&text);
}

bool ty_contraction_save(ty_contraction *c, const char *path) {
    struct text text = {0};
    struct fault fault = {0};
    struct output out;
    bool ok = to_json(c, &text, &fault) && output_to_path(&out, path, &fault);
    if (ok) {
        ok = output_text(&out, &text);
        ok = output_end(&out, ok);
    }
    text_drop(&text);
    if (c) snprintf(c->error, sizeof c->error, "%s", ok ? "" : fault.text);
    return ok;
}

/* ---- reading ---- */

/* Position in the configuration, for messages. */
struct contraction_reader {
    struct fault *fault;
    const char *where; /* list in which the reader is, such as "dims" */
    int index;         /* index in the list `where`; -1: not in a list */
};

static bool refuse(const struct contraction_reader *r, const char *field, const char *reason) {
    if (r->index < 0) return fault_set(r->fault, "contraction: %s: \"%s\" %s", r->where, field, reason);
    return fault_set(r->fault, "contraction: %s %d: \"%s\" %s", r->where, r->index, field, reason);
}

/* Set the fault about a wrong field: its value, if short, and the expected kind. found is the value; NULL
   means that it is missing. Always return false. */
static bool unexpected(const struct contraction_reader *r, const char *field, const struct json *found,
                       const char *expected) {
    enum { SHOWN = 40 };
    char reason[256];
    char *words = found ? json_shown(found, SHOWN) : NULL;
    if (words && *words)
        snprintf(reason, sizeof reason, "is %s, not %s", words, expected);
    else
        snprintf(reason, sizeof reason, "is not %s", expected);
    mem_free(words);
    return refuse(r, field, reason);
}

/* Return true if an object has exactly the fields of a list ended by NULL; else set the fault. */
static bool check_fields(const struct contraction_reader *r, const struct json *object,
                         const char *const *fields) {
    if (!json_is(object, JSON_OBJECT)) return unexpected(r, "it", object, "an object");
    for (size_t k = 0; k < object->count; k++) {
        const char *key = object->items[k].key;
        int i = 0;
        while (fields[i] && strcmp(fields[i], key) != 0) i++;
        if (!fields[i])
            return refuse(r, key[0] && strlen(key) < 60 ? key : "a field", "is not a known field");
    }
    for (int i = 0; fields[i]; i++)
        if (!json_get(object, fields[i])) return refuse(r, fields[i], "is missing");
    return true;
}

static bool read_integer(const struct contraction_reader *r, const struct json *object, const char *field,
                         int64_t *n) {
    const struct json *value = json_get(object, field);
    return json_integer(value, n) || unexpected(r, field, value, "a whole number of 64 bits");
}

/* Read a field of an object as a 32-bit integer; false sets the fault. */
static bool read_int(const struct contraction_reader *r, const struct json *object, const char *field,
                     int *n) {
    int64_t wide = 0;
    if (!read_integer(r, object, field, &wide)) return false;
    if (wide < INT32_MIN || wide > INT32_MAX)
        return unexpected(r, field, json_get(object, field), "a number of 32 bits");
    *n = (int)wide;
    return true;
}

/* Read a field of an object, a list of exactly n integers, into numbers[]; false sets the fault. */
static bool read_integers(const struct contraction_reader *r, const struct json *object, const char *field,
                          int n, int64_t *numbers) {
    const struct json *list = json_get(object, field);
    if (!json_is(list, JSON_LIST) || json_count(list) != (size_t)n)
        return unexpected(r, field, list, n == 2 ? "two numbers" : "three numbers");
    for (int i = 0; i < n; i++)
        if (!json_integer(json_at(list, (size_t)i), &numbers[i]))
            return unexpected(r, field, list, "a list of whole numbers of 64 bits");
    return true;
}

/* Set *found to the index of the text `value` in the list names[], which NULL ends; false sets the fault,
   which lists them. */
static bool find_name(const struct contraction_reader *r, const struct json *value, const char *field,
                      const char *const *names, int *found) {
    const char *text = json_text(value);
    for (int i = 0; text && names[i]; i++)
        if (strcmp(names[i], text) == 0) {
            *found = i;
            return true;
        }
    struct text known = {0};
    for (int i = 0; names[i]; i++) text_add(&known, "%s%s", i ? ", " : "one of ", names[i]);
    char *words = text_take(&known);
    unexpected(r, field, value, words ? words : "a known name");
    mem_free(words);
    return false;
}

static bool read_name(const struct contraction_reader *r, const struct json *object, const char *field,
                      const char *const *names, int *found) {
    return find_name(r, json_get(object, field), field, names, found);
}

/* Read a field of an object as true or false; false sets the fault. */
static bool read_bool(const struct contraction_reader *r, const struct json *object, const char *field,
                      bool *value) {
    const struct json *given = json_get(object, field);
    if (!json_is_flag(given)) return unexpected(r, field, given, "true or false");
    *value = json_is(given, JSON_TRUE);
    return true;
}

/* Read dimension r->index of c from an object; false sets the fault. */
static bool read_dim(const struct contraction_reader *r, const struct json *object, ty_contraction *c) {
    static const char *const fields[] = {"type", "size", "strides", NULL};
    ty_dim *d = &c->dims[r->index];
    int type;
    if (!check_fields(r, object, fields) || !read_name(r, object, "type", types, &type) ||
        !read_integer(r, object, "size", &d->size) || !read_integers(r, object, "strides", 3, d->stride))
        return false;
    d->type = (ty_dim_type)type;
    return true;
}

/* Read loop r->index of c from an object; false sets the fault. */
static bool read_loop(const struct contraction_reader *r, const struct json *object, ty_contraction *c) {
    static const char *const fields[] = {"dim", "exec", "step", NULL};
    ty_loop *loop = &c->loops[r->index];
    int exec;
    if (!check_fields(r, object, fields) || !read_int(r, object, "dim", &loop->dim) ||
        !read_name(r, object, "exec", execs, &exec) || !read_integer(r, object, "step", &loop->step))
        return false;
    loop->exec = (ty_exec)exec;
    return true;
}

/* Read guard r->index of c from an object; false sets the fault. */
static bool read_guard(const struct contraction_reader *r, const struct json *object, ty_contraction *c) {
    static const char *const fields[] = {"side", "dims", "coefficients", "low", "size", NULL};
    ty_guard *g = &c->guards[r->index];
    int64_t dims[2];
    int side;
    if (!check_fields(r, object, fields) || !read_name(r, object, "side", sides, &side) ||
        !read_integers(r, object, "dims", 2, dims) ||
        !read_integers(r, object, "coefficients", 2, g->coefficient) ||
        !read_integer(r, object, "low", &g->low) || !read_integer(r, object, "size", &g->size))
        return false;
    for (int i = 0; i < 2; i++) {
        if (dims[i] < -1 || dims[i] >= TY_CONTRACTION_DIMS)
            return unexpected(r, "dims", json_get(object, "dims"), "two dimensions, or -1");
        g->dim[i] = (int)dims[i];
    }
    g->side = (ty_side)side;
    return true;
}

/* Read the packing of side r->index of c from an object; false sets the fault. */
static bool read_packing(const struct contraction_reader *r, const struct json *object, ty_contraction *c) {
    static const char *const fields[] = {"kind", "loop", NULL};
    int kind;
    if (!check_fields(r, object, fields) || !read_name(r, object, "kind", packings, &kind) ||
        !read_int(r, object, "loop", &c->packing[r->index].loop))
        return false;
    c->packing[r->index].kind = (ty_packing)kind;
    return true;
}

static bool read_constant(const struct contraction_reader *r, const struct json *value, ty_contraction *c) {
    if (!json_is_flag(value)) return unexpected(r, "constant", value, "true or false");
    c->constant[r->index] = json_is(value, JSON_TRUE);
    return true;
}

/* Read a field of root, a list of at most `most` objects, each by `read`, and set *n to its length; false
   sets the fault. */
static bool read_list(struct fault *fault, const struct json *root, const char *field, int most, int *n,
                      ty_contraction *c,
                      bool (*read)(const struct contraction_reader *, const struct json *,
                                   ty_contraction *)) {
    const struct json *list = json_get(root, field);
    if (!json_is(list, JSON_LIST) || json_count(list) > (size_t)most)
        return fault_set(fault, "contraction: \"%s\" is not a list of up to %d", field, most);
    *n = (int)json_count(list);
    for (int i = 0; i < *n; i++)
        if (!read(&(struct contraction_reader){fault, field, i}, json_at(list, (size_t)i), c)) return false;
    return true;
}

/* Read a name of a dtype; false sets the fault. */
static bool read_dtype(const struct contraction_reader *r, const struct json *value, const char *field,
                       ty_dtype *dtype) {
    const char *names[TY_DTYPES + 1] = {NULL};
    int found;
    for (int d = 0; d < TY_DTYPES; d++) names[d] = dtype_table[d].name;
    if (!find_name(r, value, field, names, &found)) return false;
    *dtype = (ty_dtype)found;
    return true;
}

/* Read the dtypes of the three operands and of the sums; false sets the fault. */
static bool read_dtypes(const struct contraction_reader *r, const struct json *root, ty_contraction *c) {
    const struct json *list = json_get(root, "dtypes");
    if (!json_is(list, JSON_LIST) || json_count(list) != 3)
        return unexpected(r, "dtypes", list, "three names");
    for (size_t i = 0; i < 3; i++)
        if (!read_dtype(r, json_at(list, i), "dtypes", &c->dtype[i])) return false;
    return read_dtype(r, json_get(root, "sums"), "sums", &c->sums);
}

/* Read the fields that are no lists of objects or dtypes; false sets the fault. */
static bool read_rest(const struct contraction_reader *r, const struct json *root, ty_contraction *c) {
    int primitive, npacking, nconstant;
    const struct json *seconds = json_get(root, "seconds");
    if (!read_name(r, root, "primitive", primitives, &primitive) ||
        !read_bool(r, root, "bypass", &c->bypass) || !read_bool(r, root, "swapped", &c->swapped) ||
        !read_integer(r, root, "spans", &c->spans) ||
        !read_list(r->fault, root, "packing", 2, &npacking, c, read_packing) ||
        !read_list(r->fault, root, "constant", 2, &nconstant, c, read_constant))
        return false;
    if (npacking != 2) return refuse(r, "packing", "must have two entries, left and right");
    if (nconstant != 2) return refuse(r, "constant", "must have two entries, left and right");
    if (!json_number(seconds, &c->seconds) || !(c->seconds >= 0))
        return unexpected(r, "seconds", seconds, "a time");
    c->primitive = (ty_primitive)primitive;
    return true;
}

/* Read and check a whole configuration, and measure its derived sizes; false sets the fault. */
static bool read_root(const struct json *root, ty_contraction *c, struct fault *fault) {
    static const char *const fields[] = {
        "tyto_contraction", "dtypes",   "sums",   "offsets", "dims",  "loops",   "guards", "primitive",
        "packing",          "constant", "bypass", "swapped", "spans", "seconds", NULL};
    struct contraction_reader r = {fault, "configuration", -1};
    int64_t version = 0;
    if (!check_fields(&r, root, fields) || !read_integer(&r, root, "tyto_contraction", &version))
        return false;
    if (version != 1)
        return unexpected(&r, "tyto_contraction", json_get(root, "tyto_contraction"),
                          "version 1, the only known version");
    if (!read_dtypes(&r, root, c) || !read_integers(&r, root, "offsets", 3, c->offset) ||
        !read_list(fault, root, "dims", TY_CONTRACTION_DIMS, &c->ndims, c, read_dim) ||
        !read_list(fault, root, "loops", TY_CONTRACTION_LOOPS, &c->nloops, c, read_loop) ||
        !read_list(fault, root, "guards", TY_CONTRACTION_GUARDS, &c->nguards, c, read_guard) ||
        !read_rest(&r, root, c) || !contraction_check(c, fault))
        return false;
    contraction_measure(c);
    return true;
}

/* Read a configuration from n bytes of JSON; false sets the fault. *c may then be partly filled. */
static bool from_json(ty_contraction *c, const char *json, size_t n, struct fault *fault) {
    if (!json) return fault_set(fault, "contraction: the JSON text is NULL");
    if (n > LARGEST)
        return fault_set(fault, "contraction: the text has %zu bytes; expected at most %d", n, LARGEST);
    struct json *root = json_read("contraction", "the text", json, n, DEPTH, MOST_BYTES, fault);
    bool ok = root && read_root(root, c, fault);
    mem_free(root);
    return ok;
}

/* Return ok, with c->error set from the fault or cleared. If ok is false, first clear *c and set ndims to
   -1, so that it is not an empty configuration. */
static bool finish(ty_contraction *c, bool ok, const struct fault *fault) {
    if (!ok) {
        memset(c, 0, sizeof *c);
        c->ndims = -1;
    }
    snprintf(c->error, sizeof c->error, "%s", ok ? "" : fault->text);
    return ok;
}

bool ty_contraction_read(ty_contraction *c, const char *json, size_t n) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    if (!c) return false;
    memset(c, 0, sizeof *c);
    bool ok = json || !n ? from_json(c, json ? json : "", n, &fault)
                         : fault_set(&fault, "contraction: the text of %zu bytes is NULL", n);
    return finish(c, ok, &fault);
}

bool ty_contraction_load(ty_contraction *c, const char *path) {
    struct fault fault = {0}, why = {0};
    if (!c) return false;
    memset(c, 0, sizeof *c);
    struct input *in = input_path(path, &fault);
    if (!in) return finish(c, false, &fault);
    bool ok = in->size <= LARGEST ? input_hold(in, &fault)
                                  : fault_set(&fault, "%s: has %" PRIu64 " bytes; expected at most %d", path,
                                              in->size, LARGEST);
    if (ok && !from_json(c, (const char *)in->bytes, (size_t)in->size, &why))
        ok = fault_set(&fault, "%s: %.900s", path, why.text);
    input_close(in);
    return finish(c, ok, &fault);
}
