/* Help on the terminal, man pages and completion, all made from the tables of options. */
#ifndef TOOLS_HELP_HELP_H
#define TOOLS_HELP_HELP_H
#include "tools/command.h"
#include "tools/options/commands.h"
struct text;

/* Print the help of all commands, or of one.  Return the exit status. */
int help_all(void);
int help_of(const struct command *c);
/* Append a command, with its options and examples, to a list of the JSON. */
void help_describe(const struct command *c);

/* Print the entries of the index for a word: commands, options, functions, networks, layers, pages and other names that
   are the word or mean it.  False after a message on stderr if there is none. */
bool help_find(const char *word);
/* Print the entries for n words as one term of the field, such as "learning rate".  False, and nothing is printed, if
   there is none. */
bool help_find_phrase(int n, const char *const *words);

/* Return the man page of a command, or of `tyto` for NULL, in the macros of man(7).  The caller frees it (ty_free); NULL
   without memory. */
char *man_page(const struct command *c);

/* A shell with a script of completion. */
struct shell {
    const char *name;
    char *(*script)(void);     /* the script, which the caller frees (ty_free); NULL without memory */
    const char *folder, *file; /* place below a prefix where the shell looks for it */
};
/* The shells, ended by one without a name. */
extern const struct shell shells[];

/* Call `told` with each name that a value of option o may be; nothing for numbers, files and other texts. */
void option_names_of(const struct option *o, void (*told)(void *context, const char *name), void *context);
#endif
