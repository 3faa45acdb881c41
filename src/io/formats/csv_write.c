/* Writer of csv: one line a row, each number in the fewest digits that read back exactly, or in as many as
   the caller asks for. */
#include <inttypes.h>
#include <string.h>
#include "array/number_format.h"
#include "array/tensor.h"
#include "io/archive.h"
#include "io/formats/csv.h"

enum { FLUSH = 1 << 16, MOST_PRECISION = 40 };

void csv_add(struct text *t, ty_dtype dtype, struct element e, int precision) {
    if (precision <= 0 || !dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX)) {
        number_add_scalar(t, dtype, e);
        return;
    }
    int digits = precision < MOST_PRECISION ? precision : MOST_PRECISION;
    double real = (double)creall(e.z), imaginary = (double)cimagl(e.z);
    if (dtype_is(dtype, CLASS_COMPLEX))
        text_add(t, "(%.*g%+.*gj)", digits, real, digits, imaginary);
    else
        text_add(t, "%.*g", digits, real);
}

/* Write the first tensor of w, row-major of rank 0 to 2, as lines of cells. t is an empty buffer that is
   flushed now and then. False after a fault, which is set. */
static bool write_rows(struct writing *w, struct text *t, char delimiter) {
    const ty_tensor *x = w->tensors[0];
    int rank = x->layout.rank;
    int64_t rows = rank > 0 ? x->layout.shape[0] : 1, columns = rank > 1 ? x->layout.shape[1] : 1;
    size_t size = dtype_table[x->dtype].size;
    const char *at = tensor_data(x);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < columns; k++, at += size) {
            if (k) text_add_bytes(t, &delimiter, 1);
            csv_add(t, x->dtype, element_load(x->dtype, at), w->options->precision);
        }
        text_add_bytes(t, "\n", 1);
        if (t->length >= FLUSH && !output_text(w->out, t)) return false;
    }
    return output_text(w->out, t);
}

/* Append the caller's header line and a line break to t. Commas outside quotes become the delimiter, unless
   the header already has the delimiter outside quotes. */
static void add_header(struct text *t, const char *header, char delimiter) {
    bool quoted = false, ready = false;
    for (const char *c = header; *c; c++) {
        quoted ^= *c == '"';
        ready |= *c == delimiter && !quoted;
    }
    quoted = false;
    for (const char *c = header; *c; c++) {
        quoted ^= *c == '"';
        text_add_bytes(t, *c == ',' && !quoted && !ready ? &delimiter : c, 1);
    }
    text_add(t, "\n");
}

bool csv_write(struct writing *w) {
    struct text t = {0};
    char delimiter = w->options->delimiter;
    if (!writing_single(w, "csv") || !writing_numbers(w, "csv")) return false;
    if (w->tensors[0]->layout.rank > 2)
        return fault_set(w->fault, E_SHAPE,
                         "save: csv has rows and columns, but the tensor has %d axes: reshape it",
                         w->tensors[0]->layout.rank);
    if (!delimiter) delimiter = w->path && strstr(w->path, ".tsv") ? '\t' : ',';
    if (w->options->header) add_header(&t, w->options->header, delimiter);
    bool ok = write_rows(w, &t, delimiter);
    text_drop(&t);
    return ok;
}
