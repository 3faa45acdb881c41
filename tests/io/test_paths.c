/* Names of files: letters beyond ASCII, long names, folders that are made, roots, files that are replaced while they are mapped. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdbool.h>
#include <tyto/create.h>
#include <tyto/io.h>
#include "base/files/file.h"
#include "base/files/folders.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"

static void save(const char *path, ty_tensor *x) {
    ty_tensor *error = NULL;
    if (!ty_save(path, x, &error)) CHECK_OK(error);
}

/* Names in UTF-8 of two, three and four bytes a character. */
static void beyond_ascii(void) {
    static const char *const names[] = {"größe.npy", "数据.npy", "🦉.npy", "two words.npy"};
    const char *folder = scratch_folder();
    for (int i = 0; i < 4; i++) {
        const char *path = scratch_path(folder, names[i]);
        save(path, ty_full(TY_F64, TY_SHAPE(2), i));
        CHECK(file_exists(path), "%s is not there", names[i]);
        check_same(ty_load(path), ty_full(TY_F64, TY_SHAPE(2), i), names[i]);
    }
    CHECK(count_files(folder) == 4, "%d files", count_files(folder));
}

static void made_folders(void) {
    const char *folder = scratch_folder(), *inner = scratch_path(folder, "é"),
               *deep = scratch_path(inner, "b");
    CHECK(folders_make(deep, 0777) && folders_make(deep, 0777), "not made");
    const char *path = scratch_path(deep, "x.npy");
    save(path, ty_num(3));
    check_same(ty_load(path), ty_full(TY_F64, TY_SHAPE(), 3), "in a new folder");
    CHECK(!folders_make(scratch_path(path, "c"), 0777), "a folder in a file");
    char whole[PATH_MAX];
    if (sizeof FOLDER_SEPARATORS == sizeof "/" || !realpath(inner, whole)) return;
    const char *shared = scratch_path("//?", scratch_path(whole, "shared/c")); /* as on a server */
    CHECK(folders_make(shared, 0777) && file_exists(shared), "%s is not made", shared);
}

/* Return a new folder whose path has more than 260 letters, the limit of older functions of Windows. */
static const char *long_folder(const char *part) {
    const char *folder = scratch_folder();
    for (int i = 0; i < 4; i++) folder = scratch_path(folder, part);
    CHECK(folders_make(folder, 0777) && folders_make(folder, 0777), "not made");
    return folder;
}

/* Long names of files that exist, some with parts that lead upwards. */
static void long_names(void) {
    char part[101] = {0};
    memset(part, 'n', sizeof part - 1);
    const char *folder = long_folder(part), *path = scratch_path(folder, "x.csv");
    const char *around = scratch_path(scratch_path(scratch_path(folder, ".."), part), "./x.csv");
    write_file(path, "2.5,2.5\n", 8);
    check_same(ty_load(path), ty_full(TY_F64, TY_SHAPE(1, 2), 2.5), "the file");
    check_same(ty_load(around), ty_full(TY_F64, TY_SHAPE(1, 2), 2.5), "another name of the file");
    CHECK(file_exists(folder) && count_files(folder) == 1, "%d files", count_files(folder));
    CHECK(count_files(scratch_path(folder, "")) == 1, "no list of a folder whose name ends with /");
    CHECK(!remove(path) && !file_exists(path), "not removed");
}

static void long_names_saved(void) {
    char part[101] = {0};
    memset(part, 'n', sizeof part - 1);
    const char *path = scratch_path(long_folder(part), "x.npy");
    for (int i = 0; i < 2; i++) {
        save(path, ty_num(i));
        check_same(ty_load(path), ty_full(TY_F64, TY_SHAPE(), i), "the file");
    }
    ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){.map = true}));
    check_same(CHECK_OK(ty_archive_at(a, 0)), ty_full(TY_F64, TY_SHAPE(), 1), "mapped");
}

/* The last part of a path, and paths that begin at a root. */
static void parts(void) {
    CHECK(!strcmp(folders_name("a/b/c.npy"), "c.npy") && !strcmp(folders_name("c.npy"), "c.npy"), "names");
    CHECK(!*folders_name("a/") && !*folders_name(""), "no name");
    CHECK(folders_absolute("/a") && !folders_absolute("a/b") && !folders_absolute(""), "roots");
    bool windows = sizeof FOLDER_SEPARATORS > sizeof "/";
    CHECK(!strcmp(folders_name("a\\b"), windows ? "b" : "a\\b"), "backslashes");
    CHECK(folders_absolute("C:\\a") == windows && folders_absolute("\\a") == windows, "drives");
    CHECK(!strcmp(folders_key("a/b.npz:x:y"), ":y") && !folders_key("a/b.npz"), "keys");
    CHECK(!folders_key("C:\\a.npz") == windows && !strcmp(folders_key("C:\\a.npz:w"), ":w"),
          "keys and drives");
}

/* A file is replaced while its old content is mapped. */
static void replaced(void) {
    const char *folder = scratch_folder(), *path = scratch_path(folder, "x.npy");
    ty_tensor *old = ty_full(TY_F32, TY_SHAPE(4, 5), 1), *new = ty_full(TY_F32, TY_SHAPE(2), 2);
    save(path, old);
    ty_archive *a = own_archive(ty_archive_open(path, (ty_file_options){.map = true}));
    ty_tensor *mapped = CHECK_OK(ty_archive_at(a, 0));
    save(path, new);
    check_same(ty_load(path), new, "the new file");
    check_same(mapped, old, "the mapped old one");
    CHECK(count_files(folder) == 1, "temporaries stay");
}

TESTS_MAIN(TEST(beyond_ascii), TEST(made_folders), TEST(long_names), TEST(long_names_saved), TEST(parts),
           TEST(replaced))
