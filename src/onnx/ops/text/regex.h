/* Regular expressions in RE2's syntax, matched against whole strings in time proportional to their length. */
#ifndef ONNX_OPS_TEXT_REGEX_H
#define ONNX_OPS_TEXT_REGEX_H
#include <stdint.h>
#include "base/arena.h"
#include "base/text.h"

struct regex;
/* Compile a pattern of n bytes of UTF-8 in the arena.  NULL, with the fault set, if it is malformed, too large, or uses
   syntax that is not supported: Unicode classes, \C and \Q. */
struct regex *regex_compile(struct arena *arena, const char *pattern, size_t n, struct fault *fault);
/* True if the pattern matches all n bytes of a string, fewer than 2^31; one thread at a time. */
bool regex_matches(struct regex *regex, const uint8_t *text, size_t n);
#endif
