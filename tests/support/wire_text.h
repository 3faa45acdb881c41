/*
 * Messages of protobuf, well formed and damaged, written from a short text.  Fields follow each other, blanks and line
 * ends between them are skipped:
 *
 *   4=-1            field 4, a varint
 *   2%1.5           field 2, a float
 *   1'abc'          field 1, bytes
 *   9#00ff          field 9, bytes in hexadecimal
 *   7{1=2 3'x'}     field 7, a message
 *   9^4096:7f       field 9, 4096 bytes of the value 7f
 *   7~99{...}       the length of field 7 (a message or bytes) is said to be 99
 *   *300(1{})       300 times what stands in the parentheses
 *   @1000[1,5,6](8{}) a message in field 6 of one in field 5 of one in field 1, and so on, 1000 messages deep in all;
 *                   the innermost has what stands in the parentheses
 *   !0bff           these bytes, which need not be a field
 */
#ifndef TESTS_SUPPORT_WIRE_TEXT_H
#define TESTS_SUPPORT_WIRE_TEXT_H
#include <stddef.h>
#include <stdint.h>

/* A message in memory; wire_drop frees it. */
struct wire {
    uint8_t *bytes;
    size_t n, room;
};

/* Return the message that `text` describes; a text of another form ends the test. */
struct wire wire_text(const char *text);
void wire_drop(struct wire *w);
#endif
