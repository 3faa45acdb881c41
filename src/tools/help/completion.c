/* Completion in the scripts of three shells. */
#include <string.h>
#include <tyto/core.h>
#include <tyto/zoo.h>
#include "base/text.h"
#include "ops/core/kernel/devices.h"
#include "tools/help/help.h"

void option_names_of(const struct option *o, void (*told)(void *context, const char *name), void *context) {
    const struct field *f = &o->type->value;
    const char *name;
    if (!o->type->parse && f->type == FIELD_NAME)
        for (int i = 0; (name = f->named(i)); i++) told(context, name);
    if (!o->type->parse && (f->type == FIELD_WIDER || f->type == FIELD_DTYPE))
        for (int i = 0; i < TY_DTYPES; i++) told(context, ty_dtype_name((ty_dtype)i));
    if (!strcmp(o->name, "--engine"))
        for (int i = 0; engine_table[i]; i++) told(context, engine_table[i]->name);
    if (strstr(o->name, "NETWORK"))
        for (int i = 0; ty_networks[i]; i++) told(context, ty_networks[i]->name);
}

static void append_name(void *context, const char *name) {
    struct text *t = context;
    text_add(t, "%s%s", t->length ? " " : "", name);
}

/* Return the names of an option's values between blanks, NULL if it has none; the text is dropped by the caller. */
static const char *names_of(const struct option *o, struct text *t) {
    option_names_of(o, append_name, t);
    return t->data;
}

static bool takes(const struct option *o, const char *argument) {
    return o->type->argument && strstr(o->type->argument, argument);
}

/* Append words in single quotes of the shell; characters of `also` come behind a backslash. */
static void add_quoted(struct text *t, const char *words, const char *also) {
    text_add(t, "'");
    for (; *words; words++) {
        if (*words == '\'')
            text_add(t, "'\\''");
        else
            text_add(t, "%s%c", strchr(also, *words) ? "\\" : "", *words);
    }
    text_add(t, "'");
}

/* Call add(t, c, o) for each option of a command, its positional arguments or the others. */
static void each(struct text *t, const struct command *c, bool positional,
                 void (*add)(struct text *t, const struct command *c, const struct option *o)) {
    for (int i = 0; options_table(c, i); i++)
        for (const struct option *o = options_table(c, i); o->name; o++)
            if ((*o->name != '-') == positional) add(t, c, o);
}

/* ---- bash ---- */

static void bash_values(struct text *t, const struct command *c, const struct option *o) {
    struct text names = {0};
    if (names_of(o, &names))
        text_add(t, "    %s,%s) words='%s' ;;\n", c->name, o->name, names.data);
    else if (o->type->argument)
        text_add(t, "    %s,%s) kind=%s ;;\n", c->name, o->name,
                 takes(o, "FILE")  ? "file"
                 : takes(o, "DIR") ? "folder"
                                   : "value");
    t->failed = t->failed || names.failed;
    text_drop(&names);
}

static void bash_option(struct text *t, const struct command *c, const struct option *o) {
    (void)c;
    text_add(t, " %s", o->name);
}

static void bash_places(struct text *t, const struct command *c, const struct option *o) {
    struct text names = {0};
    (void)c;
    if (names_of(o, &names)) text_add(t, " %s", names.data);
    t->failed = t->failed || names.failed;
    text_drop(&names);
}

static char *bash_script(void) {
    struct text t = {0};
    text_add(&t, "# Completion of tyto in bash, made by tyto help --completion bash.\n_tyto() {\n"
                 "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                 "    local command=${COMP_WORDS[1]} words='' kind='' files='' IFS=$' \\t\\n'\n"
                 "    COMPREPLY=()\n"
                 "    if [ \"$current\" = = ]; then current=''\n"
                 "    elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
                 "    if [ \"$COMP_CWORD\" = 1 ]; then\n        words='--help --version");
    for (int i = 0; commands[i]; i++) text_add(&t, " %s", commands[i]->name);
    text_add(&t, "'\n        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n        return\n    fi\n"
                 "    case $command,$before in\n");
    for (int i = 0; commands[i]; i++) each(&t, commands[i], false, bash_values);
    text_add(&t, "    help,*) words='");
    for (int i = 0; commands[i]; i++) text_add(&t, " %s", commands[i]->name);
    text_add(&t, "' ;;\n    esac\n    case $kind,$current in\n"
                 "    file,*) files=-f ;;\n    folder,*) files=-d ;;\n"
                 "    value,*) return ;;\n    ,-*) case $command in\n");
    for (int i = 0; commands[i]; i++) {
        text_add(&t, "        %s) words='", commands[i]->name);
        each(&t, commands[i], false, bash_option);
        text_add(&t, "' ;;\n");
    }
    text_add(&t, "        esac ;;\n    *) [ -n \"$words\" ] || files=-f\n        case $command in\n");
    for (int i = 0; commands[i]; i++) {
        text_add(&t, "        %s) words=\"${words:-", commands[i]->name);
        each(&t, commands[i], true, bash_places);
        text_add(&t, "}\" ;;\n");
    }
    text_add(&t, "        esac ;;\n    esac\n"
                 "    [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                 "    [ -n \"$files\" ] || return\n    compopt -o filenames 2>/dev/null\n    IFS=$'\\n'\n"
                 "    COMPREPLY+=($(compgen $files -- \"$current\"))\n}\n"
                 "complete -F _tyto tyto\n");
    return text_take(&t);
}

/* ---- zsh ---- */

/* Append the action of an option's value: its names, files, folders, or a message. */
static void zsh_action(struct text *t, const struct option *o) {
    struct text names = {0};
    const char *place = o->type->argument ? o->type->argument : "";
    text_add(t, ":%s:", *o->name == '-' ? place : o->name);
    if (names_of(o, &names))
        text_add(t, *o->name == '-' ? "(%s)" : "{_alternative \"names:name:(%s)\" \"files:file:_files\"}",
                 names.data);
    else if (takes(o, "DIR"))
        text_add(t, "_files -/");
    else if (takes(o, "FILE") || *o->name != '-')
        text_add(t, "_files");
    t->failed = t->failed || names.failed;
    text_drop(&names);
}

static void zsh_option(struct text *t, const struct command *c, const struct option *o) {
    struct text spec = {0};
    (void)c;
    text_add(&spec, "%s%s%s[", o->type->list ? "*" : "", o->name,
             !o->type->argument  ? ""
             : o->name[1] == '-' ? "="
                                 : "+");
    for (const char *at = o->doc; *at; at++) text_add(&spec, "%s%c", strchr("[]:\\", *at) ? "\\" : "", *at);
    text_add(&spec, "]");
    if (o->type->argument) zsh_action(&spec, o);
    text_add(t, " \\\n            ");
    add_quoted(t, spec.data ? spec.data : "", "");
    t->failed = t->failed || spec.failed;
    text_drop(&spec);
}

static void zsh_place(struct text *t, const struct command *c, const struct option *o) {
    struct text spec = {0};
    (void)c;
    text_add(&spec, "%s", o->type->list ? "*" : "");
    zsh_action(&spec, o);
    text_add(t, " \\\n            ");
    add_quoted(t, spec.data ? spec.data : "", "");
    t->failed = t->failed || spec.failed;
    text_drop(&spec);
}

static char *zsh_script(void) {
    struct text t = {0};
    text_add(&t,
             "#compdef tyto\n# Completion of tyto in zsh, made by tyto help --completion zsh.\n_tyto() {\n"
             "    local -a commands=(");
    for (int i = 0; commands[i]; i++) {
        text_add(&t, "\n        %s:", commands[i]->name);
        add_quoted(&t, commands[i]->doc, ":");
    }
    text_add(&t, "\n    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n"
                 "        return\n    fi\n    local command=$words[2]\n    shift words\n    ((CURRENT--))\n"
                 "    case $command in\n    help) _describe command commands ;;\n");
    for (int i = 0; commands[i]; i++) {
        if (commands[i] == &command_help) continue;
        text_add(&t, "    %s)\n        _arguments", commands[i]->name);
        each(&t, commands[i], false, zsh_option);
        each(&t, commands[i], true, zsh_place);
        text_add(&t, "\n        ;;\n");
    }
    text_add(&t, "    esac\n}\n_tyto \"$@\"\n");
    return text_take(&t);
}

/* ---- fish ---- */

static void fish_option(struct text *t, const struct command *c, const struct option *o) {
    struct text names = {0};
    bool length = o->name[1] == '-';
    text_add(t, "complete -c tyto -n '__fish_seen_subcommand_from %s' %s %s", c->name, length ? "-l" : "-s",
             o->name + 1 + length);
    if (names_of(o, &names))
        text_add(t, " -xa '%s'", names.data);
    else if (takes(o, "DIR"))
        text_add(t, " -xa '(__fish_complete_directories)'");
    else if (o->type->argument)
        text_add(t, takes(o, "FILE") ? " -rF" : " -x");
    text_add(t, " -d ");
    add_quoted(t, o->doc, "\\");
    text_add(t, "\n");
    t->failed = t->failed || names.failed;
    text_drop(&names);
}

static void fish_place(struct text *t, const struct command *c, const struct option *o) {
    struct text names = {0};
    if (names_of(o, &names))
        text_add(t, "complete -c tyto -n '__fish_seen_subcommand_from %s' -a '%s'\n", c->name, names.data);
    t->failed = t->failed || names.failed;
    text_drop(&names);
}

static char *fish_script(void) {
    struct text t = {0};
    text_add(&t, "# Completion of tyto in fish, made by tyto help --completion fish.\n"
                 "complete -c tyto -n __fish_use_subcommand -f\n"
                 "complete -c tyto -n __fish_use_subcommand -l version -d 'Print the version'\n");
    for (int i = 0; commands[i]; i++) {
        text_add(&t, "complete -c tyto -n __fish_use_subcommand -a %s -d ", commands[i]->name);
        add_quoted(&t, commands[i]->doc, "\\");
        text_add(&t, "\ncomplete -c tyto -n '__fish_seen_subcommand_from help' -fa %s\n", commands[i]->name);
        each(&t, commands[i], false, fish_option);
        each(&t, commands[i], true, fish_place);
    }
    return text_take(&t);
}

const struct shell shells[] = {{"bash", bash_script, "share/bash-completion/completions", "tyto"},
                               {"zsh", zsh_script, "share/zsh/site-functions", "_tyto"},
                               {"fish", fish_script, "share/fish/vendor_completions.d", "tyto.fish"},
                               {0}};
