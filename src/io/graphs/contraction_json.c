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
 * What is read passes contraction_check. Flops and bytes are computed again.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "contract/loops.h"
#include "io/fields.h"
#include "io/input.h"
#include "io/output.h"
#include "ops/core/op.h"

enum {
    LARGEST = 1 << 20,     /* most bytes of a text that is read */
    MOST_BYTES = 64 << 20, /* most bytes of its tree, which takes at most 41 per byte of text */
    DEPTH = 8              /* most nesting; a configuration has 4 levels: root, list, entry, numbers */
};

/* ---- description ---- */

/* NAMES(of, ...): the names of an enum in its order, and the function that numbers them. */
#define NAMES(of, ...)                                                                                       \
    static const char *of##_name(int i) {                                                                    \
        static const char *const names[] = {__VA_ARGS__};                                                    \
        return i < (int)(sizeof names / sizeof *names) ? names[i] : NULL;                                    \
    }
NAMES(type, "C", "M", "N", "K")
NAMES(exec, "sequential", "shared", "primitive")
NAMES(side, "left", "right", "out")
NAMES(primitive, "gemm", "brgemm", "lanes", "flat", "scalar")
NAMES(packing, "none", "panels", "footprint", "whole")

ATTRIBUTES(dim_parts, sizeof(ty_dim), FIELD(ty_dim, type, NAME, .named = type_name),
           FIELD(ty_dim, size, LONG), FIELD_MANY(ty_dim, stride, "strides", LONG, .many = FIELD_FIXED));
ATTRIBUTES(loop_parts, sizeof(ty_loop), FIELD(ty_loop, dim, INT),
           FIELD(ty_loop, exec, NAME, .named = exec_name), FIELD(ty_loop, step, LONG));
ATTRIBUTES(guard_parts, sizeof(ty_guard), FIELD(ty_guard, side, NAME, .named = side_name),
           FIELD_MANY(ty_guard, dim, "dims", INT, .many = FIELD_FIXED),
           FIELD_MANY(ty_guard, coefficient, "coefficients", LONG, .many = FIELD_FIXED),
           FIELD(ty_guard, low, LONG), FIELD(ty_guard, size, LONG));
struct packing {
    ty_packing kind;
    int loop;
};
_Static_assert(sizeof(struct packing) == sizeof(((ty_contraction *)0)->packing[0]),
               "packing[] of ty_contraction");
ATTRIBUTES(packing_parts, sizeof(struct packing), FIELD(struct packing, kind, NAME, .named = packing_name),
           FIELD(struct packing, loop, INT));

#define COUNTED(member, number, description)                                                                 \
    FIELD_MANY(ty_contraction, member, #member, RECORD, .many = FIELD_COUNTED,                               \
               .counter = offsetof(ty_contraction, number), .parts = &(description))
ATTRIBUTES(
    description, sizeof(ty_contraction), {.name = "tyto_contraction", .type = FIELD_VERSION, .most = 1},
    FIELD_MANY(ty_contraction, dtype, "dtypes", DTYPE, .many = FIELD_FIXED),
    FIELD(ty_contraction, sums, DTYPE),
    FIELD_MANY(ty_contraction, offset, "offsets", LONG, .many = FIELD_FIXED), COUNTED(dims, ndims, dim_parts),
    COUNTED(loops, nloops, loop_parts), COUNTED(guards, nguards, guard_parts),
    FIELD(ty_contraction, primitive, NAME, .named = primitive_name),
    FIELD_MANY(ty_contraction, packing, "packing", RECORD, .many = FIELD_FIXED, .parts = &packing_parts),
    FIELD_MANY(ty_contraction, constant, "constant", FLAG, .many = FIELD_FIXED),
    FIELD(ty_contraction, bypass, FLAG), FIELD(ty_contraction, swapped, FLAG),
    FIELD(ty_contraction, spans, LONG), FIELD(ty_contraction, seconds, REAL, .end = INFINITY));

/* ---- writing ---- */

/* Append the configuration c as JSON to t; false sets the fault, also if c is NULL, invalid or its
   predicted seconds are not finite. */
static bool to_json(const ty_contraction *c, struct text *t, struct fault *fault) {
    if (!c) return fault_set(fault, E_ARGUMENT, "contraction: the configuration is NULL");
    if (c->error[0]) return fault_set(fault, c->code ? c->code : E_ARGUMENT, "%s", c->error);
    if (!contraction_check(c, fault)) return false;
    if (!(c->seconds >= 0 && c->seconds < 1e300))
        return fault_set(fault, E_FORMAT,
                         "contraction: the predicted time is %g seconds; expected a finite time", c->seconds);
    struct infer in = {.attr = c, .attr_bytes = sizeof *c};
    fields_write(&(struct field_writer){.t = t, .style = FIELDS_LINES}, &description, &in);
    text_add(t, "\n");
    return !t->failed || fault_memory(fault, t->length);
}

char *ty_contraction_json(const ty_contraction *c) {
    FLOATING_DEFAULT;
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
    FLOATING_DEFAULT;
    struct text text = {0};
    struct fault fault = {0};
    struct output out;
    bool ok = to_json(c, &text, &fault) && output_to_path(&out, path, &fault);
    if (ok) {
        ok = output_text(&out, &text);
        ok = output_end(&out, ok);
    }
    text_drop(&text);
    if (c && !contraction_is_static(c)) {
        snprintf(c->error, sizeof c->error, "%s", ok ? "" : fault.text);
        c->code = ok ? E_NONE : fault.code;
    }
    return ok;
}

/* ---- reading ---- */

static void refuse(void *context, ty_code code, const char *reason) {
    fault_set(context, code, "contraction: %s", reason);
}

/* Read and check a configuration from n bytes of JSON, and compute its flops and bytes; false sets the fault. *c may
   then be partly filled. */
static bool from_json(ty_contraction *c, const char *json, size_t n, struct fault *fault) {
    if (!json) return fault_set(fault, E_ARGUMENT, "contraction: the JSON text is NULL");
    if (n > LARGEST)
        return fault_set(fault, E_LIMIT, "contraction: the text has %zu bytes; expected at most %d", n,
                         LARGEST);
    struct json *root = json_read("contraction", "the text", json, n, DEPTH, MOST_BYTES, fault);
    struct field_reader r = {.refuse = refuse, .context = fault};
    bool ok =
        root && fields_read(&r, &description, root, &(struct infer){0}, c) && contraction_check(c, fault);
    if (ok) contraction_measure(c);
    mem_free(root);
    return ok;
}

/* Return ok, with c->error and c->code set from the fault or cleared. If ok is false, first clear *c and set ndims to
   -1, so that it is not an empty configuration. */
static bool finish(ty_contraction *c, bool ok, const struct fault *fault) {
    if (!ok) {
        memset(c, 0, sizeof *c);
        c->ndims = -1;
    }
    snprintf(c->error, sizeof c->error, "%s", ok ? "" : fault->text);
    c->code = ok ? E_NONE : fault->code;
    return ok;
}

bool contraction_from_json(ty_contraction *c, const char *json, size_t n) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    if (!c) return false;
    memset(c, 0, sizeof *c);
    bool ok = json || !n ? from_json(c, json ? json : "", n, &fault)
                         : fault_set(&fault, E_ARGUMENT, "contraction: the text of %zu bytes is NULL", n);
    return finish(c, ok, &fault);
}

bool contraction_from_file(ty_contraction *c, const char *path) {
    struct fault fault = {0}, why = {0};
    if (!c) return false;
    memset(c, 0, sizeof *c);
    struct input *in = input_stream(path, 0, &fault);
    if (!in) return finish(c, false, &fault);
    bool ok = in->size <= LARGEST
                  ? input_hold(in, &fault)
                  : fault_set(&fault, E_LIMIT, "%s: has %" PRIu64 " bytes; expected at most %d", path,
                              in->size, LARGEST);
    if (ok && !from_json(c, (const char *)in->bytes, (size_t)in->size, &why))
        ok = fault_set(&fault, why.code, "%s: %.900s", path, why.text);
    input_close(in);
    return finish(c, ok, &fault);
}

ty_contraction *ty_contraction_read(const char *json, size_t n) {
    ty_contraction *c = contraction_empty();
    if (!contraction_is_static(c)) contraction_from_json(c, json, n);
    return c;
}

ty_contraction *ty_contraction_load(const char *path) {
    ty_contraction *c = contraction_empty();
    if (!contraction_is_static(c)) contraction_from_file(c, path);
    return c;
}
