/* Names of classes. */
#ifndef TOOLS_NETWORK_LABELS_H
#define TOOLS_NETWORK_LABELS_H
#include <tyto/model.h>
#include <tyto/prepare.h>

/* Names of n classes; labels_drop frees them. */
struct labels {
    char *text; /* lines that end in zeros */
    char **at;
    int64_t n;
};
/* Read the names, one a line, of the file `path`; line i, empty or not, is class i.  False after a message on stderr, also
   for a file above the limits; call labels_drop in any case. */
bool labels_load(struct labels *l, const char *path);
/* Take the names of classes of a preparation, or else of a model, if they have any.  False after a message on stderr;
   call labels_drop in any case. */
bool labels_of(struct labels *l, const ty_preparation *preparation, const ty_model *model);
/* Return the text of n names name(context, i), a line for each, for labels_of; it is freed by ty_free.  NULL if there is
   no memory, or a name has a line break. */
char *labels_text(int64_t n, const char *(*name)(const void *context, int64_t i), const void *context);
/* Return the index of a name; -1 if there is none. */
int64_t labels_find(const struct labels *l, const char *name);
/* Return the name of class i, or "class I" in room[LABEL_ROOM] if it has none. */
enum { LABEL_ROOM = 32 };
const char *labels_name(const struct labels *l, int64_t i, char *room);
void labels_drop(struct labels *l);
#endif
