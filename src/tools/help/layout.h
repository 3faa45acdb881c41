/* Text in lines that are no longer than the terminal is wide. */
#ifndef TOOLS_HELP_LAYOUT_H
#define TOOLS_HELP_LAYOUT_H
#include <stdbool.h>
#include <stddef.h>

/* Lines on the standard output. */
struct layout {
    int width, column; /* characters: of a line at most, of the current one */
    int side;          /* where the right column of rows begins */
};
/* Return an empty layout as wide as COLUMNS says, else as the terminal is, else of 80 characters; of 20 to 100. */
struct layout layout_begin(void);
/* Write the n bytes of words that are separated by blanks.  A word that does not fit begins a line behind `indent`
   blanks; a word longer than a line is cut. */
void layout_words(struct layout *l, int indent, const char *words, size_t n);
/* Write a command of the shell: as words, but lines end in a backslash, and nothing within quotes is broken. */
void layout_command(struct layout *l, int indent, const char *command, size_t n);
/* End the line, if it has begun. */
void layout_end(struct layout *l);
/* Write `left`, and `right` in a column beside it; below it if there is too little room. */
void layout_row(struct layout *l, const char *left, const char *right);

/* A line of the details of a command (struct command): EXAMPLE is "  tyto ..." or "  TY_NAME=... tyto ...", with a
   comment behind two or more blanks; INDENTED is another line that begins with blanks; WORDS is a part of a paragraph. */
enum line_kind { LINE_EXAMPLE, LINE_INDENTED, LINE_WORDS };
struct line {
    enum line_kind kind;
    const char *text, *comment; /* without the blanks before them; length 0: no comment */
    size_t length, comment_length;
};
/* Set *line to the line at *details, and move *details behind it; false at the end of the text. */
bool line_next(const char **details, struct line *line);
/* Write the lines of the details that are examples, or those that are not; return true if there are such lines. */
bool layout_details(struct layout *l, const char *details, bool examples);
#endif
