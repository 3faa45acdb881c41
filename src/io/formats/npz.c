/* npz: a zip whose members are npy files. A tensor is named after its member, without ".npy". */
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "io/formats/matches.h"
#include "io/formats/npy.h"
#include "io/formats/zip.h"

bool npz_matches(const uint8_t *head, size_t n) {
    return n >= 4 && head[0] == 'P' && head[1] == 'K' &&
           ((head[2] == 3 && head[3] == 4) || (head[2] == 5 && head[3] == 6)); /* second form: an empty zip */
}

/* Remove ".npy" from the end of e's name, if it is there; false, with a's fault set, without memory. */
static bool strip(struct ty_archive *a, struct archive_entry *e) {
    size_t n = strlen(e->name);
    if (n < 4 || strcmp(e->name + n - 4, ".npy") != 0) return true;
    e->name = archive_text(a, e->name, n - 4);
    return e->name;
}

/* Open the member of entry e and read its npy header into *form, which begins as a copy of *e; its shape is
   allocated from `arena`. Return the input, which the caller closes; NULL sets the fault. */
static struct input *open_member(struct ty_archive *a, const struct archive_entry *e, struct arena *arena,
                                 struct archive_entry *form, struct fault *fault) {
    *form = *e;
    struct input *member = zip_member(a->input, e, fault);
    if (member && npy_read_header(member, &a->options, arena, form, fault)) return member;
    input_close(member);
    return NULL;
}

/* Set dtype, rank and shape of entry e from its member's header, for listings; a damaged member sets
   e->unread instead, so that its fault shows when it is requested. Always return true. */
static bool look(struct ty_archive *a, struct archive_entry *e) {
    struct archive_entry form;
    struct fault fault = {0};
    struct input *member = open_member(a, e, &a->arena, &form, &fault);
    e->unread = !member;
    if (member) {
        e->dtype = form.dtype;
        e->rank = form.rank;
        e->shape = form.shape;
    }
    input_close(member);
    return true;
}

bool npz_open(struct ty_archive *a) {
    if (!zip_open(a)) return false;
    for (int i = 0; i < a->index.count; i++)
        if (!strip(a, &a->index.entries[i]) || !look(a, &a->index.entries[i])) return false;
    return true;
}

/* Set *fault to the text of *inner followed by the name of member e; always return NULL. */
static ty_tensor *told(const struct archive_entry *e, const struct fault *inner, struct fault *fault) {
    fault_set(fault, inner->code, "%s  [member \"%.100s\"]", inner->text, e->name);
    return NULL;
}

/* Read the elements of the open `member`, described by `form`, whose offsets it may change; return the
   tensor, NULL or poison after a failure. A stored member lies in the file unchanged, so it can be
   mapped if the options say so; then its checksum is not verified. */
static ty_tensor *read_member(struct ty_archive *a, struct input *member, struct archive_entry *form,
                              struct fault *fault) {
    uint64_t end = form->end;
    if (a->options.map && !member->inflater) {
        form->begin += member->begin;
        form->end += member->begin;
        return elements_read(a->input, form, true, fault);
    }
    ty_tensor *x = elements_read(member, form, false, fault);
    return x && ty_ok(x) && !input_end(member, end, fault) ? NULL : x;
}

ty_tensor *npz_get(struct ty_archive *a, const struct archive_entry *e, struct fault *fault) {
    struct arena arena = {0};
    struct archive_entry form;
    struct fault inner = {0};
    struct input *member = open_member(a, e, &arena, &form, &inner);
    ty_tensor *x = NULL;
    if (member && e->deflated && a->unpacked > unpack_limit(a->input, &a->options))
        unpack_refuse(a->input, &a->options, a->unpacked, &inner);
    else if (member)
        x = read_member(a, member, &form, &inner);
    input_close(member);
    arena_drop(&arena);
    return inner.set ? told(e, &inner, fault) : x;
}

/* Write tensor i of w, from 0, as a member "name.npy" of the zip; false sets the fault. */
static bool write_tensor(struct writing *w, struct zip_writer *z, int i) {
    struct text header = {0}, name = {0};
    const ty_tensor *x = w->tensors[i];
    text_add(&name, "%s.npy", *w->names[i] ? w->names[i] : "arr_0");
    bool ok = npy_header(&header, x, w->fault) && (!name.failed || fault_memory(w->fault, name.length));
    struct zip_content content = {header.data, header.length, x};
    ok = ok && zip_add(z, name.data, &content, w->options->deflate);
    text_drop(&header);
    text_drop(&name);
    return ok;
}

bool npz_write(struct writing *w) {
    struct zip_writer z;
    zip_start(&z, w->out, ZIP_LARGE);
    bool ok = true;
    for (int i = 0; ok && i < w->n; i++) ok = write_tensor(w, &z, i);
    ok = ok && zip_end(&z);
    zip_drop(&z);
    return ok;
}
