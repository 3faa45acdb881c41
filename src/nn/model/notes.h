/* Texts that travel with the weights of a model: keys of files. */
#ifndef NN_MODEL_NOTES_H
#define NN_MODEL_NOTES_H
#include "base/for_command.h"
#include <tyto/io.h>
#include "nn/model/model.h"

/* Free all notes. */
void notes_drop(ty_model *m);
/* Write keys and texts of the model's notes, borrowed, to names[TY_NOTES] and values[TY_NOTES]; return their number. */
int notes_list(const ty_model *m, const char **names, const char **values);
/* Keep the notes of a file that the model lacks; false without memory. */
bool notes_read(ty_model *m, const ty_archive *archive);
/* Return a note of a file, owned by the archive; NULL if it has none. */
const char *notes_in(const ty_archive *archive, ty_note note) FOR_COMMAND(notes_in);
/* Set the note of the input to dtype and shape of x without its first axis. */
void notes_input(ty_model *m, const ty_tensor *x);
/* Parse the note of an input, "f32 28 28 1"; shape[] has room for TY_MAX_RANK - 1 sizes.  False if it is none. */
bool notes_parse_input(const char *text, ty_dtype *dtype, int *rank, int64_t *shape)
    FOR_COMMAND(notes_parse_input);
#endif
