/* Operators of strings. */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/text/regex.h"
#include "onnx/ops/rows.h"
#include "onnx/ops/text/words.h"

/* ---- joining and splitting ---- */

/* Set the shape to which two operands broadcast; the rank, or -1 with the fault set. */
static int broadcast_shape(struct onnx_call *call, const struct onnx_strings *a, const struct onnx_strings *b,
                           int64_t *shape) {
    int rank = a->rank > b->rank ? a->rank : b->rank;
    for (int i = 0; i < rank; i++) {
        int64_t x = i < rank - a->rank ? 1 : a->shape[i - rank + a->rank];
        int64_t y = i < rank - b->rank ? 1 : b->shape[i - rank + b->rank];
        if (x != y && x != 1 && y != 1) {
            onnx_refuse(call, E_SHAPE, "sizes %lld and %lld of axis %d do not broadcast", (long long)x,
                        (long long)y, i);
            return -1;
        }
        shape[i] = x == 1 ? y : x;
    }
    return rank;
}
/* Return the place in `a` of element `at` of a shape to which it broadcasts. */
static int64_t place_in(const struct onnx_strings *a, int rank, const int64_t *shape, int64_t at) {
    int64_t place = 0, step = 1;
    for (int i = rank - 1; i >= rank - a->rank; i--) {
        int64_t size = a->shape[i - rank + a->rank];
        place += size == 1 ? 0 : at % shape[i] * step;
        step *= size;
        at /= shape[i];
    }
    return place;
}
bool onnx_op_string_concat(struct onnx_call *call) {
    const struct onnx_strings *a = onnx_strings(call, 0), *b = onnx_strings(call, 1);
    int64_t shape[TY_MAX_RANK], n = 1;
    int rank = a && b ? broadcast_shape(call, a, b, shape) : -1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    struct wire_bytes *out = rank < 0 ? NULL : onnx_memory(call, n, sizeof *out);
    for (int64_t i = 0; i < n && out; i++) {
        struct wire_bytes x = a->items[place_in(a, rank, shape, i)],
                          y = b->items[place_in(b, rank, shape, i)];
        uint8_t *text = onnx_memory(call, (int64_t)(x.n + y.n), 1);
        if (!text) return false;
        if (x.n) memcpy(text, x.at, x.n);
        if (y.n) memcpy(text + x.n, y.at, y.n);
        out[i] = (struct wire_bytes){text, x.n + y.n};
    }
    return out && onnx_output_strings(call, 0, rank, shape, out);
}

/* Compare strings, or numbers. */
bool onnx_op_equal(struct onnx_call *call) {
    if (!call->ninputs || call->inputs[0].kind != ONNX_STRINGS) {
        ty_tensor *x = onnx_input(call, 0);
        return onnx_output(call, 0, ty_eq(x, onnx_legacy_operand(call, x, onnx_input(call, 1))));
    }
    const struct onnx_strings *a = onnx_strings(call, 0), *b = onnx_strings(call, 1);
    int64_t shape[TY_MAX_RANK], n = 1;
    int rank = a && b ? broadcast_shape(call, a, b, shape) : -1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    uint8_t *out = rank < 0 ? NULL : onnx_memory(call, n, 1);
    for (int64_t i = 0; i < n && out; i++)
        out[i] = words_equal(a->items[place_in(a, rank, shape, i)], b->items[place_in(b, rank, shape, i)]);
    return out && onnx_output(call, 0, ty_from(TY_BOOL, rank, shape, out));
}

/* Cut a string at a delimiter, or at runs of blanks if it is empty, at most `most` times; returns the number of parts.
   Without `out` they are only counted. */
static int64_t cut(struct wire_bytes s, struct wire_bytes delimiter, int64_t most, struct wire_bytes *out) {
    int64_t n = 0;
    size_t at = 0, start;
    if (!delimiter.n) {
        for (;;) {
            while (at < s.n && is_blank(s.at[at])) at++;
            if (at == s.n) return n;
            start = at;
            if (n == most) at = s.n;
            while (n < most && at < s.n && !is_blank(s.at[at])) at++;
            if (out) out[n] = (struct wire_bytes){s.at + start, at - start};
            if (n++ == most) return n;
        }
    }
    for (start = 0; s.n && n < most && at + delimiter.n <= s.n;) {
        if (memcmp(s.at + at, delimiter.at, delimiter.n)) {
            at++;
            continue;
        }
        if (out) out[n] = (struct wire_bytes){s.at + start, at - start};
        n++;
        start = at += delimiter.n;
    }
    if (s.n && out) out[n] = (struct wire_bytes){s.at + start, s.n - start};
    return n + (s.n > 0);
}
/* Give the parts of each string along a new last axis, with empty strings behind them, and their numbers. */
bool onnx_op_string_split(struct onnx_call *call) {
    const struct onnx_strings *x = onnx_strings(call, 0);
    struct wire_bytes delimiter = words_of(onnx_text(call, "delimiter", ""));
    int64_t most = onnx_int(call, "maxsplit", INT64_MAX), width = 0, shape[TY_MAX_RANK];
    if (!x || most < 0 || x->rank >= TY_MAX_RANK)
        return x && onnx_refuse(call, E_ARGUMENT, "maxsplit is %lld; expected 0 or more", (long long)most);
    int64_t *counts = onnx_memory(call, x->n, sizeof *counts);
    for (int64_t i = 0; i < x->n && counts; i++) {
        counts[i] = cut(x->items[i], delimiter, most, NULL);
        width = counts[i] > width ? counts[i] : width;
    }
    if (counts && x->n && width > INT64_MAX / x->n)
        return onnx_refuse(call, E_LIMIT, "%lld parts of %lld strings", (long long)width, (long long)x->n);
    struct wire_bytes *out = counts ? onnx_memory(call, x->n * width, sizeof *out) : NULL;
    for (int64_t i = 0; i < x->n && out; i++) cut(x->items[i], delimiter, most, out + i * width);
    if (!out) return false;
    for (int i = 0; i < x->rank; i++) shape[i] = x->shape[i];
    shape[x->rank] = width;
    return onnx_output_strings(call, 0, x->rank + 1, shape, out) &&
           onnx_output(call, 1, ty_from(TY_I64, x->rank, x->shape, counts));
}

/* Return true for strings that the pattern matches as a whole. */
bool onnx_op_regex_full_match(struct onnx_call *call) {
    const struct onnx_strings *x = onnx_strings(call, 0);
    const char *pattern = onnx_text(call, "pattern", "");
    struct fault fault = {.set = false};
    struct regex *regex = x ? regex_compile(call->scratch, pattern, strlen(pattern), &fault) : NULL;
    uint8_t *out = regex ? onnx_memory(call, x->n, 1) : NULL;
    for (int64_t i = 0; out && i < x->n; i++)
        out[i] = x->items[i].n < INT32_MAX && regex_matches(regex, x->items[i].at, x->items[i].n);
    if (fault.set) return onnx_refuse(call, fault.code, "%s", fault.text);
    return out && onnx_output(call, 0, ty_from(TY_BOOL, x->rank, x->shape, out));
}

/* ---- normalising ---- */

/* Change the case of one character by the simple mappings of ASCII, Latin-1, Greek and Cyrillic letters. */
static uint32_t changed(uint32_t c, bool upper) {
    static const struct {
        uint32_t first, last, step; /* capitals, and the distance to the small letters */
    } ranges[] = {{'A', 'Z', 32},     {0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},
                  {0x391, 0x3A9, 32}, {0x400, 0x40F, 80}, {0x410, 0x42F, 32}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (!upper && c >= ranges[i].first && c <= ranges[i].last) return c + ranges[i].step;
        if (upper && c >= ranges[i].first + ranges[i].step && c <= ranges[i].last + ranges[i].step)
            return c - ranges[i].step;
    }
    return c;
}
/* Return a copy with another case: letters of one or two bytes of UTF-8, which keep their number of bytes. */
static struct wire_bytes recased(struct onnx_call *call, struct wire_bytes s, bool upper) {
    uint8_t *out = onnx_memory(call, (int64_t)s.n, 1);
    for (size_t i = 0; i < s.n && out; i++) {
        if (i + 1 < s.n && (s.at[i] & 0xE0) == 0xC0 && (s.at[i + 1] & 0xC0) == 0x80) {
            uint32_t c = changed((uint32_t)(s.at[i] & 0x1F) << 6 | (s.at[i + 1] & 0x3F), upper);
            out[i] = (uint8_t)(0xC0 | c >> 6);
            out[++i] = (uint8_t)(0x80 | (c & 0x3F));
        } else {
            out[i] = s.at[i] < 0x80 ? (uint8_t)changed(s.at[i], upper) : s.at[i];
        }
    }
    return out ? (struct wire_bytes){out, s.n} : (struct wire_bytes){NULL, 0};
}
/* Remove stop words and change the case; x is a vector or has one row. */
bool onnx_op_string_normalizer(struct onnx_call *call) {
    static const char *const actions[] = {"NONE", "LOWER", "UPPER", NULL};
    const struct onnx_strings *x = onnx_strings(call, 0);
    int action = onnx_word(call, "case_change_action", "NONE", actions), nstops;
    bool exact = onnx_int(call, "is_case_sensitive", 0);
    const struct wire_bytes *given = onnx_texts(call, "stopwords", &nstops);
    if (!x || x->rank < 1 || x->rank > 2 || (x->rank == 2 && x->shape[0] != 1))
        return x && onnx_refuse(call, E_SHAPE, "expected a vector or one row, not %d axes", x->rank);
    struct wire_bytes *out = onnx_memory(call, x->n + 1, sizeof *out),
                      *stops = onnx_memory(call, nstops, sizeof *stops);
    for (int i = 0; i < nstops && stops; i++) stops[i] = exact ? given[i] : recased(call, given[i], false);
    int64_t n = 0;
    for (int64_t i = 0; i < x->n && out && stops; i++) {
        struct wire_bytes word = exact ? x->items[i] : recased(call, x->items[i], false);
        if (words_find(word, nstops, stops) >= 0) continue;
        out[n++] = action ? recased(call, x->items[i], action == 2) : x->items[i];
    }
    if (call->fault->set) return false;
    if (!n) out[n++] = words_of("");
    return onnx_output_strings(call, 0, x->rank, x->rank == 1 ? &n : (int64_t[]){1, n}, out);
}

/* ---- n-grams ---- */

/* Attributes of TfIdfVectorizer. */
struct grams {
    int sizes, items, weights; /* numbers of entries */
    const int64_t *starts, *ids, *pool;
    const struct wire_bytes *words; /* pool of strings; NULL: integers */
    const float *weight;
    int64_t least, most, skips, width;
};

/* True if the n-gram of `size` items at `start` with a distance between them is that of the pool at `entry`. */
static bool is_gram(const struct grams *g, const struct wire_bytes *words, const int64_t *numbers,
                    int64_t start, int64_t distance, int64_t size, int64_t entry) {
    for (int64_t k = 0; k < size; k++) {
        int64_t at = start + k * distance;
        if (words ? !words_equal(words[at], g->words[entry + k]) : numbers[at] != g->pool[entry + k])
            return false;
    }
    return true;
}
/* Count the n-grams of one size and distance of a row of n items. */
static void count_grams(const struct grams *g, const struct wire_bytes *words, const int64_t *numbers,
                        int64_t n, int64_t size, int64_t distance, float *counts) {
    int64_t id = 0, from = g->starts[size - 1], to = size < g->sizes ? g->starts[size] : g->items;
    for (int64_t k = 1; k < size; k++) id += (g->starts[k] - g->starts[k - 1]) / k;
    for (int64_t entry = from; entry + size <= to; entry += size, id++)
        for (int64_t start = 0; start + (size - 1) * distance < n; start++)
            if (is_gram(g, words, numbers, start, distance, size, entry)) counts[g->ids[id]]++;
}
/* Read and check the attributes. */
static bool read_grams(struct onnx_call *call, bool strings, struct grams *g) {
    int ids, items = 0;
    int64_t grams = 0;
    g->starts = onnx_ints(call, "ngram_counts", &g->sizes), g->ids = onnx_ints(call, "ngram_indexes", &ids);
    g->pool = onnx_ints(call, "pool_int64s", &g->items), g->words = onnx_texts(call, "pool_strings", &items);
    if (strings) g->items = items;
    g->weight = onnx_floats(call, "weights", &g->weights);
    g->least = onnx_int(call, "min_gram_length", 1), g->most = onnx_int(call, "max_gram_length", 1);
    g->skips = onnx_int(call, "max_skip_count", 0);
    for (int i = 0; i < ids; i++) {
        if (g->ids[i] < 0 || g->ids[i] >= INT32_MAX)
            return onnx_refuse(call, E_INDEX, "ngram_indexes has %lld", (long long)g->ids[i]);
        g->width = g->ids[i] + 1 > g->width ? g->ids[i] + 1 : g->width;
    }
    for (int i = 0; i < g->sizes; i++) {
        int64_t to = i + 1 < g->sizes ? g->starts[i + 1] : g->items;
        if (g->starts[i] < 0 || to < g->starts[i] || to > g->items)
            return onnx_refuse(call, E_INDEX, "ngram_counts has %lld; expected ascending numbers up to %d",
                               (long long)g->starts[i], g->items);
        grams += (to - g->starts[i]) / (i + 1);
    }
    if (grams > ids || g->least < 1 || g->most < g->least || g->skips < 0 ||
        (g->weights && g->weights < g->width))
        return onnx_refuse(call, E_ARGUMENT,
                           "%lld n-grams of lengths %lld..%lld with %d indexes and %d weights",
                           (long long)grams, (long long)g->least, (long long)g->most, ids, g->weights);
    return !call->fault->set;
}
/* Count n-grams of a row, for all lengths and distances; distances of single items are all the same. */
static void count_row(const struct grams *g, const struct wire_bytes *words, const int64_t *numbers,
                      int64_t n, float *counts) {
    for (int64_t size = g->least; size <= g->most && size <= g->sizes; size++)
        for (int64_t distance = 1; distance <= (size == 1 ? 1 : g->skips + 1) && (size - 1) * distance < n;
             distance++)
            count_grams(g, words, numbers, n, size, distance, counts);
}
/* Count n-grams of a pool in each row: their numbers (TF), their weights (IDF), or the product (TFIDF). */
bool onnx_op_tf_idf_vectorizer(struct onnx_call *call) {
    static const char *const modes[] = {"TF", "IDF", "TFIDF", NULL};
    int mode = onnx_word(call, "mode", "TF", modes), n, rank;
    bool strings = call->ninputs && call->inputs[0].kind == ONNX_STRINGS;
    struct grams g = {.width = 0};
    if (!read_grams(call, strings, &g)) return false;
    const struct onnx_strings *words = strings ? onnx_strings(call, 0) : NULL;
    const int64_t *numbers = strings ? NULL : onnx_known_ints(call, 0, &n);
    const int64_t *shape = strings ? words->shape : ty_shape(onnx_input(call, 0));
    rank = strings ? words->rank : ty_rank(onnx_input(call, 0));
    if (call->fault->set || rank > 2)
        return !call->fault->set &&
               onnx_refuse(call, E_SHAPE, "the input has %d axes; expected at most 2", rank);
    int64_t rows = rank == 2 ? shape[0] : 1, row = rank ? shape[rank - 1] : 1, out[] = {rows, g.width};
    float *counts = rows > INT32_MAX ? NULL : onnx_memory(call, rows * g.width, sizeof *counts);
    if (!counts) return onnx_refuse(call, E_LIMIT, "%lld rows", (long long)rows);
    for (int64_t i = 0; i < rows; i++)
        count_row(&g, words ? words->items + i * row : NULL, numbers ? numbers + i * row : NULL, row,
                  counts + i * g.width);
    ty_tensor *y = ty_from(TY_F32, 2, out, counts);
    if (mode == 1) y = ty_cast(ty_gt(y, ty_num(0)), TY_F32);
    if (mode && g.weights) y = ty_mul(y, ty_from(TY_F32, 1, &g.width, g.weight));
    return onnx_output(call, 0, rank == 2 ? y : ty_reshape(y, 1, &g.width));
}
