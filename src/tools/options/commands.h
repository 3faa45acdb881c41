/* The table of commands, for help and for hints at other commands. */
#ifndef TOOLS_OPTIONS_COMMANDS_H
#define TOOLS_OPTIONS_COMMANDS_H
struct command;

/* All commands, NULL-terminated; main.c defines them. */
extern const struct command *const commands[];
#endif
