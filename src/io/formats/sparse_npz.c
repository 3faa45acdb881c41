/* Sparse matrices in npz files, as SciPy writes them: one member per array, one with the name of the storage
   format, one with the shape. */
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/io.h>
#include <tyto/shape.h>
#include "array/remote.h"
#include "base/machine/floating.h"
#include "io/archive.h"
#include "array/progress.h"
#include "io/formats/npy.h"
#include "io/formats/sparse_files.h"
#include "io/formats/zip.h"

/* ---- shared ---- */

bool sparse_values(const char *name, ty_sparse *a, struct fault *fault) {
    if (!ty_sparse_ok(*a))
        return fault_set(fault, code_of_contents(ty_error_code(ty_sparse_failure(*a))), "%s: %s", name,
                         ty_sparse_error(*a));
    ty_tensor *all[] = {a->values, a->indices, a->starts};
    int n = a->form == TY_COO ? 2 : 3;
    for (int i = 0; i < n; i++) {
        all[i] = at_home(ty_contiguous(ty_eval(all[i])));
        if (!ty_ok(all[i])) return fault_set(fault, ty_error_code(all[i]), "%s: %s", name, ty_error(all[i]));
    }
    ty_sparse values = *a;
    values.values = all[0];
    values.indices = all[1];
    values.starts = all[2];
    ty_sparse checked = a->form == TY_COO   ? ty_sparse_coo(all[0], all[1], a->rows, a->columns)
                        : a->form == TY_CSR ? ty_sparse_csr(all[0], all[1], all[2], a->columns)
                                            : ty_sparse_csc(all[0], all[1], all[2], a->rows);
    if (!ty_sparse_ok(checked))
        return fault_set(fault, code_of_contents(ty_error_code(ty_sparse_failure(checked))), "%s: %s", name,
                         ty_sparse_error(checked));
    *a = values;
    return checked.rows == a->rows && checked.columns == a->columns
               ? true
               : fault_set(fault, E_FORMAT, "%s: the shape is %lld by %lld, but starts are for %lld by %lld",
                           name, (long long)a->rows, (long long)a->columns, (long long)checked.rows,
                           (long long)checked.columns);
}

ty_sparse sparse_read_end(ty_scope *scope, ty_sparse a, const struct fault *fault) {
    if (fault->set) {
        ty_tensor *bad = tensor_fault(fault);
        a = (ty_sparse){.values = bad, .indices = bad, .starts = bad};
    }
    ty_tensor **all[] = {&a.values, &a.indices, &a.starts};
    for (int i = 0; i < 3 && scope; i++)
        if (*all[i]) *all[i] = ty_keep(*all[i]);
    ty_close(scope);
    return a;
}

/* ---- reading ---- */

static const struct archive_entry *member_named(const ty_archive *a, const char *name) {
    for (int i = 0; i < a->index.count; i++)
        if (!strcmp(a->index.entries[i].name, name)) return &a->index.entries[i];
    return NULL;
}

/* Read the first three letters of member e, a text array of one-byte or four-byte characters, into `word`,
   ended by 0; letters that the file lacks are 0. False sets the fault. */
static bool read_word(ty_archive *a, const struct archive_entry *e, char word[4], struct fault *fault) {
    uint8_t bytes[512];
    size_t got = 0;
    struct input *member = zip_member(a->input, e, fault);
    bool read = member && input_read(member, 0, bytes, sizeof bytes, &got, fault);
    input_close(member);
    if (!read) return false;
    size_t at = got > 10 && bytes[6] == 1 ? 10 + bytes[8] + 256u * bytes[9] : got;
    size_t step = got >= at + 12 ? 4 : 1;
    for (int i = 0; i < 3; i++)
        word[i] = at + (size_t)i * step < got ? (char)bytes[at + (size_t)i * step] : 0;
    word[3] = 0;
    return true;
}

/* Return the tensor of member `name` of the archive. Failures set the fault, whose text begins with `path`;
   the result is then NULL or poison. */
static ty_tensor *member(ty_archive *a, const char *path, const char *name, struct fault *fault) {
    if (!member_named(a, name))
        return (fault_set(fault, E_FORMAT, "%s: has no member \"%s\" as written by scipy.sparse.save_npz",
                          path, name),
                NULL);
    ty_tensor *x = ty_archive_get(a, name);
    if (!ty_ok(x)) fault_tensor(fault, x);
    return x;
}

/* Read rows and columns into *out from the member "shape", which must have two integers >= 0; false sets
   the fault, which begins with `path`. */
static bool read_shape(ty_archive *a, const char *path, ty_sparse *out, struct fault *fault) {
    ty_tensor *shape = member(a, path, "shape", fault);
    int64_t sizes[2];
    if (fault->set) return false;
    if (ty_rank(shape) != 1 || ty_size(shape) != 2 || !dtype_is(ty_dtype_of(shape), CLASS_INTEGER))
        return fault_set(fault, E_FORMAT, "%s: the shape is not a vector of two integers", path);
    if (!ty_read(shape, TY_I64, sizes)) return fault_memory(fault, sizeof sizes);
    out->rows = sizes[0];
    out->columns = sizes[1];
    return (sizes[0] >= 0 && sizes[1] >= 0) || fault_set(fault, E_FORMAT, "%s: the shape is %lld by %lld",
                                                         path, (long long)sizes[0], (long long)sizes[1]);
}

/* Read format, shape, values, indices and starts of a scipy file into *out, unchecked; false sets the
   fault, whose text begins with `path`. */
static bool read_parts(ty_archive *a, const char *path, ty_sparse *out, struct fault *fault) {
    char word[4] = "";
    const struct archive_entry *format = member_named(a, "format");
    if (!format)
        return fault_set(fault, E_FORMAT, "%s: has no member \"format\" as written by scipy.sparse.save_npz",
                         path);
    if (!read_word(a, format, word, fault) || !read_shape(a, path, out, fault)) return false;
    out->form = ty_sparse_form_named(word);
    if (out->form == TY_SPARSE_FORMS)
        return fault_set(fault, E_FORMAT, "%s: the format is \"%.3s\"; expected coo, csr or csc", path, word);
    out->values = member(a, path, "data", fault);
    if (fault->set) return false;
    if (out->form == TY_COO) {
        ty_tensor *both[] = {member(a, path, "row", fault),
                             fault->set ? NULL : member(a, path, "col", fault)};
        if (!fault->set) out->indices = ty_stack(2, both, 1);
    } else {
        out->indices = member(a, path, "indices", fault);
        if (!fault->set) out->starts = member(a, path, "indptr", fault);
    }
    return !fault->set;
}

/* Replace *a by the matrix that its constructor makes of its parts, checking them, and compare its size
   with the one in the file. Failures set the fault, whose text begins with `path`. */
static void check_parts(const char *path, ty_sparse *a, struct fault *fault) {
    ty_sparse checked = a->form == TY_COO   ? ty_sparse_coo(a->values, a->indices, a->rows, a->columns)
                        : a->form == TY_CSR ? ty_sparse_csr(a->values, a->indices, a->starts, a->columns)
                                            : ty_sparse_csc(a->values, a->indices, a->starts, a->rows);
    if (!ty_sparse_ok(checked))
        fault_set(fault, code_of_contents(ty_error_code(ty_sparse_failure(checked))), "%s: %s", path,
                  ty_sparse_error(checked));
    else if (checked.rows != a->rows || checked.columns != a->columns)
        fault_set(fault, E_FORMAT, "%s: the shape is %lld by %lld, but indptr is for %lld by %lld", path,
                  (long long)a->rows, (long long)a->columns, (long long)checked.rows,
                  (long long)checked.columns);
    *a = checked;
}

ty_sparse ty_sparse_load(const char *path) {
    FLOATING_DEFAULT;
    PROGRESS_NAMED("read");
    struct fault fault = {0};
    ty_sparse a = {0};
    ty_scope *scope = ty_open();
    ty_archive *archive = ty_archive_open(path, (ty_file_options){.format = "npz"});
    const char *name = path ? path : "sparse_load";
    if (*ty_archive_error(archive))
        fault_copy(&fault, &archive->fault);
    else if (read_parts(archive, name, &a, &fault))
        check_parts(name, &a, &fault);
    ty_archive_free(archive);
    return sparse_read_end(scope, a, &fault);
}

/* ---- writing ---- */

/* Write x as member `name`, which ends with .npy, of the zip, without compression; false sets the fault. */
static bool write_member(struct zip_writer *z, const char *name, const ty_tensor *x, struct fault *fault) {
    struct text header = {0};
    bool done = npy_header(&header, x, fault);
    struct zip_content content = {header.data, header.length, x};
    done = done && zip_add(z, name, &content, false);
    text_drop(&header);
    return done;
}

/* Write the member "format": a zero-dimensional array of three letters; false sets the fault. */
static bool write_form(struct zip_writer *z, ty_sparse_form form, struct fault *fault) {
    static const char *const names[] = {[TY_COO] = "coo", [TY_CSR] = "csr", [TY_CSC] = "csc"};
    static const char dictionary[] = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }";
    enum { HEADER = 128, START = 10 };
    struct text t = {0};
    text_add_bytes(&t, "\x93NUMPY\x01\0", 8);
    text_add_bytes(&t, (char[]){HEADER - START, 0}, 2);
    text_add(&t, "%s", dictionary);
    text_pad(&t, ' ', HEADER - START - (sizeof dictionary - 1) - 1);
    text_add(&t, "\n%s", names[form]);
    bool done = !t.failed || fault_memory(fault, HEADER);
    done = done && zip_add(z, "format.npy", &(struct zip_content){t.data, t.length, NULL}, false);
    text_drop(&t);
    return done;
}

/* Write all members of the sparse matrix a as scipy does; false sets the fault. */
static bool write_all(struct zip_writer *z, const ty_sparse *a, struct fault *fault) {
    ty_tensor *shape = ty_from(TY_I64, 1, (int64_t[]){2}, (int64_t[]){a->rows, a->columns}),
              *half[2] = {NULL};
    bool done = ty_ok(shape) || fault_tensor(fault, shape);
    for (int i = 0; done && a->form == TY_COO && i < 2; i++) {
        half[i] = ty_contiguous(ty_squeeze(ty_slice(a->indices, 1, i, i + 1, 1), 1));
        done = ty_ok(half[i]) || fault_tensor(fault, half[i]);
    }
    if (a->form == TY_COO)
        done =
            done && write_member(z, "row.npy", half[0], fault) && write_member(z, "col.npy", half[1], fault);
    else
        done = done && write_member(z, "indices.npy", a->indices, fault) &&
               write_member(z, "indptr.npy", a->starts, fault);
    return done && write_form(z, a->form, fault) && write_member(z, "shape.npy", shape, fault) &&
           write_member(z, "data.npy", a->values, fault);
}

bool ty_sparse_save(const char *path, ty_sparse a, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    struct output out;
    ty_scope *scope = ty_open();
    bool done = (path || fault_set(&fault, E_ARGUMENT, "sparse_save: the path is NULL")) &&
                sparse_values("sparse_save", &a, &fault) && output_to_path(&out, path, &fault);
    if (done) {
        struct zip_writer z;
        zip_start(&z, &out, ZIP_LARGE);
        done = write_all(&z, &a, &fault) && zip_end(&z);
        zip_drop(&z);
        done = output_end(&out, done) && done;
    }
    ty_close(scope);
    if (!done && error) *error = tensor_fault(&fault);
    return done;
}
