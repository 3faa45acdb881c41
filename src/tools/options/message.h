/*
 * Messages of commands on the standard error.  With --json they are kept, and written when the command has ended: as one
 * object in one line (docs/json.md), with a code for programs and the place in the command line or file that is wrong.
 * complain() of command.h prints messages that no part of the library made.
 */
#ifndef TOOLS_OPTIONS_MESSAGE_H
#define TOOLS_OPTIONS_MESSAGE_H
#include <tyto/core.h>
#include "base/text.h"

/* Note the command line, whose arguments messages name; they are borrowed.  Messages are kept if --json is among them. */
void messages_start(int n, char *const *arguments);
/* Write the kept messages, if there are some, of a command that ends with this exit status. */
void messages_write(int status);
/* Return the last kept message, "" if none is kept. */
const char *message_last(void);

/* Print the error of a poisoned tensor; NULL: there was no memory for one.  Always return EXIT_FAILED. */
int complain_of(const ty_tensor *poison);
/* The same of the failure that a handle has, as in COMPLAIN_FAILURE(ty_archive_failure(a)).  No scope need be open. */
#define COMPLAIN_FAILURE(poison) (complain_open(), complain_close(poison))
void complain_open(void);
int complain_close(const ty_tensor *poison);
/* Print a fault, which is set; always return EXIT_FAILED. */
int complain_fault(const struct fault *fault);
/* Print lines below the last message, unless messages are kept; characters that are no text become '?'. */
void complain_below(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
