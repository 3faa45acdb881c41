/* The index: everything that has a word as its name, or a name that means it. */
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>
#include <tyto/layers.h>
#include <tyto/zoo.h>
#include "base/text.h"
#include "tools/help/help.h"
#include "tools/help/layout.h"
#include "tools/options/result.h"

/* A search; `near` has the word, and the nearest name of all. */
struct search {
    struct layout layout;
    struct nearest near;
    int found;
    const struct option *option; /* whose values are searched */
};

/* Print an entry if `name` means the word: the kind, then `words`.  The name must outlive the search. */
static void offer(struct search *s, const char *name, const char *kind, const char *words) {
    struct text t = {0};
    nearest_offer(&s->near, name);
    if (!nearest_means(&s->near, name)) return;
    text_add(&t, "%s%s%s", kind, *words ? ": " : "", words);
    if (!result_json()) layout_row(&s->layout, name, t.data ? t.data : kind);
    text_drop(&t);
    result_open(NULL, '{');
    result_text("name", name);
    result_text("kind", kind);
    result_text("doc", words);
    result_close();
    s->found++;
}

static bool have_same_text(const struct option *a, const struct option *b) {
    return !strcmp(a->name, b->name) && !strcmp(a->doc, b->doc);
}

static bool have_same_values(const struct option *a, const struct option *b) {
    return !strcmp(a->name, b->name) && a->type == b->type;
}

/* Return true if an earlier command than number `command` has the same option. */
static bool is_repeated(const struct option *o, int command,
                        bool (*same)(const struct option *a, const struct option *b)) {
    for (int c = 0; c < command; c++)
        for (int i = 0; options_table(commands[c], i); i++)
            for (const struct option *p = options_table(commands[c], i); p->name; p++)
                if (same(p, o)) return true;
    return false;
}

/* Append the names of the commands that have an option. */
static void add_owners(struct text *t, const struct option *o) {
    int owners = 0;
    for (int c = 0; commands[c]; c++)
        for (int i = 0; options_table(commands[c], i); i++)
            for (const struct option *p = options_table(commands[c], i); p->name; p++)
                if (have_same_text(p, o)) text_add(t, "%s%s", owners++ ? ", " : "", commands[c]->name);
}

static void offer_value(void *context, const char *name) {
    struct search *s = context;
    char kind[64];
    text_print(kind, sizeof kind, "value of %s", s->option->name);
    offer(s, name, kind, "");
}

static void find_options(struct search *s) {
    for (int c = 0; commands[c]; c++)
        for (int i = 0; options_table(commands[c], i); i++)
            for (const struct option *o = options_table(commands[c], i); o->name; o++) {
                struct text kind = {0};
                if (*o->name != '-') continue;
                text_add(&kind, "option of tyto ");
                add_owners(&kind, o);
                if (!is_repeated(o, c, have_same_text))
                    offer(s, o->name, kind.data ? kind.data : "option", o->doc);
                text_drop(&kind);
                s->option = o;
                if (!is_repeated(o, c, have_same_values)) option_names_of(o, offer_value, s);
            }
}

static void find_functions(struct search *s) {
    const char *line;
    for (int i = 0; (line = ty_expression_function(i)); i++) {
        char name[64];
        text_print(name, sizeof name, "%.*s", (int)strcspn(line, "( "), line);
        if (nearest_means(&s->near, name)) offer(s, name, "function of tyto eval", line);
    }
}

/* Names that no table of this command has: functions of C, and pages. */
static const struct {
    const char *name, *kind, *words;
} elsewhere[] = {
#define WORDS(row)
#define CALL(name, words, header) {name, "function of C in <tyto/" header ">", ""},
#define PAGE(name, words, subject) {name, "page docs/" name ".md", subject},
#include "base/synonyms.def"
};

/* Print all that a word means. */
static void find(struct search *s, const char *word) {
    s->near = (struct nearest){.wanted = word, .pages = true};
    for (int i = 0; commands[i]; i++) offer(s, commands[i]->name, "command", commands[i]->doc);
    find_options(s);
    find_functions(s);
    for (int i = 0; ty_networks[i]; i++) offer(s, ty_networks[i]->name, "network", ty_networks[i]->doc);
    for (int i = 0; ty_layer_kinds[i]; i++) offer(s, ty_layer_kinds[i]->name, "layer of networks", "");
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (!i ||
            strcmp(elsewhere[i - 1].name, elsewhere[i].name)) /* a page may have several rows of words */
            offer(s, elsewhere[i].name, elsewhere[i].kind, elsewhere[i].words);
}

bool help_find_phrase(int n, const char *const *words) {
    struct search s = {.layout = layout_begin()};
    struct text phrase = {0};
    for (int i = 0; i < n; i++) text_add(&phrase, "%s%s", i ? "_" : "", words[i]);
    for (char *at = phrase.data; at && *at; at++)
        if (*at == ' ') *at = '_';
    if (phrase.data && strchr(phrase.data, '_')) find(&s, phrase.data);
    text_drop(&phrase);
    return s.found;
}

bool help_find(const char *word) {
    enum { LONGEST = 128 };
    struct search s = {.layout = layout_begin()};
    char hint[NEAREST_HINT], plain[LONGEST], joined[LONGEST];
    text_print(plain, sizeof plain, "%.*s", (int)strcspn(word, "( "), word); /* a call: sum(x) */
    const char *dot = strrchr(plain, '.');
    find(&s, *plain ? plain : word);
    if (!s.found && dot) { /* a name with dots, of R: t.test, data.frame */
        size_t n = 0;
        for (const char *at = plain; *at; at++)
            if (*at != '.') joined[n++] = *at;
        joined[n] = 0;
        find(&s, joined);
    }
    if (!s.found && dot && dot[1]) find(&s, dot + 1); /* the name behind a module: np.sum, torch.nn.Linear */
    if (s.found) return true;
    complain(*word == '-' ? "unknown option %s of all commands%s; see tyto --help"
                          : "%s is no command, option, function, network or layer%s; see tyto --help, or "
                            "search the pages of docs/",
             word, nearest_hint(&s.near, hint));
    return false;
}
