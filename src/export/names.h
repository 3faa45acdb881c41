/* Names of the C file. */
#ifndef EXPORT_NAMES_H
#define EXPORT_NAMES_H
#include "base/for_command.h"
#include "base/text.h"

/* A name of the C file: letters, digits and _, ends with 0. */
enum { NAME_BYTES = 64 };
struct name {
    char text[NAME_BYTES];
};

/* Names of parts of each function, which no parameter has. */
enum { NAMES_OWN = 7 };
extern const struct name names_own[NAMES_OWN] TABLE_FOR_COMMAND(names_own);

/* Check a name that the caller gives; `what` describes it for messages. False, with the fault set, if it is no
   identifier of C, a word of C or C++, reserved, or too long. */
bool name_check(const char *name, const char *what, struct fault *fault);
/* Set *out to an identifier derived from any text, which differs from the n names in taken; `other`: for an empty
   text. */
void name_make(struct name *out, const char *text, const char *other, int n, const struct name *taken)
    FOR_COMMAND(name_make);
#endif
