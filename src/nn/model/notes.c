/* Texts that travel with the weights of a model. */
#include "nn/model/notes.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "base/text.h"
#include "ops/core/field_value.h"

static const char *const keys[TY_NOTES] = {[TY_NOTE_PREPARATION] = "preparation",
                                           [TY_NOTE_NETWORK] = "network",
                                           [TY_NOTE_INPUT] = "input",
                                           [TY_NOTE_CLASSES] = "classes",
                                           [TY_NOTE_TOKENIZER] = "tokenizer"};

/* Replace a note by a text that was allocated, or by NULL. */
static void replace(ty_model *m, ty_note note, char *text) {
    mem_free(m->notes[note]);
    m->notes[note] = text;
}

bool ty_model_set_note(ty_model *m, ty_note note, const char *text) {
    m = model_of(m);
    if (m->fault.set || (unsigned)note >= TY_NOTES) return false;
    char *copy = text ? mem_copy_text(text) : NULL;
    if (text && !copy) return false;
    replace(m, note, copy);
    return true;
}

const char *ty_model_note(const ty_model *m, ty_note note) {
    return (unsigned)note < TY_NOTES ? model_of(m)->notes[note] : NULL;
}

void notes_drop(ty_model *m) {
    for (int i = 0; i < TY_NOTES; i++) replace(m, (ty_note)i, NULL);
}

int notes_list(const ty_model *m, const char **names, const char **values) {
    int n = 0;
    for (int i = 0; i < TY_NOTES; i++)
        if (m->notes[i]) names[n] = keys[i], values[n++] = m->notes[i];
    return n;
}

bool notes_read(ty_model *m, const ty_archive *archive) {
    bool well = true;
    for (int i = 0; i < TY_NOTES; i++) {
        const char *text = m->notes[i] ? NULL : ty_archive_meta(archive, keys[i]);
        if (text) well = ty_model_set_note(m, (ty_note)i, text) && well;
    }
    return well;
}

const char *notes_in(const ty_archive *archive, ty_note note) { return ty_archive_meta(archive, keys[note]); }

void notes_input(ty_model *m, const ty_tensor *x) {
    struct text t = {0};
    text_add(&t, "%s", ty_dtype_name(ty_dtype_of(x)));
    for (int i = 1; i < ty_rank(x); i++) text_add(&t, " %" PRId64, ty_shape(x)[i]);
    replace(m, TY_NOTE_INPUT, text_take(&t)); /* NULL without memory: only ty_network_open needs it */
}

bool notes_parse_input(const char *text, ty_dtype *dtype, int *rank, int64_t *shape) {
    static const struct field kind = {.type = FIELD_DTYPE, .size = sizeof(int)},
                              size = {.type = FIELD_LONG, .size = sizeof *shape, .end = INFINITY};
    char word[32];
    struct nearest near = {0};
    int number;
    for (*rank = -1; text && *rank < TY_MAX_RANK - 1; ++*rank) {
        size_t n = strcspn(text, " ");
        if (!n || n >= sizeof word) return false;
        memcpy(word, text, n);
        word[n] = 0;
        if (*rank < 0 ? !field_parse(&kind, word, &number, &near)
                      : !field_parse(&size, word, &shape[*rank], &near))
            return false;
        text = text[n] ? text + n + 1 : NULL;
    }
    if (*rank < 0 || text) return false;
    *dtype = (ty_dtype)number;
    return true;
}
