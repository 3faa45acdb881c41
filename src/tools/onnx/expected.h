/* A list of expected failures: lines of a name and a reason. */
#ifndef TOOLS_ONNX_EXPECTED_H
#define TOOLS_ONNX_EXPECTED_H
#include <stdbool.h>
#include <stdint.h>

/* Names and reasons, parts of one text; expected_drop frees them. */
struct expected {
    char *text;
    int64_t n, capacity;
    struct expected_line {
        const char *name, *reason;
    } * lines;
};
/* Read a file of lines "NAME REASON"; empty lines and those that begin with # are skipped.  False after a message on
   stderr: the file cannot be read, a reason is missing, or a name is there twice. */
bool expected_read(struct expected *list, const char *path);
/* Return the reason for which the case of this name is expected to fail; NULL: it must pass. */
const char *expected_reason(const struct expected *list, const char *name);
void expected_drop(struct expected *list);
#endif
