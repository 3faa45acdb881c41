/*
 * Parser of the dictionary in an npy header: three keys, texts without escapes, True and False, a tuple of
 * integers. Nothing is evaluated and everything else is refused.
 */
#include <string.h>
#include "io/formats/npy.h"

enum { WORD = 64 };

/* State of parsing one header. */
struct parser {
    const char *name, *at, *end;
    const ty_file_options *options;
    struct arena *arena;
    struct archive_entry *e;
    struct fault *fault;
};

static bool wrong(struct parser *p, const char *expected) {
    int rest = p->end - p->at < 20 ? (int)(p->end - p->at) : 20;
    return fault_set(p->fault, E_FORMAT, "%s: the npy header has \"%.*s\"; expected %s", p->name, rest, p->at,
                     expected);
}

static void skip_blanks(struct parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')) p->at++;
}

/* Skip blanks; if the next character is c, skip it, too, and return true, else return false. Sets no fault. */
static bool accept(struct parser *p, char c) {
    skip_blanks(p);
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static bool expect(struct parser *p, char c) {
    const char words[] = {'"', c, '"', 0};
    return accept(p, c) || wrong(p, words);
}

/* Parse 'word' or "word" of at most WORD - 1 printable characters into `word`, ended by 0; false sets the
   fault. */
static bool parse_word(struct parser *p, char word[WORD]) {
    size_t n = 0;
    skip_blanks(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"')) return wrong(p, "a text");
    for (char quote = *p->at++; p->at < p->end && *p->at != quote; p->at++) {
        if (*p->at == '\\' || *p->at == '%' || *p->at < ' ' || *p->at > '~' || n == WORD - 1)
            return wrong(p, "a plain text");
        word[n++] = *p->at;
    }
    word[n] = 0;
    if (p->at == p->end) return wrong(p, "the end of a text");
    p->at++;
    return true;
}

/* ---- descr ---- */

static const struct {
    const char *code;
    ty_dtype dtype;
} types[] = {
    /* NumPy's own codes, then C's types by letter; long has 8 bytes */
    {"b1", TY_BOOL}, {"i1", TY_I8},    {"i2", TY_I16}, {"i4", TY_I32}, {"i8", TY_I64}, {"u1", TY_U8},
    {"u2", TY_U16},  {"u4", TY_U32},   {"u8", TY_U64}, {"f2", TY_F16}, {"f4", TY_F32}, {"f8", TY_F64},
    {"c8", TY_C64},  {"c16", TY_C128}, {"?", TY_BOOL}, {"b", TY_I8},   {"h", TY_I16},  {"i", TY_I32},
    {"l", TY_I64},   {"q", TY_I64},    {"p", TY_I64},  {"B", TY_U8},   {"H", TY_U16},  {"I", TY_U32},
    {"L", TY_U64},   {"Q", TY_U64},    {"P", TY_U64},  {"e", TY_F16},  {"f", TY_F32},  {"d", TY_F64},
    {"F", TY_C64},   {"D", TY_C128},
};

/* Codes that are recognised but not supported, with advice. */
static const struct {
    char letter;
    const char *words;
} refused[] = {
    {'O', "Python objects, which are pickles, and unpickling runs what a file says: save numbers instead"},
    {'U', "strings: save numbers, or one column at a time"},
    {'S', "byte strings: save numbers, or one column at a time"},
    {'M', "dates: save x.astype('i8')"},
    {'m', "time differences: save x.astype('i8')"},
    {'V', "raw bytes or a structure: save each field x['name'] by itself"},
    {'g', "long doubles: save x.astype('f8')"},
    {'G', "complex long doubles: save x.astype('c16')"},
    {'a', "byte strings: save numbers, or one column at a time"},
    {'f', "floating-point numbers of an unsupported size: save x.astype('f8')"},
    {'c', "complex numbers of an unsupported size: save x.astype('c16')"},
};

/* Set the fault that Tyto lacks a dtype: `word` is its name in the file, `code` the end of that without the
   byte order. Always return false. */
static bool refuse_type(struct parser *p, const char *word, const char *code) {
    if (strcmp(code, "V2") == 0)
        return fault_set(p->fault, E_FORMAT,
                         "%s: has dtype %s, two bytes without a type; if they are bf16 (as Tyto and "
                         "ml_dtypes write it), set .bf16 = true, or tyto convert --bf16",
                         p->name, word);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (*code == refused[i].letter)
            return fault_set(p->fault, E_FORMAT, "%s: has dtype %s, %s", p->name, word, refused[i].words);
    return fault_set(p->fault, E_FORMAT, "%s: has dtype \"%s\", which is not one of NumPy's", p->name, word);
}

/* Parse the text of a dtype into p->e's dtype and byte order; false sets the fault, also for dtypes that
   Tyto lacks. */
static bool parse_descr(struct parser *p) {
    char word[WORD];
    skip_blanks(p);
    if (p->at < p->end && *p->at == '[') {
        const char *close = memchr(p->at, ']', (size_t)(p->end - p->at));
        int64_t n = (close ? close + 1 : p->end) - p->at;
        return fault_set(p->fault, E_FORMAT,
                         "%s: has a structured dtype %.*s%s: save each field x['name'] by itself", p->name,
                         n < 80 ? (int)n : 80, p->at, n > 80 ? " ..." : "");
    }
    if (!parse_word(p, word)) return false;
    const char *code = word + (*word && strchr("<>|=", *word));
    p->e->dtype = TY_DTYPES;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(code, types[i].code) == 0) p->e->dtype = types[i].dtype;
    if (strcmp(code, "V2") == 0 && p->options->bf16) p->e->dtype = TY_BF16;
    if (p->e->dtype == TY_DTYPES) return refuse_type(p, word, code);
    bool big = *word == '>' || (*word != '<' && !machine_is_little_endian());
    p->e->swapped = big == machine_is_little_endian() && dtype_table[p->e->dtype].size > 1;
    return true;
}

/* ---- fortran_order, shape ---- */

/* Parse True or False into p->e->fortran, which is true for column-major order; false sets the fault. */
static bool parse_order(struct parser *p) {
    static const char *const words[] = {"False", "True"};
    skip_blanks(p);
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(p->end - p->at) < n || memcmp(p->at, words[i], n) != 0) continue;
        p->at += n;
        p->e->fortran = i;
        return true;
    }
    return wrong(p, "True or False");
}

/* Parse the digits of one size into *size; false sets the fault, also on overflow. */
static bool parse_size(struct parser *p, int64_t *size) {
    const char *start = p->at;
    *size = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
        if (__builtin_mul_overflow(*size, (int64_t)10, size) ||
            __builtin_add_overflow(*size, (int64_t)(*p->at - '0'), size))
            return fault_set(p->fault, E_MEMORY, "%s: the npy header has a size that exceeds memory",
                             p->name);
    if (p->at == start) return wrong(p, "a size");
    if (p->at < p->end && *p->at == 'L') p->at++; /* Python 2 wrote 3L */
    return true;
}

/* Parse a tuple of sizes into p->e's rank and shape; false sets the fault. */
static bool parse_shape(struct parser *p) {
    int64_t shape[TY_MAX_RANK];
    int rank = 0;
    if (!expect(p, '(')) return false;
    while (!accept(p, ')')) {
        if (rank == TY_MAX_RANK)
            return fault_set(p->fault, E_FORMAT, "%s: has more than the %d axes that a tensor may have",
                             p->name, TY_MAX_RANK);
        if (!parse_size(p, &shape[rank++])) return false;
        if (!accept(p, ',')) {
            if (rank == 1) return wrong(p, "\",\""); /* (3) is no tuple in Python */
            if (!expect(p, ')')) return false;
            break;
        }
    }
    return entry_shape(p->e, p->arena, rank, shape, p->fault);
}

static const struct {
    const char *key;
    bool (*parse)(struct parser *p);
} keys[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
enum { KEYS = sizeof keys / sizeof *keys };

/* Parse an item 'key': value of the header into p->e and set seen[] of its key; false sets the fault, also
   for an unknown key or a second one. */
static bool parse_item(struct parser *p, bool seen[KEYS]) {
    char word[WORD];
    if (!parse_word(p, word) || !expect(p, ':')) return false;
    for (int i = 0; i < KEYS; i++)
        if (strcmp(word, keys[i].key) == 0 && !seen[i]) {
            seen[i] = true;
            return keys[i].parse(p);
        }
    return fault_set(
        p->fault, E_FORMAT,
        "%s: the npy header has the key \"%s\"; expected descr, fortran_order and shape, once each", p->name,
        word);
}

bool npy_parse(const char *name, const char *text, size_t n, const ty_file_options *options,
               struct arena *arena, struct archive_entry *e, struct fault *fault) {
    struct parser p = {name, text, text + n, options, arena, e, fault};
    bool seen[KEYS] = {0};
    if (!expect(&p, '{')) return false;
    while (!accept(&p, '}')) {
        if (!parse_item(&p, seen)) return false;
        if (accept(&p, ',')) continue;
        if (!expect(&p, '}')) return false;
        break;
    }
    for (int i = 0; i < KEYS; i++)
        if (!seen[i])
            return fault_set(fault, E_FORMAT, "%s: the npy header lacks the key \"%s\"", name, keys[i].key);
    skip_blanks(&p);
    return p.at == p.end || wrong(&p, "the end");
}
