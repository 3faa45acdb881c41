/* Names of the C file. */
#include <string.h>

#include "base/ascii.h"
#include "export/names.h"

/* Keywords of C and C++, macros of their headers and compilers, and types of the files. */
static const char *const words[] = {"alignas",      "alignof",   "and",          "and_eq",
                                    "asm",          "assert",    "auto",         "bitand",
                                    "bitor",        "bool",      "break",        "case",
                                    "catch",        "char",      "char16_t",     "char32_t",
                                    "char8_t",      "class",     "co_await",     "co_return",
                                    "co_yield",     "compl",     "concept",      "const",
                                    "const_cast",   "consteval", "constexpr",    "constinit",
                                    "continue",     "decltype",  "default",      "delete",
                                    "do",           "double",    "dynamic_cast", "else",
                                    "enum",         "EOF",       "errno",        "explicit",
                                    "export",       "extern",    "false",        "float",
                                    "for",          "friend",    "goto",         "HUGE_VAL",
                                    "if",           "INFINITY",  "inline",       "int",
                                    "int16_t",      "int32_t",   "int64_t",      "int8_t",
                                    "linux",        "long",      "mutable",      "namespace",
                                    "NAN",          "new",       "noexcept",     "not",
                                    "not_eq",       "NULL",      "nullptr",      "offsetof",
                                    "operator",     "or",        "or_eq",        "private",
                                    "protected",    "public",    "register",     "reinterpret_cast",
                                    "requires",     "restrict",  "return",       "short",
                                    "signed",       "sizeof",    "static",       "static_assert",
                                    "static_cast",  "stderr",    "stdin",        "stdout",
                                    "struct",       "switch",    "template",     "this",
                                    "thread_local", "throw",     "true",         "try",
                                    "typedef",      "typeid",    "typename",     "typeof",
                                    "uint16_t",     "uint32_t",  "uint64_t",     "uint8_t",
                                    "union",        "unix",      "unsigned",     "using",
                                    "virtual",      "void",      "volatile",     "wchar_t",
                                    "while",        "xor",       "xor_eq"};

static bool is_word(const char *name) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], name)) return true;
    return false;
}

const struct name names_own[NAMES_OWN] = {{"state"}, {"arena"}, {"cell"}, {"memcpy"},
                                          {"from"},  {"to"},    {"code"}};

bool name_check(const char *name, const char *what, struct fault *fault) {
    if (!name) return fault_set(fault, E_ARGUMENT, "export_c: %s is NULL", what);
    size_t n = strlen(name);
    bool good = n > 0 && ascii_is_letter(name[0]);
    for (size_t i = 0; i < n; i++) good = good && ascii_is_word(name[i]);
    if (!good)
        return fault_set(fault, E_ARGUMENT,
                         "export_c: %s is \"%.100s\"; expected an identifier of C: letters, digits and _",
                         what, name);
    if (n > NAME_BYTES / 2)
        return fault_set(fault, E_ARGUMENT,
                         "export_c: %s is \"%.100s\", which has %zu characters; expected at most %d", what,
                         name, n, NAME_BYTES / 2);
    if (name[0] == '_')
        return fault_set(fault, E_ARGUMENT, "export_c: %s is \"%s\"; C reserves names that begin with _",
                         what, name);
    return !is_word(name) ||
           fault_set(fault, E_ARGUMENT, "export_c: %s is \"%s\", a word of C or C++", what, name);
}

static bool is_taken(const char *name, int n, const struct name *taken) {
    for (int i = 0; i < n; i++)
        if (!strcmp(taken[i].text, name)) return true;
    return is_word(name);
}
void name_make(struct name *out, const char *text, const char *other, int n, const struct name *taken) {
    char base[NAME_BYTES / 2];
    size_t length = 0;
    for (const char *at = text; at && *at && length < sizeof base - 1; at++) {
        if (length == 0 && !ascii_is_letter(*at)) continue;
        if (length == 0 && *at == '_') continue;
        base[length++] = ascii_is_word(*at) ? *at : '_';
    }
    base[length] = 0;
    text_print(out->text, sizeof out->text, "%s", length ? base : other);
    for (int i = 1; is_taken(out->text, n, taken); i++)
        text_print(out->text, sizeof out->text, "%s_%d", length ? base : other, i);
}
