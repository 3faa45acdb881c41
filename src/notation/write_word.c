/* Writes words in each form: names of variables and functions, numbers, other text. */
#include <string.h>
#include "notation/constants.h"

static const struct symbol symbols[] = {
#define SYMBOL(name, ascii, text, latex, mathml) {name, {text, ascii, latex, mathml}},
#include "notation/symbols.def"
};

const struct symbol *symbol_of(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strlen(symbols[i].name) == n && !memcmp(symbols[i].name, name, n)) return &symbols[i];
    return NULL;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* ---- small letters ---- */

struct small {
    const char *letter, *above, *below;
};
static const struct small smalls[] = {
    {"0", "⁰", "₀"}, {"1", "¹", "₁"}, {"2", "²", "₂"}, {"3", "³", "₃"}, {"4", "⁴", "₄"}, {"5", "⁵", "₅"},
    {"6", "⁶", "₆"}, {"7", "⁷", "₇"}, {"8", "⁸", "₈"}, {"9", "⁹", "₉"}, {"−", "⁻", "₋"}, {"=", "⁼", "₌"},
    {"i", "ⁱ", "ᵢ"}, {"j", "ʲ", "ⱼ"}, {"k", "ᵏ", "ₖ"}, {"l", "ˡ", "ₗ"}, {"m", "ᵐ", "ₘ"}, {"n", "ⁿ", "ₙ"},
    {"p", "ᵖ", "ₚ"}, {"t", "ᵗ", "ₜ"}, {"u", "ᵘ", "ᵤ"}, {"v", "ᵛ", "ᵥ"}, {"x", "ˣ", "ₓ"}, {"+", "⁺", "₊"},
};

/* Return the small form of the letter at `at`, of which n bytes are left; NULL if there is none. */
static const struct small *small_of(const char *at, size_t n) {
    for (size_t i = 0; i < sizeof smalls / sizeof *smalls; i++)
        if (strlen(smalls[i].letter) <= n && !memcmp(smalls[i].letter, at, strlen(smalls[i].letter)))
            return &smalls[i];
    return NULL;
}

bool small_write(struct text *t, const char *letters, size_t n, bool above) {
    const struct small *s;
    for (size_t i = 0; i < n; i += strlen(s->letter))
        if (!(s = small_of(letters + i, n - i))) return false;
    for (size_t i = 0; i < n; i += strlen(s->letter)) {
        s = small_of(letters + i, n - i);
        text_add(t, "%s", above ? s->above : s->below);
    }
    return true;
}

/* ---- escapes ---- */

static const char *const escapes[NOTE_FORMS][256] = {
    [TY_NOTATION_LATEX] = {['#'] = "\\#",
                           ['$'] = "\\$",
                           ['%'] = "\\%",
                           ['&'] = "\\&",
                           ['_'] = "\\_",
                           ['{'] = "\\{",
                           ['}'] = "\\}",
                           ['~'] = "\\textasciitilde{}",
                           ['^'] = "\\textasciicircum{}",
                           ['\\'] = "\\textbackslash{}"},
    [TY_NOTATION_MATHML] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"},
};

static void add_escaped(struct text *t, const char *words, size_t n, ty_notation_form form) {
    for (size_t i = 0; i < n; i++) {
        const char *instead = escapes[form][(unsigned char)words[i]];
        bool escaped = form == TY_NOTATION_ASCII && (words[i] & 0x80);
        if (escaped)
            text_add(t, "\\x%02x", (unsigned)(unsigned char)words[i]);
        else
            text_add_bytes(t, instead ? instead : words + i, instead ? strlen(instead) : 1);
    }
}

/* Append words between `before` and `after`, strings for the four forms. */
static void add_between(struct text *t, const char *const *before, const char *words, size_t n,
                        const char *const *after, ty_notation_form form) {
    text_add(t, "%s", before[form]);
    add_escaped(t, words, n, form);
    text_add(t, "%s", after[form]);
}

/* ---- names ---- */

/* Return true if a name has letters, digits and _ alone, and begins with a letter. */
static bool is_plain(const char *name) {
    bool plain = is_letter(*name);
    for (const char *c = name; *c; c++) plain = plain && (is_letter(*c) || is_digit(*c) || *c == '_');
    return plain;
}

/* Return the length of the part of a plain name before the part that is written as an index: digits at the end, or what
   follows the first _.  The whole length if there is none. */
static size_t stem(const char *name) {
    size_t n = strlen(name), i = strcspn(name, "_");
    if (i < n && i + 1 < n) return i;
    while (n > 0 && is_digit(name[n - 1])) n--;
    return n;
}

/* Append a part of a name: its symbol, or its letters upright if they are several. */
static void add_part(struct text *t, const char *part, size_t n, ty_notation_form form) {
    static const char *const one[] = {"", "", "", "<mi>"}, *const one_end[] = {"", "", "", "</mi>"};
    static const char *const many[] = {"", "", "\\mathrm{", "<mi>"}, *const many_end[] = {"", "", "}",
                                                                                          "</mi>"};
    const struct symbol *s = symbol_of(part, n);
    const char *shown = s ? s->form[form] : part;
    bool upright = !s && text_width(part, n) > 1 && !is_digit(*part);
    if (s && form == TY_NOTATION_LATEX)
        text_add(t, "%s", shown);
    else
        add_between(t, upright ? many : one, shown, s ? strlen(shown) : n, upright ? many_end : one_end,
                    form);
}

static void name_write(struct text *t, const char *name, ty_notation_form form) {
    static const char *const quote[] = {"`", "`", "\\text{", "<mtext>"}, *const end[] = {"`", "`", "}",
                                                                                         "</mtext>"};
    static const char *const before[] = {"", "", "{", "<msub>"}, *const between[] = {"_", "_", "_{", ""},
                             *const after[] = {"", "", "}}", "</msub>"};
    size_t n = strlen(name), first = stem(name);
    if (!is_plain(name)) {
        add_between(t, quote, name, n, end, form);
    } else if (form == TY_NOTATION_ASCII || first == n) {
        form == TY_NOTATION_ASCII ? add_escaped(t, name, n, form) : add_part(t, name, n, form);
    } else {
        const char *rest = name + first + (name[first] == '_');
        text_add(t, "%s", before[form]);
        add_part(t, name, first, form);
        if (form != TY_NOTATION_TEXT || !small_write(t, rest, strlen(rest), false)) {
            text_add(t, "%s", between[form]);
            add_part(t, rest, strlen(rest), form);
        }
        text_add(t, "%s", after[form]);
    }
}

static void function_write(struct text *t, const char *name, ty_notation_form form) {
    static const char *const before[] = {"", "", "\\operatorname{", "<mi>"}, *const after[] = {"", "", "}",
                                                                                               "</mi>"};
    add_between(t, before, name, strlen(name), after, form);
}

static void words_write(struct text *t, const char *words, ty_notation_form form) {
    static const char *const before[] = {"", "", "\\text{", "<mtext>"}, *const after[] = {"", "", "}",
                                                                                          "</mtext>"};
    add_between(t, before, words, strlen(words), after, form);
}

/* ---- numbers ---- */

static void number_write(struct text *t, const char *digits, ty_notation_form form) {
    static const char *const minus[] = {"−", "-", "-", "<mo>−</mo>"};
    static const char *const before[] = {"", "", "", "<mn>"}, *const after[] = {"", "", "", "</mn>"};
    static const char *const times[] = {"·", "", " \\cdot ", "<mo>·</mo>"};
    bool negative = *digits == '-';
    const char *size = digits + negative, *e = strchr(size, 'e');
    const struct constant *constant = constant_spelled(size);
    const struct symbol *s = constant ? &constant->symbol : symbol_of(size, strlen(size));
    if (negative) text_add(t, "%s", minus[form]);
    if (s) {
        text_add(t, "%s", s->form[form]);
    } else if (e && is_digit(*size) && form != TY_NOTATION_ASCII) {
        bool one = e == size + 1 && *size == '1', below = e[1] == '-';
        const char *power = e + 1 + strspn(e + 1, "+-0");
        if (!one) add_between(t, before, size, (size_t)(e - size), after, form);
        if (!one) text_add(t, "%s", times[form]);
        if (form == TY_NOTATION_LATEX) text_add(t, "10^{%s%s}", below ? "-" : "", power);
        if (form == TY_NOTATION_MATHML)
            text_add(t, "<msup><mn>10</mn><mrow>%s<mn>%s</mn></mrow></msup>", below ? minus[form] : "",
                     power);
        if (form == TY_NOTATION_TEXT) {
            text_add(t, "10%s", below ? "⁻" : "");
            small_write(t, power, strlen(power), true);
        }
    } else {
        add_between(t, before, size, strlen(size), after, form);
    }
}

char word_level(const struct note *note, ty_notation_form form) {
    if (note->kind != NOTE_NUMBER) return 'a';
    if (*note->word == '-') return form == TY_NOTATION_ASCII ? '-' : '*';
    return form != TY_NOTATION_ASCII && strchr(note->word, 'e') && is_digit(*note->word) ? '*' : 'a';
}

void word_write(struct text *t, const struct note *note, ty_notation_form form) {
    static void (*const writers[NOTE_KINDS])(struct text * t, const char *word, ty_notation_form form) = {
        [NOTE_NUMBER] = number_write,
        [NOTE_NAME] = name_write,
        [NOTE_FUNCTION] = function_write,
        [NOTE_WORDS] = words_write,
    };
    writers[note->kind](t, note->word, form);
}
