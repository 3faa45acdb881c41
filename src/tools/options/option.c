/* Parsing of options by tables. */
#include "tools/command.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/core.h>
#include "base/alloc.h"
#include "base/files/file.h"
#include "base/list.h"
#include "io/archive.h"
#include "tools/options/commands.h"
#include "tools/options/message.h"
#include "tools/options/result.h"
#include "tools/options/streams.h"

void print_padded(const char *words, int width) {
    struct text t = {0};
    text_add_padded(&t, words, width);
    char *shown = text_take(&t);
    say("%s", shown ? shown : "?");
    ty_free(shown);
}

static bool parse_flag(const char *text, void *place) {
    *(bool *)place = true;
    return !text;
}

static bool parse_any(const char *text, void *place) {
    *(const char **)place = text;
    return true;
}

static bool parse_item(const char *text, void *place) {
    (void)place;
    return *text;
}

static bool parse_input(const char *text, void *place) {
    const char *equals = strchr(text, '=');
    (void)place;
    return equals && equals > text && equals[1];
}

static bool parse_size(const char *text, void *place) {
    const char *equals = strchr(text, '=');
    int64_t size;
    struct nearest near;
    (void)place;
    return equals && equals > text && field_parse(&option_count.value, equals + 1, &size, &near);
}

/* Parse numbers of threads, 1 to 1024, separated by commas, into the option_threads_list at `place`; false
   if one is invalid or there are more than OPTION_THREADS. */
static bool parse_threads(const char *text, void *place) {
    struct option_threads_list *list = place;
    for (list->n = 0; list->n < OPTION_THREADS; text++) {
        char *end;
        errno = 0;
        long long width = strtoll(text, &end, 10);
        if (errno || end == text || !field_holds(&option_width.value, (double)width)) return false;
        list->counts[list->n++] = (int)width;
        text = end;
        if (!*text) return true;
        if (*text != ',') return false;
    }
    return false;
}

/* A text that is not empty; `words` say what it is. */
#define TEXT(placeholder, words) .argument = placeholder, .expected = words, .value = {.type = FIELD_TEXT}
#define LONG .type = FIELD_LONG, .size = sizeof(int64_t)
#define REAL .type = FIELD_REAL, .size = sizeof(double)

const struct option_type option_flag = {.expected = "nothing", .parse = parse_flag};
const struct option_type option_count = {.argument = "N", .value = {LONG, .low = 1, .end = INFINITY}};
const struct option_type option_width = {.argument = "N", .value = {LONG, .low = 1, .end = 1025}};
const struct option_type option_seed = {.argument = "N",
                                        .value = {.type = FIELD_WORD, .size = sizeof(uint64_t)}};
const struct option_type option_number = {.argument = "X", .value = {REAL, .end = INFINITY, .above = true}};
const struct option_type option_share = {.argument = "X", .value = {REAL, .end = 1}};
const struct option_type option_dtype = {.argument = "DTYPE",
                                         .value = {.type = FIELD_WIDER, .size = sizeof(int)}};
const struct option_type option_name = {TEXT("NAME", "a name")};
const struct option_type option_file = {TEXT("FILE", "the name of a file"), .read = true};
const struct option_type option_source = {TEXT("FILE", "a name"), .read = true};
const struct option_type option_target = {TEXT("FILE", "the name of a file"), .written = true};
const struct option_type option_folder = {TEXT("DIR", "the name of a folder")};
const struct option_type option_text = {TEXT("TEXT", "an expression")};
const struct option_type option_words = {.argument = "TEXT", .expected = "a text", .parse = parse_any};
const struct option_type option_equation = {
    .argument = "TEXT", .expected = "an equation", .parse = parse_any}; /* "" is the equation of a scalar */
const struct option_type option_names = {
    .argument = "NAME", .expected = "a name", .parse = parse_item, .list = true};
const struct option_type option_inputs = {
    .argument = "NAME=FILE", .expected = "NAME=FILE", .parse = parse_input, .list = true, .read = true};
const struct option_type option_any_inputs = {
    .argument = "NAME=FILE", .expected = "NAME=FILE", .parse = parse_item, .list = true, .read = true};
const struct option_type option_files = {
    .argument = "FILE", .expected = "the name of a file", .parse = parse_item, .list = true, .read = true};
const struct option_type option_sizes = {.argument = "NAME=SIZE",
                                         .expected = "NAME=SIZE with a size of at least 1",
                                         .parse = parse_size,
                                         .list = true};
const struct option_type option_threads = {
    .argument = "N,N", .expected = "numbers of threads from 1 to 1024: 1,2", .parse = parse_threads};

enum { MOST_DIGITS = 100 }; /* no double of a usual size has more in front of its zeros */
static const struct option_type option_seconds = {.argument = "SECONDS",
                                                  .value = {REAL, .end = INFINITY, .above = true}};
static const struct option_type option_bytes = {.argument = "BYTES",
                                                .value = {LONG, .low = 0, .end = INFINITY}};
static const struct option computing_options[] = {
    {"--engine", &option_name, offsetof(struct common, engine),
     "compute on cpu, ref (a slow reference), null (computes nothing) or a device such as opencl:0; tyto "
     "devices lists them (default: TY_ENGINE, else cpu)"},
    {0}};
static const struct option_type option_digits = {.argument = "N",
                                                 .value = {LONG, .low = 1, .end = MOST_DIGITS + 1}};
static const struct option answering_options[] = {{"--json", &option_flag, offsetof(struct common, json),
                                                   "print the results as one JSON object (docs/json.md)"},
                                                  {0}};
static const struct option printing_options[] = {
    {"--precision", &option_digits, offsetof(struct common, precision),
     "digits of printed numbers: those behind the point in arrays (8), all digits elsewhere"},
    {0}};
static const struct option common_options[] = {
    {"--timeout", &option_seconds, offsetof(struct common, timeout),
     "stop after so many seconds, with exit status 124"},
    {"--cache", &option_bytes, offsetof(struct common, cache),
     "keep at most so many bytes of freed memory for reuse; 0: none (default: TY_CACHE, else automatic)"},
    {"--help", &option_flag, offsetof(struct common, help), "print this help"},
    {0}};

const struct option *options_table(const struct command *c, int i) {
    const struct option *const tables[] = {c->options, answering_options, c->prints ? printing_options : NULL,
                                           c->computes ? computing_options : NULL, common_options};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (tables[k] && !i--) return tables[k];
    return NULL;
}

void options_synopsis(struct text *t, const struct command *c) {
    for (const struct option *o = c->options; o->name; o++) {
        bool dots = strstr(o->name, "...") != NULL;
        if (*o->name != '-') text_add(t, "%s%s ", o->name, o->type->list && !dots ? "..." : "");
    }
    text_add(t, "[OPTION]...");
}

/* Return the option whose name is the first `length` bytes of text; NULL if there is none. */
static const struct option *find(const struct option *options, const char *text, size_t length) {
    for (const struct option *o = options; o->name; o++)
        if (strlen(o->name) == length && !memcmp(o->name, text, length)) return o;
    return NULL;
}

/* Return the command's positional option number `skip`, from 0, or the first list up to it;
   NULL if there are too few. */
static const struct option *positional(const struct command *c, int skip) {
    for (const struct option *o = c->options; o->name; o++)
        if (o->name[0] != '-' && (!skip-- || o->type->list)) return o;
    return NULL;
}

/* Return true if a command has an option of this name. */
static bool has(const struct command *c, const char *name) {
    for (int i = 0; options_table(c, i); i++)
        if (find(options_table(c, i), name, strlen(name))) return true;
    return false;
}

/* Append the commands that have an option of this name, the first few by name; nothing if none has it. */
static void add_owners(struct text *t, const char *name) {
    enum { NAMED = 3 };
    int owners = 0;
    for (int i = 0; commands[i]; i++) {
        if (!has(commands[i], name)) continue;
        if (owners++ < NAMED) text_add(t, "%s%s", owners > 1 ? ", " : ", an option of ", commands[i]->name);
    }
    if (owners > NAMED) text_add(t, " and %d others", owners - NAMED);
}

/* Print on stderr that command c has no option whose name is the first `length` bytes of text, with the most similar
   option that it has, or else the commands that have it; always return false. */
static bool unknown(const struct command *c, const char *text, size_t length) {
    char name[64], hint[NEAREST_HINT];
    struct text owners = {0};
    text_print(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, text);
    struct nearest n = {.wanted = name};
    for (int i = 0; options_table(c, i); i++)
        for (const struct option *o = options_table(c, i); o->name; o++)
            if (o->name[0] == '-') nearest_offer(&n, o->name);
    if (!*nearest_hint(&n, hint)) add_owners(&owners, name);
    complain("%s: unknown option %s%s%s; see tyto %s --help (put arguments that begin with a dash after --)",
             c->name, name, hint, owners.data ? owners.data : "", c->name);
    text_drop(&owners);
    return false;
}

/* Append a text, which is borrowed; false after a message on stderr. */
static bool append(struct option_list *list, const char *text) {
    return list_append(list->items, list->n, list->capacity, text) ||
           complain("out of memory") == EXIT_SUCCESS;
}

/* Return the path in the text of an option that reads: FILE, or that of NAME=FILE. */
static const char *path_of(const struct option_type *t, const char *text) {
    const char *equals = strchr(t->argument, '=') ? strchr(text, '=') : NULL;
    return equals ? equals + 1 : text;
}

/* Print on stderr that `value` is none of option o, or of the positional argument o of command c, and what is expected;
   always return false. */
static bool refuse(const struct command *c, const struct option *o, const char *value, const char *hint,
                   const char *expected) {
    const char *shown = *value ? value : "\"\"";
    if (*o->name == '-')
        return complain("%s %s%s: expected %s", o->name, shown, hint, expected) == EXIT_SUCCESS;
    struct text usage = {0};
    options_synopsis(&usage, c);
    complain("%s%s: expected %s; usage: tyto %s %s", shown, hint, expected, c->name,
             usage.data ? usage.data : "");
    text_drop(&usage);
    return false;
}

/* Parse `value` (NULL: none given) as option o of command c into its field of the settings; false after a message on
   stderr. */
static bool set(const struct command *c, const struct option *o, const char *value, void *settings) {
    const struct option_type *t = o->type;
    char words[FIELD_WORDS], hint[NEAREST_HINT] = "";
    const char *expected = t->expected ? t->expected : field_expected(&t->value, words);
    void *place = (char *)settings + o->place;
    struct nearest near = {.wanted = value};
    if (t->argument && !value) {
        complain("%s needs a value: %s", o->name, expected);
        return false;
    }
    if (value && !strcmp(value, "-") && (t->read || t->written))
        value = t->written ? "/dev/stdout" : "/dev/stdin";
    if (value && t->read) stream_note(path_of(t, value));
    if (t->parse ? t->parse(value, place) : field_parse(&t->value, value, place, &near))
        return !t->list || append(place, value);
    return refuse(c, o, value, nearest_hint(&near, hint), expected);
}

void options_drop(const struct command *c, void *settings) {
    for (const struct option *o = c->options; o->name; o++) {
        struct option_list *list = (struct option_list *)((char *)settings + o->place);
        if (!o->type->list) continue;
        mem_free(list->items);
        *list = (struct option_list){0}; /* several options may append to one list */
    }
}

/* ---- options of one format ---- */

enum {
    MOST_GIVEN = 64
}; /* options of one command line that are remembered: no command has as many of one format */
static const struct option *formatted[MOST_GIVEN];
static int nformatted;

/* Copy the name of the format that an option is for to name[]; false if it is for all. */
static bool format_of_option(const struct option *o, char name[4]) {
    static const char *const formats[] = {"csv", "npy"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strncmp(o->doc, formats[i], 3) && o->doc[3] == ':') return memcpy(name, formats[i], 4);
    return false;
}

/* Return true if a file, NAME=FILE or FILE:KEY may have a format: its name says so, or says nothing. */
static bool may_have(const struct option_type *t, const char *text, const char *name) {
    bool gzip;
    const struct format *format = format_of_path(path_of(t, text), &gzip);
    return !format || !strcmp(format->name, name);
}

/* Return true unless a file is written to the standard output, where --json prints the results; else false after a message
   on stderr. */
static bool one_output(const struct command *c, const void *settings) {
    for (const struct option *o = c->options; o->name && result_json(); o++) {
        const char *path =
            o->type->written ? *(const char *const *)((const char *)settings + o->place) : NULL;
        if (path && !strcmp(path, "/dev/stdout"))
            return complain("--json and %s -: both are written to the standard output", o->name) ==
                   EXIT_SUCCESS;
    }
    return true;
}

/* Print on stderr that option o is for reading files of a format; always return false. */
static bool refuse_format(const struct command *c, const struct option *o, const char *format) {
    char writes[64];
    text_print(writes, sizeof writes, "--to%s", o->name + 1);
    bool both = has(c, writes);
    return complain("%s: it is for reading files of %s, and none is given%s%s%s", o->name, format,
                    both ? "; " : "", both ? writes : "", both ? " is for writing" : "") == EXIT_SUCCESS;
}

bool options_matter(const struct command *c, const void *settings) {
    if (!one_output(c, settings)) return false;
    const struct option *from = find(c->options, "--from", strlen("--from"));
    if (from && *(const char *const *)((const char *)settings + from->place)) return true;
    for (int i = 0; i < nformatted; i++) {
        bool matters = false;
        char name[4];
        format_of_option(formatted[i], name);
        for (const struct option *o = c->options; o->name && !matters; o++) {
            const void *at = (const char *)settings + o->place;
            const struct option_list *list = at;
            const char *one = o->type->read && !o->type->list ? *(const char *const *)at : NULL;
            matters = one && may_have(o->type, one, name);
            for (int k = 0; o->type->read && o->type->list && k < list->n && !matters; k++)
                matters = may_have(o->type, list->items[k], name);
        }
        if (!matters) return refuse_format(c, formatted[i], name);
    }
    return true;
}

uint64_t options_most_bytes(const struct command *c, const void *settings) {
    const struct option *o = find(c->options, "--most-bytes", strlen("--most-bytes"));
    return o ? (uint64_t) * (const int64_t *)((const char *)settings + o->place) : 0;
}

bool options_try(const struct command *c, const void *settings) {
    struct fault fault = {0};
    for (const struct option *o = c->options; o->name; o++) {
        const char *path =
            o->type->written ? *(const char *const *)((const char *)settings + o->place) : NULL;
        if (path && !replacement_try(path, &fault)) return complain_fault(&fault) == EXIT_SUCCESS;
    }
    return true;
}

/* Parse the option that arguments[*i] of n names, and its value, which may be the next argument; false after a message
   on stderr. */
static bool parse_option(const struct command *c, int n, char **arguments, int *i, void *settings,
                         struct common *common) {
    const char *text = arguments[*i], *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const struct option *o = find(c->options, text, length);
    void *where = o ? settings : common;
    for (int t = 1; !o && options_table(c, t); t++) o = find(options_table(c, t), text, length);
    if (!o && c->words) return set(c, positional(c, 0), text, settings);
    if (!o) return unknown(c, text, length);
    const char *value = equals ? equals + 1 : NULL;
    const char *next = !value && *i + 1 < n ? arguments[*i + 1] : NULL;
    if (next && (o->type->argument || (o->type->takes && o->type->takes(next)))) value = arguments[++*i];
    if (nformatted < MOST_GIVEN && format_of_option(o, (char[4]){0})) formatted[nformatted++] = o;
    return set(c, o, value, where);
}

/* Say how to quote if single quotes enclose several arguments: Windows' shell takes double quotes alone. */
static void note_quotes(int n, char **arguments) {
    int first = 0, last;
    while (first < n && *arguments[first] != '\'') first++;
    for (last = first; last < n; last++) {
        const char *text = arguments[last];
        size_t length = strlen(text);
        if (length > (last == first) && text[length - 1] == '\'') break;
    }
    if (last < n && last > first)
        complain_below("  the shell has split the text in '...'; cmd.exe needs double quotes: \"...\"\n");
}

static bool parse_all(const struct command *c, int n, char **arguments, void *settings,
                      struct common *common) {
    int places = 0;
    bool rest = false; /* after "--" all arguments are positional */
    for (int i = 0; i < n; i++) {
        const char *text = arguments[i];
        if (!rest && !strcmp(text, "--")) {
            rest = true;
            continue;
        }
        if (rest || text[0] != '-' || !text[1] || text[1] == ':') { /* "-" is the standard input */
            const struct option *o = positional(c, places++);
            if (!o) {
                complain("%s: unexpected argument \"%s\"; see tyto %s --help", c->name, text, c->name);
                return false;
            }
            if (!set(c, o, text, settings)) return false;
            continue;
        }
        if (!parse_option(c, n, arguments, &i, settings, common)) return false;
    }
    return true;
}

bool options_parse(const struct command *c, int n, char **arguments, void *settings, struct common *common) {
    bool parsed = parse_all(c, n, arguments, settings, common);
    if (!parsed) note_quotes(n, arguments);
    return parsed;
}
