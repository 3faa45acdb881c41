/* Tokenizers: creation, encoding and decoding. */
#include "base/machine/floating.h"
#include "text/tokenizer.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/list.h"

const char END_OF_TEXT[] = "<|endoftext|>";

static ty_tokenizer no_memory = {.fault = {true, E_MEMORY, "out of memory: a tokenizer could not be made"}};
static ty_tokenizer null_tokenizer = {.fault = {true, E_ARGUMENT, "tokenizer: the tokenizer is NULL"}};

const ty_tokenizer *tokenizer_of(const ty_tokenizer *t) { return t ? t : &null_tokenizer; }
bool tokenizer_is_static(const ty_tokenizer *t) { return t == &no_memory; }

ty_tokenizer *tokenizer_make(void) {
    ty_tokenizer *t = mem_alloc(sizeof *t);
    if (!t) return &no_memory;
    t->end = -1;
    return t;
}

void ty_tokenizer_free(ty_tokenizer *t) {
    if (!t || t == &no_memory) return;
    arena_drop(&t->arena);
    map_drop(&t->ranks);
    mem_free(t->tokens);
    mem_free(t->merges);
    mem_free(t->sorted);
    mem_free(t->added);
    mem_free(t);
}

const char *ty_tokenizer_error(const ty_tokenizer *t) { return tokenizer_of(t)->fault.text; }
ty_tensor *ty_tokenizer_failure(const ty_tokenizer *t) { return tensor_failure(&tokenizer_of(t)->fault); }
int64_t ty_tokenizer_size(const ty_tokenizer *t) {
    return tokenizer_of(t)->fault.set ? 0 : tokenizer_of(t)->size;
}
int64_t ty_tokenizer_end(const ty_tokenizer *t) {
    return tokenizer_of(t)->fault.set ? -1 : tokenizer_of(t)->end;
}

const char *ty_tokenizer_token(const ty_tokenizer *t, int64_t id, size_t *n) {
    bool found = id >= 0 && id < ty_tokenizer_size(t) && t->tokens[id].bytes;
    if (n) *n = found ? t->tokens[id].n : 0;
    return found ? t->tokens[id].bytes : NULL;
}

/* ---- making ---- */

bool tokenizer_set(ty_tokenizer *t, int64_t id, const char *bytes, size_t n, bool added) {
    if (t->fault.set) return false;
    if (id < 0 || id >= MOST_TOKENS)
        return fault_set(&t->fault, E_LIMIT, "tokenizer: the id %lld is out of range; expected 0..%d",
                         (long long)id, MOST_TOKENS - 1);
    if (!n || n > INT32_MAX)
        return fault_set(&t->fault, E_FORMAT, "tokenizer: token %lld is empty", (long long)id);
    if (!list_reserve(t->tokens, id + 1, t->capacity)) return fault_memory(&t->fault, sizeof *t->tokens);
    while (t->size <= id) t->tokens[t->size++] = (struct token){0};
    struct token *token = &t->tokens[id];
    if (token->bytes && (token->n != n || memcmp(token->bytes, bytes, n) != 0))
        return fault_set(&t->fault, E_FORMAT, "tokenizer: two tokens have the id %lld: %.40s and %.40s",
                         (long long)id, token->bytes, bytes);
    char *copy = token->bytes ? (char *)(uintptr_t)token->bytes : arena_alloc(&t->arena, n + 1);
    if (!copy) return fault_memory(&t->fault, n + 1);
    memcpy(copy, bytes, n);
    *token = (struct token){.bytes = copy, .n = n, .added = added || token->added};
    return true;
}

static int compare_bytes(const char *a, size_t n, const char *b, size_t m) {
    int order = memcmp(a, b, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

static int compare_spellings(const void *a, const void *b) {
    const struct spelling *x = a, *y = b;
    int order = compare_bytes(x->bytes, x->n, y->bytes, y->n);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

int64_t tokenizer_find(const ty_tokenizer *t, const char *bytes, size_t n) {
    for (int64_t low = 0, high = t->nsorted; low < high;) {
        int64_t middle = (low + high) / 2;
        int order = compare_bytes(t->sorted[middle].bytes, t->sorted[middle].n, bytes, n);
        if (!order) return t->sorted[middle].id;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

bool tokenizer_finish(ty_tokenizer *t) {
    static const char *const ends[] = {END_OF_TEXT, "<|end_of_text|>", "<|im_end|>", "</s>", "<eos>"};
    if (t->fault.set) return false;
    mem_free(t->sorted);
    mem_free(t->added);
    t->sorted = mem_array((size_t)t->size, sizeof *t->sorted);
    t->added = mem_array((size_t)t->size, sizeof *t->added);
    if (!t->sorted || !t->added) return fault_memory(&t->fault, (size_t)t->size * sizeof *t->sorted);
    t->nsorted = t->nadded = 0;
    for (int64_t i = 0; i < t->size; i++) {
        const struct token *token = &t->tokens[i];
        if (token->bytes) t->sorted[t->nsorted++] = (struct spelling){token->bytes, token->n, i};
        if (!token->added) continue;
        t->added[t->nadded++] = (int32_t)i;
        t->starts[(unsigned char)*token->bytes] = true;
    }
    qsort(t->sorted, (size_t)t->nsorted, sizeof *t->sorted, compare_spellings);
    for (int i = 0; i < 256; i++) {
        char byte = (char)i;
        int64_t id = tokenizer_find(t, &byte, 1);
        if (id < 0) return fault_set(&t->fault, E_FORMAT, "tokenizer: the vocabulary lacks the byte %d", i);
        t->bytes[i] = (int32_t)id;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends && t->end < 0; i++) {
        int64_t id = tokenizer_find(t, ends[i], strlen(ends[i]));
        if (id >= 0 && t->tokens[id].added) t->end = id;
    }
    return true;
}

ty_tokenizer *ty_tokenizer_new(void) {
    ty_tokenizer *t = tokenizer_make();
    for (int i = 0; i < 256 && !tokenizer_is_static(t); i++)
        tokenizer_set(t, i, (char[]){(char)i, 0}, 1, false);
    if (!tokenizer_is_static(t)) tokenizer_finish(t);
    return t;
}

/* ---- encoding ---- */

/* Return the first added token that a text contains, the longest of several at one place, and its place in *at, n if
   there is none. */
static const struct token *next_added(const ty_tokenizer *t, const char *text, size_t n, size_t *at) {
    const struct token *best = NULL;
    for (*at = 0; *at < n; ++*at) {
        if (!t->starts[(unsigned char)text[*at]]) continue;
        for (int64_t i = 0; i < t->nadded; i++) {
            const struct token *a = &t->tokens[t->added[i]];
            if (a->n > n - *at || (best && a->n <= best->n)) continue;
            if (!memcmp(text + *at, a->bytes, a->n)) best = a;
        }
        if (best) break;
    }
    return best;
}

/* Append the ids of a text without added tokens. */
static bool encode_words(const ty_tokenizer *t, struct encoding *e, const char *text, size_t n) {
    struct text blank = {0};
    if (t->blank && n && *text != ' ') {
        text_add_bytes(&blank, " ", 1);
        text_add_bytes(&blank, text, n);
        if (blank.failed) return text_drop(&blank), false;
        text = blank.data, n++;
    }
    bool well = true;
    for (size_t at = 0, length; at < n && well; at += length) {
        length = word_length(t->pattern, text + at, n - at);
        well = encode_word(t, e, text + at, length);
    }
    text_drop(&blank);
    return well;
}

static bool encode(const ty_tokenizer *t, struct encoding *e, const char *text, size_t n) {
    while (n) {
        size_t at;
        const struct token *a = next_added(t, text, n, &at);
        if (!encode_words(t, e, text, at)) return false;
        if (a && !list_append(e->ids, e->n, e->capacity, (int32_t)(a - t->tokens))) return false;
        at += a ? a->n : 0;
        text += at, n -= at;
    }
    return true;
}

ty_tensor *ty_tokenizer_encode(const ty_tokenizer *tokenizer, const char *text, size_t n) {
    FLOATING_DEFAULT;
    const ty_tokenizer *t = tokenizer_of(tokenizer);
    struct encoding e = {0};
    if (t->fault.set) return tensor_fault(&t->fault);
    if (!text && n) return ty_poison_code(E_ARGUMENT, "tokenizer_encode: the text is NULL");
    ty_tensor *ids =
        encode(t, &e, text, n)
            ? ty_from(TY_I32, 1, &e.n, e.ids ? e.ids : (int32_t[]){0})
            : ty_poison_code(E_MEMORY, "tokenizer_encode: out of memory for %zu bytes of text", n);
    encoding_drop(&e);
    return ids;
}

/* ---- decoding ---- */

/* Append the bytes of n ids; false sets the fault. */
static bool decode(const ty_tokenizer *t, const int64_t *ids, int64_t n, struct text *out,
                   struct fault *fault) {
    for (int64_t i = 0; i < n; i++) {
        size_t length;
        const char *bytes = ty_tokenizer_token(t, ids[i], &length);
        if (!bytes)
            return fault_set(fault, E_INDEX,
                             "tokenizer_decode: id %lld at [%lld] is no token; expected ids below %lld",
                             (long long)ids[i], (long long)i, (long long)t->size);
        text_add_bytes(out, bytes, length);
    }
    text_add_bytes(out, "", 1);
    return !out->failed || fault_memory(fault, out->length);
}

char *ty_tokenizer_decode(const ty_tokenizer *tokenizer, ty_tensor *ids, size_t *n, ty_tensor **error) {
    FLOATING_DEFAULT;
    const ty_tokenizer *t = tokenizer_of(tokenizer);
    struct fault fault = t->fault;
    struct text out = {0};
    ids = tensor_of(ids);
    if (!fault.set && !ty_ok(ids)) fault_tensor(&fault, ids);
    if (!fault.set && (ty_dtype_of(ids) == TY_BOOL || ty_dtype_of(ids) >= TY_F16))
        fault_set(&fault, E_DTYPE, "tokenizer_decode: ids are %s; expected integers",
                  ty_dtype_name(ty_dtype_of(ids)));
    ty_scope *scope = ty_open();
    ids = fault.set ? ids : ty_eval(ty_cast(ids, TY_I64));
    if (!fault.set && !ty_ok(ids)) fault_tensor(&fault, ids);
    int64_t count = fault.set ? 0 : ty_size(ids), *numbers = mem_array((size_t)count, sizeof *numbers);
    if (!numbers) fault_memory(&fault, (size_t)count * sizeof *numbers);
    if (!fault.set && !ty_read(ids, TY_I64, numbers)) fault_memory(&fault, (size_t)count * sizeof *numbers);
    ty_close(scope);
    if (!fault.set) decode(t, numbers, count, &out, &fault);
    mem_free(numbers);
    if (n) *n = fault.set ? 0 : out.length - 1;
    if (!fault.set) return out.data;
    text_drop(&out);
    if (error) *error = tensor_fault(&fault);
    return NULL;
}
