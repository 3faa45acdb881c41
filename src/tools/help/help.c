/* tyto help: the help of commands, the index, and the files that other programs show: man pages and completion. */
#include "tools/help/help.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/core.h>
#include "base/files/folders.h"
#include "base/text.h"
#include "tools/help/layout.h"
#include "tools/options/file.h"
#include "tools/options/result.h"
#include "tools/options/message.h"

struct settings {
    struct option_list words;
    bool man;
    int shell; /* index in shells; -1: none */
    const char *folder;
};

/* ---- on the terminal ---- */

int help_all(void) {
    struct layout l = layout_begin();
    struct text t = {0};
    text_add(&t, "tyto %s: arrays, graphs, gradients, and a compiler for them", ty_version());
    if (t.data) layout_words(&l, 0, t.data, t.length);
    layout_end(&l);
    text_drop(&t);
    printf("\n");
    static const char usage[] = "usage: tyto COMMAND [OPTION]...",
                      more[] =
                          "tyto help COMMAND describes one command; tyto help WORD finds what means a word.";
    layout_words(&l, 4, usage, strlen(usage));
    layout_end(&l);
    printf("\n");
    l.side = 16;
    for (int i = 0; commands[i]; i++) layout_row(&l, commands[i]->name, commands[i]->doc);
    printf("\n");
    layout_row(&l, "--help", "Print this help; behind a command, its help.");
    layout_row(&l, "--version", "Print the version.");
    printf("\n");
    layout_words(&l, 0, more, strlen(more));
    layout_end(&l);
    return EXIT_SUCCESS;
}

int help_of(const struct command *c) {
    struct layout l = layout_begin();
    struct text usage = {0};
    layout_words(&l, 0, c->doc, strlen(c->doc));
    layout_end(&l);
    text_add(&usage, "usage: tyto %s ", c->name);
    options_synopsis(&usage, c);
    printf("\n");
    if (usage.data) layout_words(&l, 4, usage.data, usage.length);
    layout_end(&l);
    text_drop(&usage);
    printf("\n");
    for (int i = 0; options_table(c, i); i++)
        for (const struct option *o = options_table(c, i); o->name; o++) {
            char left[128];
            bool argument = *o->name == '-' && o->type->argument;
            text_print(left, sizeof left, "%s%s%s", o->name, argument ? " " : "",
                       argument ? o->type->argument : "");
            layout_row(&l, left, o->doc);
        }
    printf("\n");
    if (layout_details(&l, c->details, false)) printf("\n");
    printf("examples:\n");
    layout_details(&l, c->details, true);
    return EXIT_SUCCESS;
}

static const struct command *named(const char *name) {
    int i = 0;
    while (commands[i] && strcmp(commands[i]->name, name)) i++;
    return commands[i];
}

/* ---- files ---- */

/* Print a text and free it; return the exit status. */
static int print(char *text) { return result_take("text", text) ? EXIT_SUCCESS : EXIT_FAILED; }

/* Print the man page of the command that the first word names, or that of all.  Return the exit status. */
static int print_page(const struct option_list *words) {
    const struct command *c = words->n ? named(words->items[0]) : NULL;
    struct nearest near = {.wanted = words->n ? words->items[0] : ""};
    if (c || !words->n) return print(man_page(c));
    for (int i = 0; commands[i]; i++) nearest_offer(&near, commands[i]->name);
    complain("--man: unknown command %s%s", words->items[0], nearest_hint(&near, (char[NEAREST_HINT]){0}));
    return EXIT_USAGE;
}

/* Write a text to FOLDER/PLACE/NAME and free it; folders are made.  False after a message on stderr. */
static bool write_to(const char *folder, const char *place, const char *name, char *text) {
    struct text path = {0};
    text_add(&path, "%s/%s", folder, place);
    bool made = path.data && folders_make(path.data, 0777);
    if (path.data && !made)
        complain_code(TY_ERROR_FILE, "%s: the folder cannot be made: %s", path.data, strerror(errno));
    text_add(&path, "/%s", name);
    if (path.failed) complain("out of memory");
    bool written = made && !path.failed && file_write_text(path.data, text);
    if (written) result_text(NULL, path.data);
    if (!made || path.failed) ty_free(text);
    text_drop(&path);
    return written;
}

/* Write all man pages and scripts of completion below the folder; return the exit status. */
static int write_all(const char *folder) {
    result_open("written", '[');
    bool well = write_to(folder, "man/man1", "tyto.1", man_page(NULL));
    for (int i = 0; commands[i] && well; i++) {
        char name[64];
        text_print(name, sizeof name, "tyto-%s.1", commands[i]->name);
        well = write_to(folder, "man/man1", name, man_page(commands[i]));
    }
    for (const struct shell *s = shells; s->name && well; s++)
        well = write_to(folder, s->folder, s->file, s->script());
    result_close();
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

/* ---- the command ---- */

/* Return the exit status of a search for words: of unknown ones it is a misuse if one stands where an option would. */
static int status_of(bool well, const struct option_list *words) {
    for (int i = 0; i < words->n && !well; i++)
        if (*words->items[i] == '-') return EXIT_USAGE;
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

/* Append the commands among the words, or all, to the JSON, and then what other words mean; return the exit status. */
static int describe(const struct option_list *words) {
    bool well = true;
    result_open("commands", '[');
    for (int i = 0; commands[i] && !words->n; i++) help_describe(commands[i]);
    for (int i = 0; i < words->n; i++)
        if (named(words->items[i])) help_describe(named(words->items[i]));
    result_close();
    result_open("found", '[');
    bool is_term = help_find_phrase(words->n, words->items);
    for (int i = 0; i < words->n && !is_term; i++)
        if (!named(words->items[i])) well = help_find(words->items[i]) && well;
    result_close();
    return status_of(well, words);
}

static int run(const void *given) {
    const struct settings *s = given;
    if (s->man + (s->shell >= 0) + !!s->folder > 1) {
        complain("--man, --completion, --write: expected one of them");
        return EXIT_USAGE;
    }
    if (s->man) return print_page(&s->words);
    if (s->shell >= 0) return print(shells[s->shell].script());
    if (s->folder) return write_all(s->folder);
    if (result_json()) return describe(&s->words);
    if (!s->words.n) return help_all();
    if (help_find_phrase(s->words.n, s->words.items)) return EXIT_SUCCESS;
    bool well = true;
    for (int i = 0; i < s->words.n; i++) {
        const struct command *c = named(s->words.items[i]);
        if (i) printf("\n");
        if (c)
            help_of(c);
        else
            well = help_find(s->words.items[i]) && well;
    }
    return status_of(well, &s->words);
}

static const char *shell_name(int i) { return shells[i].name; }
static const struct option_type option_shell = OPTION_NAMED("SHELL", shell_name);
#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"[WORD]", &option_names, AT(words), "a command, or a word to look for: hist, lr, resnet"},
    {"--man", &option_flag, AT(man), "print the man page of the command, or of all"},
    {"--completion", &option_shell, AT(shell), "print the script of completion for bash, zsh or fish"},
    {"--write", &option_folder, AT(folder), "write all man pages and scripts of completion below DIR"},
    {0}};

const struct command command_help = {
    .name = "help",
    .doc = "Describe a command, or find the names that mean a word.",
    .details = "  tyto help train\n"
               "  tyto help hist lr resnet\n"
               "  tyto help --man train | man -l -\n"
               "  tyto help --completion bash >>~/.bashrc\n"
               "Words of NumPy, PyTorch, R and MATLAB find the names that mean the same here.",
    .options = options,
    .defaults = &(const struct settings){.shell = -1},
    .bytes = sizeof(struct settings),
    .words = true,
    .run = run};
