/* Trees of JSON: access and writing. */
#include "io/json.h"
#include <inttypes.h>
#include <string.h>
#include "array/number_format.h"

const struct json *json_get(const struct json *object, const char *key) {
    for (size_t i = 0; json_is(object, JSON_OBJECT) && i < object->count; i++)
        if (!strcmp(object->items[i].key, key)) return &object->items[i];
    return NULL;
}

bool json_integer(const struct json *v, int64_t *n) {
    const uint64_t most = INT64_MAX;
    if (!json_is(v, JSON_WHOLE) || v->size > most + v->negative) return false;
    *n = (int64_t)(v->negative ? 0 - v->size : v->size);
    return true;
}

bool json_number(const struct json *v, double *x) {
    if (json_is(v, JSON_WHOLE))
        *x = v->negative ? -(double)v->size : (double)v->size;
    else if (json_is(v, JSON_REAL))
        *x = v->real;
    else
        return false;
    return true;
}

/* Append the items of v, a list or an object, as JSON between brackets[0] and brackets[1]. */
static void add_items(struct text *t, const struct json *v, const char *brackets) {
    text_add_bytes(t, brackets, 1);
    for (size_t i = 0; i < v->count; i++) {
        if (i) text_add_bytes(t, ",", 1);
        if (v->kind == JSON_OBJECT) {
            json_add_text(t, v->items[i].key, &(struct fault){0});
            text_add_bytes(t, ":", 1);
        }
        json_add_value(t, &v->items[i]);
    }
    text_add_bytes(t, brackets + 1, 1);
}

void json_add_value(struct text *t, const struct json *v) {
    static const char *const words[] = {[JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
    if (v->kind == JSON_LIST || v->kind == JSON_OBJECT)
        add_items(t, v, v->kind == JSON_LIST ? "[]" : "{}");
    else if (v->kind == JSON_TEXT)
        json_add_text(t, v->text, &(struct fault){0}); /* parsed earlier, so it is UTF-8 */
    else if (v->kind == JSON_WHOLE)
        text_add(t, "%s%" PRIu64, v->negative ? "-" : "", v->size);
    else if (v->kind == JSON_REAL)
        number_add_scalar(t, TY_F64, (struct element){.z = (long double)v->real});
    else
        text_add(t, "%s", words[v->kind]);
}

/* Return true if v may be written in at most *most bytes, by its number of items and bytes of text, which
   are subtracted from *most; false if it surely cannot. Saves writing long ones. */
static bool is_short(const struct json *v, size_t *most) {
    size_t least = json_is(v, JSON_TEXT) ? strlen(v->text) : 1 + json_count(v);
    if (least > *most) return false;
    *most -= least;
    for (size_t i = 0; i < json_count(v); i++)
        if (!is_short(&v->items[i], most)) return false;
    return true;
}

char *json_shown(const struct json *v, size_t most) {
    struct text t = {0};
    size_t room = most;
    if (is_short(v, &room)) json_add_value(&t, v);
    if (t.length > most) t.data[t.length = 0] = 0;
    return text_take(&t);
}
