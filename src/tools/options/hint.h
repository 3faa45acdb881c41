/* Hints below messages about names that are no files. */
#ifndef TOOLS_OPTIONS_HINT_H
#define TOOLS_OPTIONS_HINT_H

/* Print a line below a message that a file cannot be opened, if the name is an address of the web, a network, or a file
   with a key behind it. */
void hint_below(const char *message);
#endif
