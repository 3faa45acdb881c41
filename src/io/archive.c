/*
 * Archives: an input, the recognised format, and the index that its reader made. Elements are read on request,
 * straight into the tensor.
 */
#include "io/archive.h"
#include "array/progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "array/tensor.h"
#include "base/options.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/nearest.h"
#include "io/foreign.h"
#include "io/formats/safetensors.h"

static struct ty_archive no_memory = {
    .fault = {true, E_MEMORY, "out of memory: an archive could not be opened"}};
/* Replaces NULL handles of archives. */
static const struct ty_archive null_archive = {.fault = {true, E_ARGUMENT, "archive: the archive is NULL"}};
static const ty_archive *archive_of(const ty_archive *a) { return a ? a : &null_archive; }

/* Return the most bytes that unpacking `in` may produce: options->most_bytes, or if that is 0 sixteen times
   the size of the packed file plus 64 MiB. Measurements deflate to a half or a tenth, text at times to a
   twentieth; a factor of a thousand is an attack or empty data. */
uint64_t unpack_limit(const struct input *in, const ty_file_options *options) {
    enum { TIMES = 16, FREE = 64 << 20 };
    uint64_t most, file = in->parent ? in->parent->size : in->size;
    if (options->most_bytes) return options->most_bytes;
    if (__builtin_mul_overflow(file, (uint64_t)TIMES, &most)) return UINT64_MAX;
    return most > UINT64_MAX - FREE ? UINT64_MAX : most + FREE;
}

bool unpack_refuse(const struct input *in, const ty_file_options *options, uint64_t bytes,
                   struct fault *fault) {
    return fault_set(fault, E_LIMIT,
                     "%s: would unpack to %" PRIu64 " bytes, more than the allowed %" PRIu64
                     ": if the file is trusted, allow more (.most_bytes; --most-bytes of tyto)",
                     in->name, bytes, unpack_limit(in, options));
}

static bool too_large(struct ty_archive *a) { return fault_memory(&a->fault, sizeof *a->index.entries); }

struct archive_entry *archive_single(struct ty_archive *a) {
    a->index.entries = arena_array(&a->arena, 1, sizeof *a->index.entries);
    if (!a->index.entries) {
        too_large(a);
        return NULL;
    }
    a->index.count = 1;
    a->index.entries->name = "";
    return a->index.entries;
}

bool entry_shape(struct archive_entry *e, struct arena *arena, int rank, const int64_t *shape,
                 struct fault *fault) {
    e->rank = rank;
    e->shape = arena_array(arena, (size_t)rank + 1, sizeof *shape);
    if (!e->shape) return fault_memory(fault, sizeof *shape * (size_t)rank);
    if (rank) memcpy(e->shape, shape, sizeof *shape * (size_t)rank);
    return true;
}

const char *archive_text(struct ty_archive *a, const char *text, size_t n) {
    char *copy = arena_alloc(&a->arena, n + 1);
    if (copy && n) memcpy(copy, text, n);
    if (!copy) too_large(a);
    return copy;
}

ty_tensor *archive_get_plain(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    ty_tensor *x = elements_read(a->input, e, a->options.map, fault);
    bool last = !a->format->several && !e->open_end;
    return x && last && !a->input->exact && !input_end(a->input, e->end, fault) ? NULL : x;
}

/* ---- opening ---- */

/* Return true if the first n bytes of a file may be those of a text. */
static bool is_text(const uint8_t *head, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (head[i] < '\t' || (head[i] > '\r' && head[i] < ' ')) return false;
    return true;
}

/* Set the fault that the format of an input, of which `got` bytes were read, is unknown; always return false. */
static bool refuse_unknown(const struct input *in, size_t got, struct fault *fault) {
    struct text names = {0};
    format_names(&names);
    fault_set(fault, E_FORMAT,
              "%s: unknown format: %s; expected one of %s, or give the format (.format of ty_file_options; "
              "tyto --from)",
              in->name,
              got ? "neither the first bytes nor the ending of the name identify it" : "the file is empty",
              names.failed ? "the formats" : names.data);
    text_drop(&names);
    return false;
}

/* Set a->format: the one named by the options, else by the first bytes, else by the extension, else csv if it is text from
   a pipe, which has no name. Return false, with a's fault set, if none fits or reading fails. */
static bool recognise(struct ty_archive *a) {
    uint8_t head[FORMAT_HEAD];
    size_t got;
    bool gzip;
    if (a->options.format) {
        a->format = format_named(a->options.format, &a->fault);
        return a->format;
    }
    if (!input_read(a->input, 0, head, sizeof head, &got, &a->fault)) return false;
    if (!foreign_check(a->input, false, &a->fault)) return false;
    a->format = format_of_bytes(head, got);
    if (!a->format) a->format = format_of_path(a->input->name, &gzip);
    if (!a->format && a->streamed && is_text(head, got)) a->format = format_named("csv", &a->fault);
    return a->format ||
           (foreign_check(a->input, true, &a->fault) && refuse_unknown(a->input, got, &a->fault));
}

/* Open the file at `path` and return the new input; the archive keeps a copy of the path. NULL, with a's
   fault set, on failure, also if path is NULL. */
static struct input *input_of_path(struct ty_archive *a, const char *path, const ty_file_options *options) {
    const char *name = path ? archive_text(a, path, strlen(path)) : NULL;
    if (path && !name) return NULL;
    return input_stream(name, options->most_bytes, &a->fault);
}

/* Open the archive a over `input`, through gzip if it is compressed; a owns the input from now on. If input
   is NULL, a's fault is already set. Always return a; failures set its fault. */
static ty_archive *open_input(struct ty_archive *a, struct input *input, ty_file_options options) {
    FLOATING_DEFAULT;
    a->options = options;
    a->streamed = input && input->streamed;
    a->input = input_unwrap(input, &a->fault);
    if (!a->input) return a;
    if (a->checked && !input_hold(a->input, &a->fault)) return a;
    if (recognise(a)) a->format->open(a);
    return a;
}

ty_archive *ty_archive_open_sized(const char *path, const ty_file_options *given, size_t given_size) {
    ty_file_options options;
    PROGRESS_NAMED("read");
    ty_archive *a = mem_alloc(sizeof *a);
    if (!a) return &no_memory;
    bool known = OPTIONS_READ(options, given, given_size, &a->fault);
    return open_input(a, known ? input_of_path(a, path, &options) : NULL, options);
}

ty_archive *ty_archive_parse_sized(const void *bytes, size_t n, const ty_file_options *given,
                                   size_t given_size) {
    ty_file_options options;
    PROGRESS_NAMED("read");
    char words[64];
    ty_archive *a = mem_alloc(sizeof *a);
    if (!a) return &no_memory;
    bool known = OPTIONS_READ(options, given, given_size, &a->fault);
    snprintf(words, sizeof words, "%.40s%sdata", options.format ? options.format : "",
             options.format ? " " : "");
    const char *name = archive_text(a, words, strlen(words));
    return open_input(a, name && known ? input_memory(name, bytes, n, &a->fault) : NULL, options);
}

ty_archive *ty_archive_read_sized(const char *name, ty_source source, const ty_file_options *given,
                                  size_t given_size) {
    ty_file_options options;
    PROGRESS_NAMED("read");
    ty_archive *a = mem_alloc(sizeof *a);
    if (!a) return &no_memory;
    bool known = OPTIONS_READ(options, given, given_size, &a->fault);
    return open_input(a, known ? input_source(name ? name : "source", source, &a->fault) : NULL, options);
}

ty_archive *ty_checkpoint_load(const char *path) {
    PROGRESS_NAMED("read");
    ty_archive *a = mem_alloc(sizeof *a);
    if (!a) return &no_memory;
    a->checked = true;
    ty_file_options options = {.format = "safetensors"};
    return open_input(a, input_of_path(a, path, &options), options);
}

bool archive_unchanged(const ty_archive *archive, struct fault *fault) {
    struct ty_archive *a = (struct ty_archive *)(uintptr_t)archive;
    return !*a->sum || safetensors_unchanged(a, fault);
}

void ty_archive_free(ty_archive *a) {
    if (!a || a == &no_memory) return;
    if (a->held) ty_release(a->held);
    input_close(a->input);
    arena_drop(&a->arena);
    mem_free(a);
}

/* ---- contents ---- */

const char *ty_archive_error(const ty_archive *a) {
    return archive_of(a)->fault.set ? archive_of(a)->fault.text : "";
}
ty_tensor *ty_archive_failure(const ty_archive *a) { return tensor_failure(&archive_of(a)->fault); }
const char *ty_archive_format(const ty_archive *a) {
    return archive_of(a)->fault.set ? "" : archive_of(a)->format->name;
}
int ty_archive_count(const ty_archive *a) {
    return archive_of(a)->fault.set ? 0 : archive_of(a)->index.count;
}

static const struct archive_entry *entry(const ty_archive *a, int i) {
    return i >= 0 && i < ty_archive_count(a) ? &a->index.entries[i] : NULL;
}

const char *ty_archive_name(const ty_archive *a, int i) { return entry(a, i) ? entry(a, i)->name : NULL; }

bool ty_archive_form(const ty_archive *a, int i, ty_dtype *dtype, int *rank, const int64_t **shape) {
    const struct archive_entry *e = entry(a, i);
    if (!e || e->unread || !dtype || !rank || !shape) return false;
    *dtype = e->dtype;
    *rank = e->rank;
    *shape = e->shape;
    return true;
}

bool ty_archive_pair(const ty_archive *a, int i, const char **key, const char **value) {
    if (archive_of(a)->fault.set || i < 0 || i >= a->index.npairs || !key || !value) return false;
    *key = a->index.pairs[i].key;
    *value = a->index.pairs[i].value;
    return true;
}

const char *ty_archive_meta(const ty_archive *a, const char *key) {
    const char *name, *value;
    for (int i = 0; key && ty_archive_pair(a, i, &name, &value); i++)
        if (strcmp(name, key) == 0) return value;
    return NULL;
}

/* Read tensor i, counted from 0, into a tensor owned by the current scope; poison on an error. Casts const
   away, as the format's reader may move the position of the input. */
ty_tensor *ty_archive_at(const ty_archive *a, int i) {
    PROGRESS_NAMED("read");
    struct fault fault = {0};
    const struct archive_entry *e = entry(a, i);
    a = archive_of(a);
    if (a->fault.set) return tensor_fault(&a->fault);
    if (!e)
        return ty_poison_code(E_INDEX, "archive: index %d is out of bounds for %d tensors", i,
                              a->index.count);
    ty_scope *scope = ty_open();
    ty_tensor *x = a->format->get((struct ty_archive *)(uintptr_t)a, e, &fault);
    x = ty_keep(x && !fault.set ? x : tensor_fault(&fault));
    ty_close(scope);
    return x;
}

/* Return poison that says that the archive has no tensor `name`, and lists the first names for users who
   misspelt one. */
static ty_tensor *poison_missing(const struct ty_archive *a, const char *name) {
    struct nearest near = {.wanted = name};
    for (int i = 0; i < a->index.count; i++) nearest_offer(&near, a->index.entries[i].name);
    bool unnamed = a->index.count == 1 && !*a->index.entries[0].name;
    return ty_poison_code(E_ARGUMENT, "%.200s: unknown tensor \"%.200s\"%s",
                          a->input ? a->input->name : "archive", name,
                          unnamed ? "; its one tensor has no name: select none"
                                  : nearest_known(&near, (char[NEAREST_KNOWN]){0}));
}

ty_tensor *ty_archive_get(const ty_archive *a, const char *name) {
    PROGRESS_NAMED("read");
    a = archive_of(a);
    if (a->fault.set) return tensor_fault(&a->fault);
    if (!name) return ty_poison_code(E_ARGUMENT, "archive: the name of a tensor is NULL");
    for (int i = 0; i < a->index.count; i++)
        if (strcmp(a->index.entries[i].name, name) == 0) return ty_archive_at(a, i);
    return poison_missing(a, name);
}
