/* Image steps from text: "random_crop:pad=4,flip,affine:degrees=10:scale=0.9..1.1". */
#include <math.h>
#include <string.h>
#include "array/tensor.h"
#include "base/machine/floating.h"
#include "base/text.h"
#include "data/steps.h"
#include "ops/core/field_value.h"

enum { ITEM_BYTES = 64 }; /* longest name or number of a text */

static const struct {
    const char *name;
    ty_tensor *(*apply)(const ty_image_step *step, ty_tensor *x, ty_draws *draws);
} rows[] = {{"crop", ty_step_crop},           {"random_crop", ty_step_random_crop},
            {"resize", ty_step_resize},       {"resized_crop", ty_step_resized_crop},
            {"flip", ty_step_flip},           {"flip_rows", ty_step_flip_rows},
            {"affine", ty_step_affine},       {"jitter", ty_step_jitter},
            {"normalise", ty_step_normalise}, {"float", ty_step_float}};
enum { ROWS = sizeof rows / sizeof *rows };

#define NUMBER(member, ...) FIELD(ty_image_step, member, REAL, __VA_ARGS__)
#define PAIR(member, ...) FIELD_MANY(ty_image_step, member, #member, REAL, __VA_ARGS__)
ATTRIBUTES(step_fields, sizeof(ty_image_step),
           FIELD_MANY(ty_image_step, size, "size", LONG, .low = 1, .end = INFINITY),
           FIELD(ty_image_step, pad, LONG, .low = 0, .end = INFINITY),
           NUMBER(chance, .end = 1, .upto = true, .above = true), PAIR(area, .end = 1, .upto = true),
           PAIR(aspect, .end = INFINITY, .above = true), NUMBER(degrees, .end = 360, .upto = true),
           PAIR(shift, .end = 1, .upto = true), PAIR(scale, .end = INFINITY, .above = true),
           NUMBER(brightness, .end = INFINITY), NUMBER(contrast, .end = INFINITY),
           NUMBER(saturation, .end = INFINITY), NUMBER(hue, .end = 0.5, .upto = true),
           PAIR(mean, .low = -INFINITY, .end = INFINITY), PAIR(deviation, .end = INFINITY, .above = true));

/* Copy the text up to one of `ends` to item[ITEM_BYTES] and return the rest; NULL if it is empty or too long. */
static const char *take(const char *text, const char *ends, char *item) {
    size_t n = strcspn(text, ends);
    if (!n || n >= ITEM_BYTES) return NULL;
    memcpy(item, text, n);
    item[n] = 0;
    return text + n;
}

static bool refuse_item(struct fault *fault, const char *what, const char *item, struct nearest *near,
                        const char *expected) {
    return fault_set(fault, E_ARGUMENT, "image_steps_parse: %s \"%.60s\"%s; expected %s", what, item,
                     nearest_hint(near, (char[NEAREST_HINT]){0}), expected);
}

/* Store the numbers of a field, separated by two points, from `words`; one number stands for all. */
static bool put(const struct field *f, const char *words, char *at, struct fault *fault) {
    char item[ITEM_BYTES], expected[FIELD_WORDS];
    struct nearest near = {.wanted = words};
    int most = f->many || f->most > 1 ? f->most : 1, n = 0;
    for (const char *rest = words; rest && n < most; n++) {
        const char *dots = strstr(rest, "..");
        size_t length = dots ? (size_t)(dots - rest) : strlen(rest);
        if (!length || length >= sizeof item) break;
        memcpy(item, rest, length);
        item[length] = 0;
        if (!field_parse(f, item, at + (size_t)n * f->size, &near)) break;
        rest = dots ? dots + 2 : NULL;
        if (rest) continue;
        for (int i = n + 1; i < most && !n; i++) memcpy(at + (size_t)i * f->size, at, f->size);
        return true;
    }
    return fault_set(fault, E_ARGUMENT, "image_steps_parse: %s=%.60s; expected %s%s", f->name, words,
                     field_expected(f, expected), most > 1 ? ", or several with two points between" : "");
}

/* Read ":NAME=NUMBERS..." to a step; return the text behind it, NULL with the fault set. */
static const char *read_options(const char *text, ty_image_step *step, struct fault *fault) {
    char item[ITEM_BYTES], *equals;
    while (*text == ':') {
        const char *rest = take(text + 1, ":,", item);
        struct nearest near = {.wanted = item};
        const struct field *found = NULL;
        equals = rest ? strchr(item, '=') : NULL;
        if (!equals) {
            fault_set(fault, E_ARGUMENT, "image_steps_parse: \"%.60s\"; expected NAME=NUMBER", text);
            return NULL;
        }
        *equals = 0;
        for (int i = 0; i < step_fields.n; i++) {
            const struct field *f = &step_fields.fields[i];
            nearest_offer(&near, f->name);
            if (!strcmp(f->name, item)) found = f;
        }
        if (!found) return refuse_item(fault, "unknown option", item, &near, "one of ty_image_step"), NULL;
        if (!put(found, equals + 1, (char *)step + found->offset, fault)) return NULL;
        text = rest;
    }
    return text;
}

/* Read one step; return the text behind it, NULL with the fault set. */
static const char *read_step(const char *text, ty_image_step *step, struct fault *fault) {
    char item[ITEM_BYTES];
    const char *rest = take(text, ":,", item);
    struct nearest near = {.wanted = rest ? item : text};
    struct text names = {0};
    *step = (ty_image_step){0};
    for (int i = 0; i < ROWS; i++) {
        nearest_offer(&near, rows[i].name);
        if (rest && !strcmp(rows[i].name, item)) step->apply = rows[i].apply;
        text_add(&names, "%s%s", i ? ", " : "", rows[i].name);
    }
    if (!step->apply)
        refuse_item(fault, "step", rest ? item : text, &near, names.failed ? "a step" : names.data);
    text_drop(&names);
    return step->apply ? read_options(rest, step, fault) : NULL;
}

int ty_image_steps_parse(const char *text, int capacity, ty_image_step *parsed, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    int n = 0;
    if (!text || capacity < 0 || (capacity && !parsed))
        fault_set(&fault, E_ARGUMENT, "image_steps_parse: %s",
                  text ? "no room for steps" : "the text is NULL");
    while (!fault.set && *text) {
        if (n == capacity)
            fault_set(&fault, E_LIMIT, "image_steps_parse: more than %d steps", capacity);
        else
            text = read_step(text, &parsed[n++], &fault);
        if (!fault.set && *text == ',' && !*++text)
            fault_set(&fault, E_ARGUMENT, "image_steps_parse: a step is missing behind the last comma");
    }
    if (error) *error = tensor_failure(&fault);
    return fault.set ? -1 : n;
}
