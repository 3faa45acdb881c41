/* Interprets bytes as JSON: the result is a message of one line, or a tree that is written and read again
   to the same text. */
#include <string.h>
#include "base/alloc.h"
#include "io/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH = 64, MOST_BYTES = 1 << 24 };

static struct json *read_tree(const char *text, size_t n, struct fault *fault) {
    struct json *root = json_read("fuzz", "the text", text, n, DEPTH, MOST_BYTES, fault);
    if (!root != fault->set || strchr(fault->text, '\n')) __builtin_trap();
    return root;
}

/* Check that numbers read as integers and as reals agree, and that objects find their keys. */
static void look(const struct json *v) {
    int64_t n;
    double x;
    if (json_integer(v, &n) && (!json_number(v, &x) || x != (double)n)) __builtin_trap();
    for (size_t i = 0; i < json_count(v); i++) {
        const struct json *item = json_at(v, i);
        if (json_is(v, JSON_OBJECT) && json_get(v, item->key) != item) __builtin_trap();
        look(item);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fault fault = {0};
    struct text first = {0}, second = {0};
    struct json *root = read_tree((const char *)data, size, &fault), *again = NULL;
    if (root) {
        look(root);
        mem_free(json_shown(root, 40));
        json_add_value(&first, root);
        again = first.failed ? NULL : read_tree(first.data, first.length, &fault);
        if (!again && !first.failed && !strstr(fault.text, "memory") && !strstr(fault.text, "more bytes"))
            __builtin_trap();
    }
    if (again) {
        json_add_value(&second, again);
        if (!second.failed && strcmp(first.data, second.data) != 0) __builtin_trap();
    }
    mem_free(root);
    mem_free(again);
    text_drop(&first);
    text_drop(&second);
    return 0;
}
