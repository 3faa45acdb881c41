/* Arrays to files and back: npy, npz, csv, safetensors; the error of a damaged file. */
#include <stdio.h>
#include <stdlib.h>
#include <tyto/io.h>
#include <tyto/tyto.h>

int main(void) {
    char folder[] = "/tmp/tyto-example-XXXXXX", path[64];
    if (!mkdtemp(folder)) return 1;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_reshape(ty_steps(TY_F32, 0, 0.5, 6), TY_SHAPE(2, 3)), *error = NULL;

    snprintf(path, sizeof path, "%s/both.npz", folder);
    bool saved = ty_archive_save(path, 2, (const char *[]){"x", "squares"}, (ty_tensor *[]){x, ty_square(x)},
                                 (ty_file_options){.deflate = true}, &error);
    if (!saved && error) fprintf(stderr, "%s\n", ty_error(error));
    ty_archive *archive = ty_archive_open(path, (ty_file_options){0});
    ty_tensor *squares = ty_archive_get(archive, "squares");
    bool printed = ty_print(stdout, squares);
    printed &= ty_print(stdout, ty_archive_get(archive, "cubes")); /* an error message */
    ty_archive_free(archive);

    size_t size;
    void *bytes =
        ty_archive_bytes(1, (const char *[]){""}, &x, (ty_file_options){.format = "csv"}, &size, NULL);
    printed &= bytes && fwrite(bytes, 1, size, stdout) == size;
    archive = ty_archive_parse(bytes, size / 2, (ty_file_options){.format = "csv"});
    printed &= ty_print(stdout, ty_archive_at(archive, 0));
    ty_archive_free(archive);
    ty_free(bytes);

    bool right = ty_item(ty_sum(squares, TY_ALL)) == 13.75;
    remove(path);
    remove(folder);
    ty_close(scope);
    return !(saved && printed && right);
}
