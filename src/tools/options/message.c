/* Messages of commands, as text or JSON. */
#include "tools/options/message.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"
#include "tools/command.h"
#include "tools/options/hint.h"
#include "tools/options/result.h"

enum { MOST_WORDS = 8192 }; /* bytes of a message: those of the library have at most 1024 */

struct message {
    ty_code code; /* TY_ERROR_NONE: the exit status says what it is */
    char *words;
};

static struct {
    bool json;
    int arguments; /* behind the name of the command */
    char *const *argument;
    int n, room;
    struct message *all;
} kept;

void messages_start(int n, char *const *arguments) {
    kept.arguments = n > 2 ? n - 2 : 0;
    kept.argument = arguments + 2;
    for (int i = 0; i < kept.arguments && strcmp(kept.argument[i], "--"); i++)
        kept.json = kept.json || !strcmp(kept.argument[i], "--json");
}

/* Print a message, or keep it. */
static int tell(ty_code code, const char *words) {
    struct message m = {code, kept.json ? strdup(words) : NULL};
    if (m.words && list_append(kept.all, kept.n, kept.room, m)) return EXIT_FAILED;
    free(m.words);
    char visible[MOST_WORDS];
    text_print(visible, sizeof visible, "%s", words);
    text_make_visible(visible); /* may contain names from files */
    fprintf(stderr, "tyto: %s\n", visible);
    if (code == TY_ERROR_FILE) hint_below(words);
    return EXIT_FAILED;
}

/* Print the text of the format as a message with a code. */
static int tell_format(ty_code code, const char *format, va_list list) {
    char words[MOST_WORDS];
    text_format(words, sizeof words, format, list);
    return tell(code, words);
}

int complain(const char *format, ...) {
    va_list list;
    va_start(list, format);
    tell_format(TY_ERROR_NONE, format, list);
    va_end(list);
    return EXIT_FAILED;
}

int complain_code(ty_code code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    tell_format(code, format, list);
    va_end(list);
    return EXIT_FAILED;
}

/* Print an error behind the text of the format and a colon; an error that begins with the text stands alone. */
static int tell_about(ty_code code, const char *error, const char *format, va_list list) {
    char words[MOST_WORDS];
    text_format(words, sizeof words, format, list);
    size_t n = strlen(words);
    if (!strncmp(error, words, n) && error[n] == ':') return tell(code, error);
    text_print(words + n, sizeof words - n, ": %s", error);
    return tell(code, words);
}

static ty_code code_of(const ty_tensor *poison) { return poison ? ty_error_code(poison) : TY_ERROR_MEMORY; }
static const char *error_of(const ty_tensor *poison) { return poison ? ty_error(poison) : "out of memory"; }

int complain_of(const ty_tensor *poison) { return tell(code_of(poison), error_of(poison)); }

int complain_about(const ty_tensor *poison, const char *format, ...) {
    va_list list;
    va_start(list, format);
    tell_about(code_of(poison), error_of(poison), format, list);
    va_end(list);
    return EXIT_FAILED;
}

int complain_fault_about(const struct fault *fault, const char *format, ...) {
    va_list list;
    va_start(list, format);
    tell_about(fault->code, fault->text, format, list);
    va_end(list);
    return EXIT_FAILED;
}

static ty_scope *scope; /* between complain_open and complain_close */

void complain_open(void) { scope = ty_open(); }

int complain_close(int status) {
    ty_close(scope);
    return status;
}

int complain_fault(const struct fault *fault) { return tell(fault->code, fault->text); }

void complain_below(const char *format, ...) {
    char words[MOST_WORDS], *line = words, *end;
    va_list list;
    if (kept.json) return;
    va_start(list, format);
    text_format(words, sizeof words, format, list);
    va_end(list);
    for (; *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = 0;
        text_make_visible(line); /* as in messages */
        fprintf(stderr, "%s\n", line);
        if (last) return;
    }
}

const char *message_last(void) { return kept.n ? kept.all[kept.n - 1].words : ""; }

/* ---- JSON ---- */

/* Return the number of the bytes that message and text have in common, up to n, if the message names the text: in front
   of a colon, or in front of its value if it is an option.  0 if not. */
static size_t named_by(const char *message, const char *text, size_t n) {
    bool same = n > 0 && !strncmp(message, text, n);
    return same && (message[n] == ':' || (*text == '-' && message[n] == ' ')) ? n : 0;
}

/* Return the part of the command line that a message begins with, and set *n to its length; NULL if it names none. */
static const char *argument_of(const char *message, size_t *n) {
    const char *longest = NULL;
    *n = 0;
    for (int i = 0; i < kept.arguments; i++) {
        const char *all = kept.argument[i], *equals = strchr(all, '=');
        size_t length = strlen(all), before = equals ? (size_t)(equals - all) : 0;
        const char *const parts[] = {all, all, equals ? equals + 1 : ""};
        const size_t lengths[] = {length, before, equals ? length - before - 1 : 0};
        for (int k = 0; k < 3; k++) {
            size_t found = named_by(message, parts[k], lengths[k]);
            if (found > *n) longest = parts[k], *n = found;
        }
    }
    return longest;
}

/* Append the place that the message begins with: "ARGUMENT:", "FILE:LINE: column N:" or "column N:", or no place. */
static void add_place(struct text *t, const char *message) {
    size_t n;
    const char *argument = argument_of(message, &n), *at = argument ? message + n + 1 : message;
    long line = 0, column = 0;
    int read = 0;
    if (argument && sscanf(at, "%ld:%n", &line, &read) == 1 && read > 0 && line > 0)
        at += read;
    else
        line = 0;
    read = 0;
    if (sscanf(at, " column %ld:%n", &column, &read) != 1 || !read) column = 0;
    if (!argument && !column) return;
    text_add(t, ", \"place\": {");
    char *copy = argument ? strndup(argument, n) : NULL;
    t->failed = t->failed || (argument && !copy);
    if (copy) text_add(t, "\"argument\": "), json_words(t, copy);
    free(copy);
    if (line) text_add(t, ", \"line\": %ld", line);
    if (column) text_add(t, "%s\"column\": %ld", argument ? ", " : "", column);
    text_add(t, "}");
}

/* Return the word for a message's code: that of the library, or what the exit status means. */
static const char *code_word(ty_code code, int status) {
    if (code != TY_ERROR_NONE) return ty_code_name(code);
    if (status == EXIT_SUCCESS || status == EXIT_FAILED) return status ? "failure" : "note";
    if (status == EXIT_USAGE) return "usage";
    return ty_code_name(status == EXIT_TIMEOUT ? TY_ERROR_TIMEOUT : TY_ERROR_INTERRUPTED);
}

void messages_write(int status) {
    struct text t = {0};
    text_add(&t, "{\"status\": %d, \"messages\": [", status);
    for (int i = 0; i < kept.n; i++) {
        text_add(&t, "%s{\"code\": \"%s\", \"message\": ", i ? ", " : "",
                 code_word(kept.all[i].code, status));
        json_words(&t, kept.all[i].words);
        add_place(&t, kept.all[i].words);
        text_add(&t, "}");
    }
    text_add(&t, "]}\n");
    if (kept.n && !t.failed) fwrite(t.data, 1, t.length, stderr);
    for (int i = 0; i < kept.n; i++) {
        if (t.failed) fprintf(stderr, "tyto: %s\n", kept.all[i].words);
        free(kept.all[i].words);
    }
    mem_free(kept.all);
    kept.all = NULL, kept.n = kept.room = 0;
    text_drop(&t);
}
