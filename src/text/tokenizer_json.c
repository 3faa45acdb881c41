/* Tokenizers as JSON, in the format of Hugging Face's tokenizer.json. */
#include <string.h>
#include <tyto/io.h>
#include "base/machine/floating.h"
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/files/file.h"
#include "base/utf8.h"
#include "io/input.h"
#include "io/json.h"
#include "text/tokenizer.h"

enum { DEPTH = 32, MOST_BYTES = 1 << 30 }; /* limits for the tree of a file */

/* ---- characters of bytes ---- */

static bool shows_itself(unsigned byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD && byte <= 0xFF);
}

uint32_t byte_point(unsigned char byte) {
    uint32_t above = 0x100;
    if (shows_itself(byte)) return byte;
    for (unsigned b = 0; b < byte; b++) above += !shows_itself(b);
    return above;
}

int point_byte(uint32_t point) {
    uint32_t above = 0x100;
    if (point < 0x100) return shows_itself(point) ? (int)point : -1;
    for (unsigned b = 0; b < 0x100; b++)
        if (!shows_itself(b) && above++ == point) return (int)b;
    return -1;
}

/* Append the bytes that a text stands for; false if it has other characters. */
static bool add_bytes(struct text *out, const char *text) {
    uint32_t point;
    for (size_t left = strlen(text), n; left; text += n, left -= n) {
        n = utf8_read(text, left, &point);
        int byte = n ? point_byte(point) : -1;
        if (byte < 0) return false;
        text_add_bytes(out, (char[]){(char)byte}, 1);
    }
    return true;
}

/* ---- refusals ---- */

/* Refuse the field, unless it is missing, null or `harmless`. */
static bool absent(ty_tokenizer *t, const struct json *object, const char *name, enum json_kind harmless) {
    const struct json *v = json_get(object, name);
    if (!v || v->kind == JSON_NULL || v->kind == harmless || (v->kind == JSON_TEXT && !*v->text)) return true;
    const char *kind = json_text(json_get(v, "type"));
    return fault_set(&t->fault, E_UNSUPPORTED, "tokenizer: %s%s%.60s is not supported", name, kind ? " " : "",
                     kind ? kind : "");
}

static bool is_of(const struct json *v, const char *type) {
    const char *own = json_text(json_get(v, "type"));
    return own && !strcmp(own, type);
}

static bool refuse_type(ty_tokenizer *t, const char *what, const struct json *v, const char *expected) {
    const char *type = json_text(json_get(v, "type"));
    return fault_set(&t->fault, E_UNSUPPORTED, "tokenizer: the %s %.60s is not supported; expected %s", what,
                     type ? type : "without a type", expected);
}

/* ---- words ---- */

static bool read_byte_level(ty_tokenizer *t, const struct json *v) {
    const struct json *blank = json_get(v, "add_prefix_space"), *own = json_get(v, "use_regex");
    if (!is_of(v, "ByteLevel")) return refuse_type(t, "pre-tokenizer", v, "ByteLevel");
    t->blank = !json_is(blank, JSON_FALSE);
    if (!json_is(own, JSON_FALSE)) t->pattern = &patterns[0];
    return true;
}

/* Read a Split that isolates the words of a known pattern. */
static bool read_split(ty_tokenizer *t, const struct json *v) {
    const char *pattern = json_text(json_get(json_get(v, "pattern"), "Regex")),
               *behaviour = json_text(json_get(v, "behavior"));
    if (!is_of(v, "Split")) return refuse_type(t, "pre-tokenizer", v, "Split and ByteLevel");
    if (!behaviour || strcmp(behaviour, "Isolated") != 0 || json_is(json_get(v, "invert"), JSON_TRUE))
        return fault_set(&t->fault, E_UNSUPPORTED,
                         "tokenizer: a Split is not supported unless it is Isolated");
    for (int i = 0; pattern && patterns[i].expression; i++)
        if (!strcmp(pattern, patterns[i].expression)) t->pattern = &patterns[i];
    return t->pattern ||
           fault_set(&t->fault, E_UNSUPPORTED,
                     "tokenizer: a Split by the pattern %.200s is not supported; expected those of "
                     "GPT-2, GPT-4 or Qwen 2",
                     pattern ? pattern : "of another kind");
}

static bool read_words(ty_tokenizer *t, const struct json *v) {
    const struct json *list = json_get(v, "pretokenizers");
    if (!is_of(v, "Sequence")) return read_byte_level(t, v);
    if (json_count(list) == 1) return read_byte_level(t, json_at(list, 0));
    if (json_count(list) != 2 || !json_is(json_get(json_at(list, 1), "use_regex"), JSON_FALSE))
        return fault_set(&t->fault, E_UNSUPPORTED,
                         "tokenizer: a Sequence of pre-tokenizers is not supported; expected a Split, then a "
                         "ByteLevel without use_regex");
    return read_split(t, json_at(list, 0)) && read_byte_level(t, json_at(list, 1));
}

/* ---- tokens and merges ---- */

static bool read_vocabulary(ty_tokenizer *t, const struct json *vocabulary) {
    if (!json_count(vocabulary))
        return fault_set(&t->fault, E_FORMAT, "tokenizer: the vocabulary is missing");
    for (size_t i = 0; i < json_count(vocabulary); i++) {
        const struct json *v = json_at(vocabulary, i);
        struct text bytes = {0};
        int64_t id = -1;
        /* Gaps between ids need memory, too. */
        bool well = json_integer(v, &id) && id >= 0 && (uint64_t)id < 16 * json_count(vocabulary) + 1024;
        if (!well) fault_set(&t->fault, E_FORMAT, "tokenizer: the id of token %.60s is out of range", v->key);
        bool plain =
            well && add_bytes(&bytes, v->key); /* others are added tokens, which must be among these */
        if (bytes.failed) fault_memory(&t->fault, bytes.length);
        if (well)
            well = tokenizer_set(t, id, plain ? bytes.data : v->key, plain ? bytes.length : strlen(v->key),
                                 false);
        text_drop(&bytes);
        if (!well || t->fault.set) return false;
    }
    return true;
}

static bool read_added(ty_tokenizer *t, const struct json *list) {
    static const char *const flags[] = {"single_word", "lstrip", "rstrip"};
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *v = json_at(list, i);
        const char *content = json_text(json_get(v, "content"));
        int64_t id = -1;
        for (int k = 0; k < 3; k++)
            if (json_is(json_get(v, flags[k]), JSON_TRUE))
                return fault_set(&t->fault, E_UNSUPPORTED,
                                 "tokenizer: the added token %.60s has %s, which is not supported",
                                 content ? content : "", flags[k]);
        if (!content || !json_integer(json_get(v, "id"), &id) || id > t->size + 65536)
            return fault_set(&t->fault, E_FORMAT, "tokenizer: an added token lacks its content or id");
        if (!tokenizer_set(t, id, content, strlen(content), true)) return false;
    }
    return true;
}

/* Find the tokens of a pair, "a b" or ["a", "b"], and of both together. */
static bool read_merge(ty_tokenizer *t, const struct json *v) {
    const char *words = json_text(v), *blank = words ? strchr(words, ' ') : NULL;
    const char *a = json_text(json_at(v, 0)), *b = json_text(json_at(v, 1));
    struct text left = {0}, right = {0}, first = {0};
    if (blank) {
        text_add_bytes(&first, words, (size_t)(blank - words));
        text_add_bytes(&first, "", 1);
        a = first.data, b = blank + 1;
    }
    struct merge m = {-1, -1, -1};
    if (a && b && add_bytes(&left, a) && add_bytes(&right, b) && left.length && right.length) {
        m.left = (int32_t)tokenizer_find(t, left.data, left.length);
        m.right = (int32_t)tokenizer_find(t, right.data, right.length);
        text_add_bytes(&left, right.data, right.length);
        m.made = left.failed ? -1 : (int32_t)tokenizer_find(t, left.data, left.length);
    }
    if (left.failed || right.failed || first.failed) fault_memory(&t->fault, left.length + right.length);
    text_drop(&left);
    text_drop(&right);
    bool well = m.left >= 0 && m.right >= 0 && m.made >= 0;
    if (!well)
        fault_set(&t->fault, E_FORMAT,
                  "tokenizer: merge %lld (%.40s, %.40s) is not of two tokens that make a third one",
                  (long long)t->nmerges,
                  a       ? a
                  : words ? words
                          : "?",
                  b ? b : "?");
    text_drop(&first);
    return well && tokenizer_add_merge(t, m);
}

static bool read_model(ty_tokenizer *t, const struct json *root) {
    static const char *const none[] = {"dropout", "continuing_subword_prefix", "end_of_word_suffix"};
    static const char *const off[] = {"fuse_unk", "byte_fallback"};
    const struct json *model = json_get(root, "model"), *merges = json_get(model, "merges");
    const char *type = json_text(json_get(model, "type"));
    if (!json_is(model, JSON_OBJECT))
        return fault_set(&t->fault, E_FORMAT, "tokenizer: the model is missing");
    /* Old files do not name the type. */
    if (type ? strcmp(type, "BPE") != 0 : !merges) return refuse_type(t, "model", model, "BPE");
    for (int i = 0; i < 3; i++)
        if (!absent(t, model, none[i], JSON_NULL)) return false;
    for (int i = 0; i < 2; i++)
        if (!absent(t, model, off[i], JSON_FALSE)) return false;
    t->whole = json_is(json_get(model, "ignore_merges"), JSON_TRUE);
    if (!read_vocabulary(t, json_get(model, "vocab")) || !read_added(t, json_get(root, "added_tokens")) ||
        !tokenizer_finish(t))
        return false;
    for (size_t i = 0; i < json_count(merges); i++)
        if (!read_merge(t, json_at(merges, i))) return false;
    return true;
}

ty_tokenizer *ty_tokenizer_parse(const char *text, size_t n) {
    FLOATING_DEFAULT;
    ty_tokenizer *t = tokenizer_make();
    if (tokenizer_is_static(t)) return t;
    if (!text) fault_set(&t->fault, E_ARGUMENT, "tokenizer_parse: the text is NULL");
    struct json *root =
        t->fault.set ? NULL : json_read("tokenizer", "the text", text, n, DEPTH, MOST_BYTES, &t->fault);
    if (root && absent(t, root, "normalizer", JSON_NULL) && absent(t, root, "truncation", JSON_NULL) &&
        absent(t, root, "padding", JSON_NULL) && read_words(t, json_get(root, "pre_tokenizer")))
        read_model(t, root);
    mem_free(root);
    return t;
}

/* ---- files ---- */

ty_tokenizer *ty_tokenizer_load(const char *path) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    const size_t length = path ? strlen(path) : 0;
    ty_tokenizer *t = NULL;
    ty_scope *scope = ty_open();
    if (!path) {
        fault_set(&fault, E_ARGUMENT, "tokenizer_load: the path is NULL");
    } else if (length > 5 && !strcmp(path + length - 5, ".json")) {
        size_t n = 0;
        char *text = input_text(path, MOST_BYTES, &n, &fault);
        if (text) t = ty_tokenizer_parse(text, n);
        mem_free(text);
    } else {
        ty_archive *archive = ty_archive_open(path, (ty_file_options){0});
        ty_tensor *failure = ty_archive_failure(archive);
        const char *text = failure ? NULL : ty_archive_meta(archive, "tokenizer");
        if (failure)
            fault_tensor(&fault, failure);
        else if (text)
            t = ty_tokenizer_parse(text, strlen(text));
        else
            fault_set(&fault, E_ARGUMENT,
                      "%.300s: holds no tokenizer; expected tokenizer.json or weights with one", path);
        ty_archive_free(archive);
    }
    ty_close(scope);
    if (!t) t = tokenizer_make();
    if (fault.set && !tokenizer_is_static(t)) fault_copy(&t->fault, &fault);
    return t;
}

/* ---- writing ---- */

/* Append the characters of n bytes, in quotes unless they are part of a text. */
static void add_token(struct text *out, const struct token *token, bool quoted) {
    char bytes[4];
    if (quoted) text_add(out, "\"");
    for (size_t i = 0, n; i < token->n; i += n) {
        uint32_t point;
        n = token->added ? utf8_read(token->bytes + i, token->n - i, &point) : 1;
        if (!n) n = 1, point = 0xFFFD; /* content of an added token was UTF-8 */
        if (!token->added) point = byte_point((unsigned char)token->bytes[i]);
        json_add_character(out, bytes, utf8_write(bytes, point));
    }
    if (quoted) text_add(out, "\"");
}

static void add_words(const ty_tokenizer *t, struct text *out) {
    bool gpt2 = t->pattern == &patterns[0];
    const char *blank = t->blank ? "true" : "false";
    if (!t->pattern || gpt2) {
        text_add(out,
                 "{\"type\":\"ByteLevel\",\"add_prefix_space\":%s,\"trim_offsets\":true,\"use_regex\":%s}",
                 blank, gpt2 ? "true" : "false");
        return;
    }
    struct fault fault = {0};
    text_add(out, "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":");
    json_add_text(out, t->pattern->expression, &fault);
    text_add(out,
             "},\"behavior\":\"Isolated\",\"invert\":false},{\"type\":\"ByteLevel\",\"add_prefix_space\":%s,"
             "\"trim_offsets\":true,\"use_regex\":false}]}",
             blank);
}

char *ty_tokenizer_to_json(const ty_tokenizer *tokenizer) {
    const ty_tokenizer *t = tokenizer_of(tokenizer);
    struct text out = {0};
    const char *comma = "";
    if (t->fault.set) return NULL;
    text_add(&out, "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[");
    for (int64_t i = 0; i < t->size; i++) {
        if (!t->tokens[i].added) continue;
        text_add(&out, "%s\n{\"id\":%lld,\"content\":", comma, (long long)i);
        add_token(&out, &t->tokens[i], true);
        text_add(&out, ",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
                       "\"special\":true}");
        comma = ",";
    }
    text_add(&out, "],\n\"normalizer\":null,\"pre_tokenizer\":");
    add_words(t, &out);
    text_add(&out,
             ",\n\"post_processor\":null,\"decoder\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,"
             "\"trim_offsets\":true,\"use_regex\":true},\n\"model\":{\"type\":\"BPE\",\"dropout\":null,"
             "\"unk_token\":null,\"continuing_subword_prefix\":null,\"end_of_word_suffix\":null,"
             "\"fuse_unk\":false,\"byte_fallback\":false,\"ignore_merges\":%s,\"vocab\":{",
             t->whole ? "true" : "false");
    comma = "";
    for (int64_t i = 0; i < t->size; i++) {
        if (!t->tokens[i].bytes) continue;
        text_add(&out, "%s\n", comma);
        add_token(&out, &t->tokens[i], true);
        text_add(&out, ":%lld", (long long)i);
        comma = ",";
    }
    text_add(&out, "},\n\"merges\":[");
    for (int64_t i = 0; i < t->nmerges; i++) {
        text_add(&out, "%s\n\"", i ? "," : "");
        add_token(&out, &t->tokens[t->merges[i].left], false);
        text_add(&out, " ");
        add_token(&out, &t->tokens[t->merges[i].right], false);
        text_add(&out, "\"");
    }
    text_add(&out, "]}}\n");
    return text_take(&out);
}

bool ty_tokenizer_save(const ty_tokenizer *t, const char *path, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = tokenizer_of(t)->fault;
    if (!fault.set && !path) fault_set(&fault, E_ARGUMENT, "tokenizer_save: the path is NULL");
    char *text = fault.set ? NULL : ty_tokenizer_to_json(t);
    if (!text && !fault.set) fault_memory(&fault, 1);
    struct replacement *r = text ? replacement_begin(path, &fault) : NULL;
    if (r) replacement_end(r, replacement_write(r, text, strlen(text)));
    mem_free(text);
    if (fault.set && error) *error = tensor_fault(&fault);
    return !fault.set;
}
