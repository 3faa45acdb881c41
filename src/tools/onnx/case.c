/* Reading and comparing the values of cases. */
#include "tools/onnx/case.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/alloc.h"
#include "io/json.h"
#include "tools/options/inputs.h"

enum {
    MOST_PATH = 4096,
    MOST_BYTES = 1 << 28
}; /* bytes of one file: the largest of the suites has some megabytes */

/* Read a file to the arena.  1; 0 if it does not exist; -1 with the fault set. */
static int read_file(const char *path, struct arena *arena, struct wire_bytes *out, struct fault *fault) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file && errno == ENOENT) return 0;
    if (!file || fstat(fileno(file), &about) || !S_ISREG(about.st_mode) || about.st_size > MOST_BYTES) {
        fault_set(fault, E_FILE, "%s: not a file that can be read, of at most %d bytes", path, MOST_BYTES);
        if (file) fclose(file);
        return -1;
    }
    size_t n = (size_t)about.st_size;
    uint8_t *bytes = arena_data(arena, n + 1);
    bool well = bytes ? fread(bytes, 1, n, file) == n || fault_set(fault, E_FILE, "%s: cannot be read", path)
                      : fault_memory(fault, n);
    fclose(file);
    *out = (struct wire_bytes){bytes, n};
    return well ? 1 : -1;
}

/* ---- folders ---- */

bool case_tolerance(const char *folder, struct tolerance *out, struct fault *fault) {
    enum { DEPTH = 4, MOST_TREE = 1 << 20 };
    char path[MOST_PATH];
    struct arena arena = {0};
    struct wire_bytes text;
    *out = CASE_TOLERANCE;
    snprintf(path, sizeof path, "%s/data.json", folder);
    int found = read_file(path, &arena, &text, fault);
    if (found > 0) {
        struct json *root = json_read(path, "file", (const char *)text.at, text.n, DEPTH, MOST_TREE, fault);
        json_number(json_get(root, "rtol"), &out->relative);
        json_number(json_get(root, "atol"), &out->absolute);
        if (!root) found = -1;
        mem_free(root);
    }
    arena_drop(&arena);
    return found >= 0;
}

int case_sets(const char *folder) {
    char path[MOST_PATH];
    int n = 0;
    while (snprintf(path, sizeof path, "%s/test_data_set_%d", folder, n) < MOST_PATH &&
           inputs_is_folder(path))
        n++;
    return n;
}

int case_file(const char *path, enum onnx_kind kind, struct arena *arena, struct onnx_value *out,
              struct fault *fault) {
    struct wire_bytes bytes;
    int found = read_file(path, arena, &bytes, fault);
    if (found <= 0) return found;
    return onnx_read_value(path, kind, bytes, arena, out, fault) ? 1 : -1;
}

int case_value(const char *folder, int set, const char *stem, int i, enum onnx_kind kind, struct arena *arena,
               struct onnx_value *out, struct fault *fault) {
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/test_data_set_%d/%s_%d.pb", folder, set, stem, i);
    return case_file(path, kind, arena, out, fault);
}

/* ---- agreement ---- */

/* Append a string in quotes, cut to 40 bytes. */
static void add_string(struct text *t, struct wire_bytes s) {
    enum { SHOWN = 40 };
    char words[SHOWN + 1] = "";
    size_t n = s.n < SHOWN ? s.n : SHOWN;
    if (n) memcpy(words, s.at, n);
    text_add(t, "\"");
    text_add_visible(t, words);
    text_add(t, "\"");
}

static bool same_strings(const struct onnx_strings *a, const struct onnx_strings *b, struct text *words) {
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++) same = a->shape[i] == b->shape[i];
    if (!same) {
        text_add(words, "expected %" PRId64 " strings of rank %d, found %" PRId64 " of rank %d", b->n,
                 b->rank, a->n, a->rank);
        return false;
    }
    for (int64_t k = 0; k < a->n; k++) {
        struct wire_bytes x = a->items[k], y = b->items[k];
        if (x.n == y.n && (!x.n || !memcmp(x.at, y.at, x.n))) continue;
        text_add(words, "string %" PRId64 ": expected ", k);
        add_string(words, y);
        text_add(words, ", found ");
        add_string(words, x);
        return false;
    }
    return true;
}

bool case_agrees(const struct onnx_value *found, const struct onnx_value *expected, struct tolerance t,
                 bool draws, struct text *words) {
    if (found->kind != expected->kind) {
        text_add(words, "expected %s, found %s", onnx_kind_words(expected->kind),
                 onnx_kind_words(found->kind));
        return false;
    }
    if (found->kind == ONNX_STRINGS) return same_strings(found->strings, expected->strings, words);
    if (found->kind == ONNX_TENSOR)
        return draws ? agree_draws(found->tensor, expected->tensor, words)
                     : agree_tensors(found->tensor, expected->tensor, t, words);
    if (found->kind == ONNX_ABSENT) return true;
    const struct onnx_list *a = found->list, *b = expected->list;
    if (a->n != b->n) {
        text_add(words, "expected %s of %" PRId64 ", found %" PRId64, onnx_kind_words(expected->kind), b->n,
                 a->n);
        return false;
    }
    for (int64_t i = 0; i < a->n; i++) {
        struct text inner = {0};
        bool same = case_agrees(&a->items[i], &b->items[i], t, draws, &inner);
        char *said = text_take(&inner);
        if (!same) text_add(words, "item %" PRId64 ": %s", i, said ? said : "");
        mem_free(said);
        if (!same) return false;
    }
    return true;
}
