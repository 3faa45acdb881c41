/*
 * Files of GPT-2: names of transformers' GPT2Model and GPT2LMHeadModel, and the sizes that shapes tell.  Their linear
 * layers (Conv1D) have the shape (inputs, outputs), as ours.  Masks of attention and the output weights, which equal the
 * embedding, are in some files and carry nothing.
 */
#include "zoo/gpt_weights.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/arena.h"
#include "base/files/file.h"
#include "base/files/folders.h"
#include "io/input.h"
#include "io/json.h"
#include "nn/model/model.h"

/* Parts of a block: our names and theirs. */
static const ty_renaming parts[] = {{"norm1.", "ln_1."},
                                    {"self_attn.in_proj_weight", "attn.c_attn.weight"},
                                    {"self_attn.in_proj_bias", "attn.c_attn.bias"},
                                    {"self_attn.out_proj.", "attn.c_proj."},
                                    {"norm2.", "ln_2."},
                                    {"linear1.", "mlp.c_fc."},
                                    {"linear2.", "mlp.c_proj."}};
enum { PARTS = sizeof parts / sizeof *parts };

/* Names that carry nothing: in a block, and behind no prefix. */
static const char *const masks[] = {"attn.bias", "attn.masked_bias"};
static const char output[] = "lm_head.weight", sign[] = "h.0.attn.c_attn.weight";

/* ---- names ---- */

enum { LONGEST_PREFIX = 256 }; /* bytes; each tensor gets a copy */

/* The beginning of all names in a file, such as "transformer.": n bytes, which the archive owns. */
struct prefix {
    const char *text; /* NULL: no name is known */
    int n;
};

static struct prefix prefix_of(const ty_archive *archive) {
    for (int i = 0; i < ty_archive_count(archive); i++) {
        const char *name = ty_archive_name(archive, i);
        size_t n = strlen(name), m = sizeof sign - 1;
        if (n >= m && n - m <= LONGEST_PREFIX && !strcmp(name + n - m, sign) &&
            (n == m || name[n - m - 1] == '.'))
            return (struct prefix){name, (int)(n - m)};
    }
    return (struct prefix){0};
}

bool gpt_weights_are(const ty_archive *archive) { return prefix_of(archive).text; }

/* Return a name without the prefix; NULL if it has another beginning. */
static const char *behind(const struct prefix *p, const char *name) {
    return strncmp(name, p->text, (size_t)p->n) != 0 ? NULL : name + p->n;
}

/* Return the part behind "h.12." of a name without prefix, and set *block; NULL if it is of no block. */
static const char *part_of(const char *name, int64_t *block) {
    if (strncmp(name, "h.", 2) != 0 || !isdigit((unsigned char)name[2])) return NULL;
    char *end;
    *block = strtoll(name + 2, &end, 10);
    return *end == '.' ? end + 1 : NULL;
}

static bool is_ending(const char *text) { return !strcmp(text, "weight") || !strcmp(text, "bias"); }

/* True if a tensor of this name, without prefix, is read or carries nothing; *block becomes that of its block. */
static bool is_known(const char *name, int64_t *block) {
    static const char *const whole[] = {"wte.weight", "wpe.weight", "ln_f.weight", "ln_f.bias"};
    const char *part = part_of(name, block);
    if (!part) *block = -1;
    for (size_t i = 0; !part && i < sizeof whole / sizeof *whole; i++)
        if (!strcmp(name, whole[i])) return true;
    for (size_t i = 0; part && i < sizeof masks / sizeof *masks; i++)
        if (!strcmp(part, masks[i])) return true;
    for (int i = 0; part && i < PARTS; i++) {
        size_t n = strlen(parts[i].file);
        if (!strncmp(part, parts[i].file, n) && (part[n] ? is_ending(part + n) : part[n - 1] != '.'))
            return true;
    }
    return false;
}

/* Set *blocks to the number of blocks; false sets the fault if a name is unknown. */
static bool read_names(const char *path, const ty_archive *archive, int64_t *blocks, struct fault *fault) {
    const struct prefix p = prefix_of(archive);
    *blocks = 0;
    for (int i = 0; i < ty_archive_count(archive); i++) {
        const char *name = ty_archive_name(archive, i), *own = behind(&p, name);
        int64_t block = -1;
        if (!strcmp(name, output)) continue;
        if (!own || !is_known(own, &block))
            return fault_set(
                fault, E_FORMAT,
                "%s: %.100s is no tensor of GPT-2; remove it, or convert the model: expected wte, wpe, "
                "ln_f, and h.N with ln_1, attn, ln_2 and mlp",
                path, name);
        if (block >= MOST_BLOCKS)
            return fault_set(fault, E_LIMIT,
                             "%s: %.100s is a tensor of block %lld; expected at most %d blocks", path, name,
                             (long long)block, MOST_BLOCKS);
        if (block >= *blocks) *blocks = block + 1;
    }
    return true;
}

/* ---- sizes ---- */

/* Set sizes[2] to the shape of the matrix `name`, behind the prefix; false sets the fault. */
static bool read_matrix(const char *path, const ty_archive *archive, const char *name, int64_t *sizes,
                        struct fault *fault) {
    const struct prefix p = prefix_of(archive);
    const int64_t *shape;
    ty_dtype dtype;
    int rank = 0;
    for (int i = 0; i < ty_archive_count(archive); i++) {
        const char *own = behind(&p, ty_archive_name(archive, i));
        if (!own || strcmp(own, name) != 0 || !ty_archive_form(archive, i, &dtype, &rank, &shape)) continue;
        if (rank != 2)
            return fault_set(fault, E_SHAPE, "%s: %s has %d axes; expected 2", path,
                             ty_archive_name(archive, i), rank);
        memcpy(sizes, shape, 2 * sizeof *sizes);
        return true;
    }
    return fault_set(fault, E_FORMAT, "%s: %.*s%s is missing in the file", path, p.n, p.text, name);
}

/* Return true if a value of config.json is absent or one of the n texts. */
static bool is_one_of(const struct json *v, const char *const *texts) {
    const char *text = json_text(v);
    for (int i = 0; text && texts[i]; i++)
        if (!strcmp(text, texts[i])) return true;
    return !v;
}

/* Read heads from config.json; false sets the fault if it describes a network that would compute otherwise. */
static bool read_config(const char *path, const struct json *root, ty_network_options *o,
                        struct fault *fault) {
    static const char *const curves[] = {"gelu_new", "gelu_pytorch_tanh", NULL}, *const kinds[] = {"gpt2",
                                                                                                   NULL};
    const struct json *epsilon = json_get(root, "layer_norm_epsilon");
    double number = 1e-5;
    json_number(epsilon, &number);
    json_integer(json_get(root, "n_head"), &o->heads);
    const char *odd = NULL;
    if (!is_one_of(json_get(root, "model_type"), kinds)) odd = "model_type";
    if (!is_one_of(json_get(root, "activation_function"), curves)) odd = "activation_function";
    if (number != 1e-5) odd = "layer_norm_epsilon";
    if (json_is(json_get(root, "scale_attn_weights"), JSON_FALSE)) odd = "scale_attn_weights";
    if (json_is(json_get(root, "scale_attn_by_inverse_layer_idx"), JSON_TRUE))
        odd = "scale_attn_by_inverse_layer_idx";
    if (json_is(json_get(root, "tie_word_embeddings"), JSON_FALSE)) odd = "tie_word_embeddings";
    if (!odd) return true;
    char *shown = json_shown(json_get(root, odd), 100);
    fault_set(fault, E_UNSUPPORTED, "%s: %s is %s, which the network gpt2 does not have", path, odd,
              shown ? shown : "?");
    mem_free(shown);
    return false;
}

/* Read config.json in the folder of `path`, if there is one; false sets the fault. */
static bool find_config(const char *path, ty_network_options *o, struct fault *fault) {
    enum { MOST_BYTES = 1 << 20, DEPTH = 16 }; /* of a file of some 700 bytes */
    struct text config = {0};
    struct fault none = {0};
    text_add(&config, "%.*sconfig.json", (int)(folders_name(path) - path), path);
    size_t n = 0;
    char *text = config.failed ? NULL : input_text(config.data, MOST_BYTES, &n, &none);
    struct json *root =
        text ? json_read(config.data, "the configuration", text, n, DEPTH, 64 * MOST_BYTES, fault) : NULL;
    bool well = root ? read_config(config.data, root, o, fault) : !text;
    if (config.failed || none.code == E_MEMORY)
        well = fault_memory(fault, strlen(path));
    else if (!text && file_exists(config.data))
        well = fault_copy(fault, &none);
    mem_free(root);
    mem_free(text);
    text_drop(&config);
    return well;
}

bool gpt_weights_sizes(const char *path, const ty_archive *archive, ty_network_options *o,
                       struct fault *fault) {
    enum { HEAD = 64 }; /* units of a head in all sizes of GPT-2 that were published */
    int64_t words[2], places[2];
    *o = (ty_network_options){.network = &ty_network_gpt2};
    if (!read_names(path, archive, &o->blocks, fault) ||
        !read_matrix(path, archive, "wte.weight", words, fault) ||
        !read_matrix(path, archive, "wpe.weight", places, fault) || !find_config(path, o, fault))
        return false;
    o->classes = words[0], o->units = words[1], o->places = places[0];
    if (!o->heads && o->units % HEAD)
        return fault_set(fault, E_ARGUMENT,
                         "%s: the number of heads of %lld units is unknown; put config.json next to the file",
                         path, (long long)o->units);
    if (!o->heads) o->heads = o->units / HEAD;
    if (o->heads < 1 || o->units % o->heads || !o->classes || !o->places)
        return fault_set(
            fault, E_SHAPE, "%s: %lld units, %lld heads, %lld tokens and %lld places make no network", path,
            (long long)o->units, (long long)o->heads, (long long)o->classes, (long long)o->places);
    return true;
}

/* ---- loading ---- */

/* Fill rename[] for a model of so many blocks; `texts` receives the texts. Return false without memory. */
static bool rename_all(const ty_archive *archive, int64_t blocks, ty_renaming *rename, struct arena *texts) {
    enum { LONGEST = 64 }; /* bytes of our names, and of theirs behind the prefix */
    const struct prefix p = prefix_of(archive);
    size_t room = (size_t)p.n + LONGEST;
    char *ours, *theirs = arena_alloc(texts, room);
    if (!theirs) return false;
    text_print(theirs, room, "%.*s", p.n, p.text);
    rename[blocks * PARTS] = (ty_renaming){"", theirs}; /* all names of no block */
    for (int64_t i = 0; i < blocks; i++)
        for (int k = 0; k < PARTS; k++) {
            ours = arena_alloc(texts, LONGEST), theirs = arena_alloc(texts, room);
            if (!ours || !theirs) return false;
            text_print(ours, LONGEST, "h.%lld.%s", (long long)i, parts[k].model);
            text_print(theirs, room, "%.*sh.%lld.%s", p.n, p.text, (long long)i, parts[k].file);
            *rename++ = (ty_renaming){ours, theirs};
        }
    return true;
}

/* Check that the output weights, if a file has them, equal the embedding; false sets the fault. */
static bool is_tied(const char *path, const ty_archive *archive, struct fault *fault) {
    const struct prefix p = prefix_of(archive);
    ty_tensor *words = NULL, *weights = NULL;
    ty_scope *scope = ty_open();
    for (int i = 0; i < ty_archive_count(archive); i++) {
        const char *name = ty_archive_name(archive, i), *own = behind(&p, name);
        if (own && !strcmp(own, "wte.weight")) words = ty_archive_at(archive, i);
        if (!strcmp(name, output)) weights = ty_archive_at(archive, i);
    }
    ty_tensor *same = weights ? ty_array_equal(weights, words, false) : NULL;
    bool well = !weights || (ty_ok(same) && ty_item(same) == 1);
    if (!well)
        fault_set(fault, ty_ok(same) ? E_UNSUPPORTED : ty_error_code(same), "%s: %s%s", path, output,
                  ty_ok(same) ? " differs from wte.weight; the network gpt2 has one matrix for both"
                              : " cannot be read");
    ty_close(scope);
    return well;
}

bool gpt_weights_load(ty_model *m, const char *path, const ty_archive *archive, struct fault *fault) {
    struct arena texts = {0};
    ty_tensor *error = NULL;
    int64_t blocks;
    if (!is_tied(path, archive, fault) || !read_names(path, archive, &blocks, fault)) return false;
    char last[64]; /* the model's; it does not have more, or they are missing in the file */
    text_print(last, sizeof last, "h.%lld.norm1.weight", (long long)blocks - 1);
    if (!ty_ok(ty_model_find(m, last)))
        return fault_set(fault, E_SHAPE, "%s: the file has %lld blocks, more than the model", path,
                         (long long)blocks);
    size_t n = (size_t)blocks * PARTS + 1;
    ty_renaming *rename = arena_array(&texts, n, sizeof *rename);
    ty_weights_options how = {.rename = rename, .nrename = (int)n, .skip_extra = true, .cast = true};
    ty_scope *scope = ty_open();
    if (!rename || !rename_all(archive, blocks, rename, &texts))
        fault_memory(fault, n * sizeof *rename);
    else if (!ty_model_load(m, path, how, &error))
        fault_set(fault, error ? ty_error_code(error) : E_INTERNAL, "%s", error ? ty_error(error) : path);
    ty_close(scope);
    arena_drop(&texts);
    return !fault->set;
}
