/* Structs and enums: keywords and objects to structs, results to named tuples, words to numbers. */
#include "marshal.h"
#include <string.h>

/* ---- names with a mistake ---- */

enum {
    NAME_MOST = 64,
    FAR = 3
}; /* longest name that is compared; a distance from which names are different */

/* Number of letters to insert, delete or replace (Levenshtein); at least FAR for long names. */
static int distance(const char *a, const char *b) {
    int row[NAME_MOST + 1], n = (int)strlen(b);
    if (n > NAME_MOST) return FAR;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; *a; a++, i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = corner + (*a != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            corner = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

static const char *nearest(const char *name, const char *(*at)(const void *table, int i), const void *table) {
    const char *best = NULL, *word;
    int least = FAR;
    for (int i = 0; (word = at(table, i)); i++) {
        int d = distance(name, word);
        if (d < least && d < (int)strlen(word)) {
            least = d;
            best = word;
        }
    }
    return best;
}

void raise_unknown(const char *function, PyObject *name, const char *(*at)(const void *table, int i),
                   const void *table) {
    const char *word = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!word) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s() takes names that are str", function);
        return;
    }
    PyObject *hints = PyImport_ImportModule("tyto._hints");
    PyObject *hint = hints ? PyObject_CallMethod(hints, "argument", "s", word) : NULL;
    Py_XDECREF(hints);
    if (!hint) return;
    const char *best = PyObject_IsTrue(hint) ? NULL : nearest(word, at, table);
    if (best)
        PyErr_Format(PyExc_TypeError, "%s() has no argument '%s': did you mean '%s'?", function, word, best);
    else
        PyErr_Format(PyExc_TypeError, "%s() has no argument '%s'%U", function, word, hint);
    Py_DECREF(hint);
}

/* ---- enums ---- */

static const char *word_at(const void *table, int i) { return ((const struct word *)table)[i].word; }

static bool unknown_word(const struct enumeration *e, const char *word, const char *name) {
    const char *best = nearest(word, word_at, e->words);
    char list[512] = "";
    for (const struct word *w = e->words; w->word && strlen(list) + strlen(w->word) + 3 < sizeof list; w++) {
        if (*list) strcat(list, ", ");
        strcat(list, w->word);
    }
    if (best)
        PyErr_Format(PyExc_ValueError, "%s: '%s' is no %s: did you mean '%s'?", name, word, e->name, best);
    else
        PyErr_Format(PyExc_ValueError, "%s: '%s' is no %s: %s", name, word, e->name, list);
    return false;
}

/* Return true if two words are equal but for blanks, hyphens and underscores. */
static bool equal_words(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        bool gap = (*a == '_' || *a == '-' || *a == ' ') && (*b == '_' || *b == '-' || *b == ' ');
        if (*a != *b && !gap) return false;
    }
    return *a == *b;
}

bool enum_from(const struct enumeration *e, PyObject *object, const char *name, int64_t *out) {
    if (!PyUnicode_Check(object)) {
        if (!int_from(object, name, out)) return false;
        for (const struct word *w = e->words; w->word; w++)
            if (w->value == *out) return true;
        PyErr_Format(PyExc_ValueError, "%s: %lld is no %s", name, (long long)*out, e->name);
        return false;
    }
    const char *word = PyUnicode_AsUTF8AndSize(object, NULL);
    if (!word) return false;
    for (const struct word *w = e->words; w->word; w++) {
        if (!equal_words(w->word, word)) continue;
        *out = w->value;
        return true;
    }
    int value = e->named ? e->named(word) : e->count;
    if (value == e->count) return unknown_word(e, word, name);
    *out = value;
    return true;
}

PyObject *object_of_enum(const struct enumeration *e, int64_t value) {
    for (const struct word *w = e->words; w->word; w++)
        if (w->value == value) return PyUnicode_FromString(w->word);
    return PyLong_FromLongLong(value);
}

/* ---- structs ---- */

static const char *field_at(const void *table, int i) {
    const struct record *r = table;
    return i < r->n ? r->members[i].name : NULL;
}

/* Write the fields of a dict. */
static bool fields_from(struct marshal *m, const struct record *r, PyObject *dict, char *memory) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    dict = PyDict_Copy(dict); /* conversions run code of the caller's */
    if (!dict || !hold_object(m, dict)) return false;
    while (PyDict_Next(dict, &at, &name, &value)) {
        int i = 0;
        while (i < r->n && !(PyUnicode_Check(name) && r->members[i].kind != KIND_HIDDEN &&
                             !PyUnicode_CompareWithASCIIString(name, r->members[i].name)))
            i++;
        if (i == r->n) {
            raise_unknown(r->name, name, field_at, r);
            return false;
        }
        if (value != Py_None && !member_from(m, &r->members[i], value, memory)) return false;
    }
    return true;
}

/* Write the fields of an object with attributes, such as the named tuple of a result. */
static bool attributes_from(struct marshal *m, const struct record *r, PyObject *object, const char *name,
                            char *memory) {
    int found = 0;
    for (int i = 0; i < r->n; i++) {
        const struct member *d = &r->members[i];
        if (d->kind == KIND_HIDDEN) continue;
        PyObject *value = PyObject_GetAttrString(object, d->name);
        if (!value) {
            if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
            PyErr_Clear();
            continue;
        }
        found++;
        if (!hold_object(m, value)) return false;
        if (value != Py_None && !member_from(m, d, value, memory)) return false;
    }
    if (found) return true;
    PyErr_Format(PyExc_TypeError, "%s must be a dict or an object with the fields of %s", name, r->name);
    return false;
}

/* Write the fields of a tuple in order. */
static bool tuple_fields(struct marshal *m, const struct record *r, PyObject *tuple, const char *name,
                         char *memory) {
    Py_ssize_t n = PyTuple_Size(tuple), k = 0;
    for (int i = 0; i < r->n && k < n; i++) {
        if (r->members[i].kind == KIND_HIDDEN) continue;
        PyObject *value = PyTuple_GetItem(tuple, k++);
        if (value != Py_None && !member_from(m, &r->members[i], value, memory)) return false;
    }
    if (k == n) return true;
    PyErr_Format(PyExc_TypeError, "%s: %s has only %zd fields", name, r->name, k);
    return false;
}

bool record_from(struct marshal *m, const struct record *r, PyObject *object, const char *name,
                 char *memory) {
    if (object == Py_None) return true; /* all defaults */
    if (PyDict_Check(object)) return fields_from(m, r, object, memory);
    bool ours = r->type && *r->type && PyObject_TypeCheck(object, *r->type);
    if (PyTuple_Check(object) && !ours) return tuple_fields(m, r, object, name, memory);
    return attributes_from(m, r, object, name, memory);
}

PyObject *object_of_record(struct marshal *m, const struct record *r, char *memory) {
    PyObject *tuple = r->type && *r->type ? PyStructSequence_New(*r->type) : PyDict_New();
    Py_ssize_t k = 0;
    for (int i = 0; tuple && i < r->n; i++) {
        const struct member *d = &r->members[i];
        if (d->kind == KIND_HIDDEN) continue;
        PyObject *value = object_of(m, d, memory);
        if (value && r->type && *r->type) {
            PyStructSequence_SetItem(tuple, k++, value);
            continue;
        }
        if (!value || PyDict_SetItemString(tuple, d->name, value)) Py_CLEAR(tuple);
        Py_XDECREF(value);
    }
    return tuple;
}

/* Make the class of a struct of results, with its name and docs in memory that stays. */
static bool add_record(PyObject *module, const struct record *r) {
    PyStructSequence_Field *fields = PyMem_Calloc((size_t)r->n + 1, sizeof *fields);
    char *name = PyMem_Malloc(strlen(r->name) + sizeof "tyto.c.");
    if (!fields || !name) return PyErr_NoMemory() != NULL;
    strcpy(name, "tyto.c.");
    strcat(name, r->name);
    int n = 0;
    for (int i = 0; i < r->n; i++)
        if (r->members[i].kind != KIND_HIDDEN) fields[n++].name = r->members[i].name;
    PyStructSequence_Desc description = {name, r->doc, fields, n};
    *r->type = PyStructSequence_NewType(&description);
    return *r->type && PyObject_SetAttrString(module, r->name, (PyObject *)*r->type) == 0;
}

bool add_words(PyObject *module) {
    PyObject *words = PyDict_New();
    bool good = words != NULL;
    for (const struct enumeration *const *e = enumerations_table; good && *e; e++) {
        for (const struct word *w = (*e)->words; good && w->word; w++) {
            PyObject *word = PyUnicode_FromString(w->word);
            good = word && PyDict_SetItemString(words, w->constant, word) == 0;
            Py_XDECREF(word);
        }
    }
    good = good && PyObject_SetAttrString(module, "_words", words) == 0;
    Py_XDECREF(words);
    return good;
}

bool add_records(PyObject *module) {
    for (const struct record *const *r = records_table; *r; r++)
        if (!add_record(module, *r)) return false;
    return true;
}
