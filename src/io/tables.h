/* Tables of inputs: files, memory, sources. */
#ifndef IO_TABLES_H
#define IO_TABLES_H
#include "io/archive.h"
#include "table/reader.h"

/* Check options of reading; false sets the fault. */
bool table_check(const ty_table_options *options, struct fault *fault);
/* Return the table of an input, which stays open, by checked options; `rules` NULL: columns have dtypes of their own.
   The caller frees it with ty_table_free. */
ty_table *table_of_input(struct input *in, const ty_table_options *options, struct table_rules *rules);
#endif
