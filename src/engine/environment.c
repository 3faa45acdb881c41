/* Checks all environment variables of the library and describes invalid ones. */
#include "engine/environment.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/core.h>
#include "base/nearest.h"
#include "compile/watch/trap.h"
#include "contract/contraction.h"
#include "engine/cpu/jit/jit_allowed.h"
#include "engine/cpu/linalg/lapack.h"
#include "ops/core/kernel/devices.h"

static const struct environment_row *const rows[] = {
    &environment_debug,  &environment_isa,    &environment_threads, &environment_workspace,
    &environment_jit,    &environment_passes, &environment_trap,    &environment_profile,
    &environment_lapack, &environment_cache,  &environment_engine};

const struct environment_row *environment_row(int i) {
    return i < (int)(sizeof rows / sizeof *rows) ? rows[i] : NULL;
}

enum {
    ROWS_OF_ALL = sizeof rows / sizeof *rows,
    LINES = 2 * ROWS_OF_ALL,
    LINE = 384,
    SHOWN = 64 /* bytes of a value */
};

extern char **environ; /* POSIX; unistd.h declares it for GNU sources only */

struct environment_lines {
    char *text;
    size_t n;
    int count;
};

static void add(struct environment_lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Append a line of text to l, formatted as by printf and cut to LINE characters; nothing after LINES lines. */
static void add(struct environment_lines *l, const char *format, ...) {
    if (l->count == LINES) return;
    if (l->n) l->text[l->n++] = '\n';
    va_list arguments;
    va_start(arguments, format);
    int more = text_format(l->text + l->n, LINE - 1, format, arguments);
    va_end(arguments);
    l->n += more > 0 && more < LINE - 1 ? (size_t)more : 0;
    l->count++;
}

/* Append to l a line for each variable of the environment whose value is not allowed. */
static void add_values(struct environment_lines *l) {
    for (int i = 0; i < ROWS_OF_ALL; i++) {
        const char *value = getenv(rows[i]->name);
        if (value && *value && !rows[i]->allows(value))
            add(l, "%s is \"%.*s\"; expected %s", rows[i]->name, SHOWN, value, rows[i]->values);
    }
}

/* Return true if each word of a name, between its underscores, is one of `whole`: TY_THREADS of TY_NUM_THREADS. */
static bool is_part(const char *name, const char *whole) {
    for (;; name++) {
        size_t n = strcspn(name, "_");
        const char *at = whole;
        while (*at && (strcspn(at, "_") != n || strncmp(at, name, n))) {
            at += strcspn(at, "_");
            at += *at == '_';
        }
        if (!*at) return false;
        name += n;
        if (!*name) return true;
    }
}

/* Append to l a line for each variable of the environment that begins with TY_ and nearly matches a name of
   ours; other names may belong to others. */
static void add_names(struct environment_lines *l) {
    for (char **entry = environ; entry && *entry; entry++) {
        char name[SHOWN], hint[NEAREST_HINT];
        size_t n = strcspn(*entry, "=");
        if (strncmp(*entry, "TY_", 3) || n >= sizeof name) continue;
        memcpy(name, *entry, n);
        name[n] = 0;
        struct nearest near = {.wanted = name};
        for (int i = 0; i < ROWS_OF_ALL; i++) nearest_offer(&near, rows[i]->name);
        nearest_hint(&near, hint);
        if (*hint && strcmp(near.name, name)) add(l, "unknown variable %s%s", name, hint);
        for (int i = 0; i < ROWS_OF_ALL && !*hint; i++)
            if (is_part(name, rows[i]->name))
                add(l, "unknown variable %s (did you mean %s?)", name, rows[i]->name);
    }
}

const char *ty_environment_error(void) {
    static _Thread_local char text[LINES * LINE];
    text[0] = 0;
    struct environment_lines lines = {text, 0, 0};
    add_values(&lines);
    add_names(&lines);
    return text;
}
