/*
 * Pipes and terminals in the place of files: "-" is the standard input of options that read and the standard output of
 * those that write.  Readers need seekable files.  So before a command runs, a temporary file with the bytes of each
 * stream takes the place of its descriptor.
 */
#ifndef TOOLS_OPTIONS_STREAMS_H
#define TOOLS_OPTIONS_STREAMS_H
#include <stdbool.h>
#include <stdint.h>

/* Return the descriptor that a text of the command line names: "-", "/dev/stdin", "/dev/fd/3", also with a key such as
   "-:x"; -1: none. */
int stream_descriptor(const char *text);
/* Remember that the command reads what the text names, if that is a descriptor. */
void stream_note(const char *text);
/* Replace each remembered descriptor that cannot seek, or of which something was read, by a file of the rest of its bytes,
   of each at most `most` (0: no limit).  False after a message on stderr. */
bool streams_keep(uint64_t most);
/* Give the descriptors 0 to 2 that are closed a place holder that fails, so that no file takes their numbers. */
void streams_guard(void);
#endif
