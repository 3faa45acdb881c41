/* The `tyto` command: finds the subcommand, parses its options, runs it. Exit status: 0 success, 1 failure,
   2 misuse. */
#include "tools/command.h"
#include "tools/help/help.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/cache.h>
#include <tyto/nn.h>
#include <tyto/zoo.h>
#include <unistd.h>
#include "tools/options/message.h"
#include "tools/options/result.h"
#include "tools/options/streams.h"

const struct command *const commands[] = {
    &command_eval,     &command_einsum,  &command_contraction, &command_graph,
    &command_info,     &command_convert, &command_table,       &command_fit,
    &command_train,    &command_predict, &command_evaluate,    &command_infer,
    &command_summary,  &command_demo,    &command_bench,       &command_profile,
    &command_devices,  &command_run,     &command_check,       &command_compile,
    &command_generate, &command_plot,    &command_help,        NULL};

static int version(void) {
    printf("tyto %s\n", ty_version());
    return EXIT_SUCCESS;
}

/* ---- stopping ---- */

/* Stop what is computed.  A second signal ends the process as usual. */
static void interrupt(int number) {
    (void)number;
    ty_interrupt(NULL);
}

/* Let Ctrl-C stop calls of the library, which then fail; `train` replaces the handler while it trains. */
static void catch_interrupts(void) {
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND}, before;
    sigemptyset(&action.sa_mask);
    if (!sigaction(SIGINT, NULL, &before) && before.sa_handler == SIG_IGN)
        return; /* of nohup and of shells */
    sigaction(SIGINT, &action, NULL);
}

/* Return the exit status of a command that ended with `status`: a failure may be that of a stop. */
static int status_of(int status) {
    if (status != EXIT_FAILED) return status;
    return ty_interrupted(NULL) ? EXIT_SIGNAL + SIGINT : deadline_passed() ? EXIT_TIMEOUT : status;
}

/* ---- running ---- */

/* Run the command on the engine of this name, with parsed settings; return the exit status. */
static int run_parsed(const struct command *c, const void *settings, const char *engine) {
    struct fault fault = {0};
    engine_choose(engine);
    if (!c->forks && !engine_begin(&fault)) {
        complain_fault(&fault);
        return EXIT_USAGE;
    }
    if (result_json() && precision_or(0)) {
        complain("--precision and --json: expected one of them; JSON has all digits");
        return EXIT_USAGE;
    }
    if (!options_matter(c, settings)) return EXIT_USAGE;
    if (!options_try(c, settings) || !streams_keep(options_most_bytes(c, settings))) return EXIT_FAILED;
    return c->run(settings);
}

/* Parse the n arguments and run the command, or print its help if they ask for it; return the exit status. */
static int run(const struct command *c, int n, char **arguments) {
    for (int i = 0; i < n; i++)
        if (!strcmp(arguments[i], "--help") || !strcmp(arguments[i], "-h")) return help_of(c);
    if (n == 1 && c != &command_help && !strcmp(arguments[0], "help") && access("help", F_OK))
        return help_of(c);
    catch_interrupts();
    void *settings = malloc(c->bytes);
    if (!settings) return complain("out of memory");
    memcpy(settings, c->defaults, c->bytes);
    int status = EXIT_USAGE;
    ty_progress line = {.file = stderr};
    if (!c->own_line && isatty(STDERR_FILENO)) ty_context_set_progress(NULL, ty_progress_report, &line);
    struct common common = {.cache = -1};
    if (options_parse(c, n, arguments, settings, &common)) {
        deadline_set(common.timeout);
        if (common.cache >= 0) ty_set_cache(common.cache);
        result_start(common.json);
        precision_set(common.precision);
        status = status_of(run_parsed(c, settings, common.engine));
        if (!result_write(status != EXIT_SUCCESS) && status == EXIT_SUCCESS) status = EXIT_FAILED;
    }
    ty_context_set_progress(NULL, NULL, NULL);
    options_drop(c, settings);
    free(settings);
    return status;
}

/* Return the exit status `status`; if that is success but stdout could not be written, a failure, after a
   message on stderr.  Messages that are kept are written. */
static int finish(int status) {
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        complain("the standard output could not be written%s%s", errno ? ": " : "",
                 errno ? strerror(errno) : "");
        if (status == EXIT_SUCCESS) status = EXIT_FAILED;
    }
    messages_write(status);
    return status;
}

static const struct {
    const char *name;
    int (*show)(void);
} words[] = {{"--help", help_all}, {"-h", help_all}, {"--version", version}, {"-V", version}};

/* Print the command that has an option of the name of an unknown command, with the word behind it, if no other has it. */
static void hint_option(const char *word, const char *next) {
    const char *owner = NULL, *name = NULL;
    for (int i = 0; commands[i]; i++)
        for (int k = 0; options_table(commands[i], k); k++)
            for (const struct option *o = options_table(commands[i], k); o->name; o++) {
                if (strncmp(o->name, "--", 2) != 0 || strcmp(o->name + 2, word + strspn(word, "-")) != 0)
                    continue;
                if (owner) return;
                owner = commands[i]->name, name = o->name;
            }
    if (owner)
        complain_below("  %s is an option of %s: tyto %s %s%s%s\n", name, owner, owner, name, next ? " " : "",
                       next ? next : "");
}

/* Find the command that the n arguments name, and run it; return the exit status. */
static int choose(int n, char **arguments) {
    if (n < 2) {
        complain("a command is missing; see tyto --help");
        return EXIT_USAGE;
    }
    if (*ty_environment_error()) {
        complain("%s", ty_environment_error());
        return EXIT_USAGE;
    }
    struct nearest near = {.wanted = arguments[1]};
    bool dash = arguments[1][0] == '-';
    for (int i = 0; commands[i]; i++) {
        if (!strcmp(arguments[1], commands[i]->name)) return run(commands[i], n - 2, arguments + 2);
        if (!dash) nearest_offer(&near, commands[i]->name);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!strcmp(arguments[1], words[i].name))
            return n > 2 && words[i].show == help_all ? run(&command_help, n - 2, arguments + 2)
                                                      : words[i].show();
        nearest_offer(&near, words[i].name);
    }
    for (int i = 0; dash && commands[i]; i++) nearest_offer(&near, commands[i]->name);
    complain("unknown %s %s%s; see tyto --help%s", dash ? "option" : "command", arguments[1],
             nearest_hint(&near, (char[NEAREST_HINT]){0}), dash ? " (options of a command follow it)" : "");
    if (!dash && !access(arguments[1], F_OK))
        complain_below("  a command comes first: tyto info %s shows the file\n", arguments[1]);
    else if (ty_network_named(arguments[1]))
        complain_below("  a command comes first: tyto summary %s shows the network\n", arguments[1]);
    else if (!dash && strpbrk(arguments[1], "(+*/ "))
        complain_below("  a command comes first: tyto eval '%s' computes an expression\n", arguments[1]);
    else
        hint_option(arguments[1], arguments[2]);
    return EXIT_USAGE;
}

int main(int n, char **arguments) {
    streams_guard();
    messages_start(n, arguments);
    return finish(choose(n, arguments));
}
