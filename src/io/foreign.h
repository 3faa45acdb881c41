/* Files of other programs, which no reader here accepts: what they are, and the command that converts them. */
#ifndef IO_FOREIGN_H
#define IO_FOREIGN_H
#include "base/for_command.h"
#include "io/input.h"

/* Return false, with the fault set, if the bytes of an input are those of another program's format; `named`: also if the
   name of the input alone says so.  The fault says which format it is, and how to convert the file.  Failures to read are
   no fault: the reader that follows meets them. */
bool foreign_check(struct input *in, bool named, struct fault *fault) FOR_COMMAND(foreign_check);
/* Return the kind of file that the ending of a path's name says, such as "a workbook of Excel"; NULL: none of these. */
const char *foreign_named(const char *path) FOR_COMMAND(foreign_named);
#endif
