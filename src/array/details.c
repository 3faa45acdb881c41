/* Errors as data for tools.  The operands of a failed call are written as JSON when it fails, since they may be freed
   before somebody asks; nothing is stored for tensors that are fine. */
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/json_text.h"
#include "base/utf8.h"

/* Append a string of JSON.  Bytes that are not UTF-8 become U+FFFD. */
static void add_string(struct text *t, const char *words) {
    uint32_t point;
    text_add_bytes(t, "\"", 1);
    for (size_t left = strlen(words), n; left; words += n, left -= n) {
        n = utf8_read(words, left, &point);
        if (n)
            json_add_character(t, words, n);
        else
            text_add_bytes(t, "\xef\xbf\xbd", 3), n = 1;
    }
    text_add_bytes(t, "\"", 1);
}

/* Append `, "KEY": "words"` unless the words are empty. */
static void add_member(struct text *t, const char *key, const char *words) {
    if (!*words) return;
    text_add(t, ", \"%s\": ", key);
    add_string(t, words);
}

static void add_place(struct text *t, const struct location *place) {
    char words[LOCATION_WORDS];
    add_member(t, "place", location_words(place, words));
}

/* Append operand i, from 0, as an object. */
static void add_operand(struct text *t, int i, const ty_tensor *x) {
    text_add(t, "%s{\"index\": %d, \"dtype\": \"%s\", \"shape\": [", i ? ", " : "", i + 1,
             ty_dtype_name(x->dtype));
    for (int k = 0; k < x->layout.rank; k++)
        text_add(t, "%s%lld", k ? ", " : "", (long long)x->layout.shape[k]);
    text_add_bytes(t, "]", 1);
    add_member(t, "name", ty_name(x));
    add_place(t, &x->location);
    text_add_bytes(t, "}", 1);
}

/* `attr` of a poisoned tensor: members of the JSON object, behind the code. */
static void free_members(void *members) { mem_free(members); }

ty_tensor *tensor_fault_on(const struct fault *f, const char *function, int n, ty_tensor *const *operands) {
    ty_tensor *x = tensor_fault(f);
    struct text t = {0};
    if (x->immortal || x->attr) return x;
    add_member(&t, "function", function);
    if (n > 0) text_add(&t, ", \"operands\": [");
    for (int i = 0; i < n; i++) add_operand(&t, i, tensor_of(operands[i]));
    if (n > 0) text_add_bytes(&t, "]", 1);
    x->attr = text_take(&t);
    if (x->attr) x->attr_release = free_members;
    return x;
}

/* Return the length of the function's name at the beginning of a message such as "sum of f32[3]: ..."; 0 if it does
   not begin with a name. */
static size_t function_length(const char *message) {
    size_t n = strspn(message, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return message[n] == ':' || !strncmp(message + n, " of ", 4) ? n : 0;
}

char *ty_error_details(const ty_tensor *x) {
    x = tensor_of(x);
    if (ty_ok(x)) return mem_copy_text("{\"code\": \"none\"}");
    struct text t = {0};
    text_add(&t, "{\"code\": \"%s\"", ty_code_name(ty_error_code(x)));
    if (x->attr) {
        text_add_bytes(&t, x->attr, strlen(x->attr));
    } else {
        char function[64] = "";
        size_t n = function_length(x->error);
        if (n < sizeof function) memcpy(function, x->error, n);
        add_member(&t, "function", function);
    }
    add_member(&t, "message", x->error);
    add_place(&t, &x->location);
    text_add_bytes(&t, "}", 1);
    return text_take(&t);
}
