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

/* Print as complain() does a message with a code; always return EXIT_FAILED, as all functions below do. */
int complain_code(ty_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print the error of a poisoned tensor, with its code; NULL: there was no memory for one. */
int complain_of(const ty_tensor *poison);
/* The same behind the text of the format, such as the name of a file, and a colon, unless the error begins with them. */
int complain_about(const ty_tensor *poison, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of the failure that a handle has, as in COMPLAIN_FAILURE(ty_archive_failure(a)).  No scope need be open. */
#define COMPLAIN_FAILURE(poison) (complain_open(), complain_close(complain_of(poison)))
#define COMPLAIN_FAILURE_ABOUT(poison, ...)                                                                  \
    (complain_open(), complain_close(complain_about(poison, __VA_ARGS__)))
void complain_open(void);
int complain_close(int status);
/* Print a fault, which is set, alone or behind a text. */
int complain_fault(const struct fault *fault);
int complain_fault_about(const struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Print lines below the last message, unless messages are kept; characters that are no text become '?'. */
void complain_below(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
