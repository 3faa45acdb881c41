/* Files of arrays that commands write, or the standard output in their place. */
#ifndef TOOLS_OPTIONS_OUT_H
#define TOOLS_OPTIONS_OUT_H
#include <tyto/io.h>
#include "tools/command.h"

/* Settings of the file; a member `out` of a command's settings. */
struct file_out {
    const char *path, *format; /* NULL: not given */
};
#define FILE_OUT_OPTIONS(settings, name, doc)                                                                \
    {name, &option_target, offsetof(settings, out.path), doc}, {                                             \
        "--to", &option_name, offsetof(settings, out.format),                                                \
            "write this format, instead of that of the file's name: npy, npz, csv, safetensors, ..."         \
    }

/* Return true if a format is known: that of --to, that of the name, or, on the standard output, npy of one array and npz
   of several.  False after a message on stderr, also if --to or --json is there with no file to write. */
bool out_check(const struct file_out *out, const char *option);
/* Return the name of the format; for the standard output that of n arrays.  NULL: unknown. */
const char *out_format(const struct file_out *out, int n);
/* Write n tensors under their names; false after a message on stderr, also if bytes that are no text would go to a
   terminal. */
bool out_save(const struct file_out *out, int n, const char *const *names, ty_tensor *const *tensors,
              ty_file_options options);
/* Return true if the path is that of the standard output. */
bool out_is_standard(const char *path);
#endif
