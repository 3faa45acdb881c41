/*
 * Cases of ONNX's test suites in files: a folder with model.onnx, perhaps data.json with tolerances, and folders
 * test_data_set_N with input_M.pb and output_M.pb, numbered from 0.
 */
#ifndef TOOLS_ONNX_CASE_H
#define TOOLS_ONNX_CASE_H
#include "onnx/value.h"
#include "tools/onnx/agree.h"

/* Tolerances of cases without data.json. */
static const struct tolerance CASE_TOLERANCE = {.relative = 1e-3, .absolute = 1e-7};

/* Read the tolerances of a case's folder; those above if it has no data.json.  False, with the fault set, if the file is
   damaged. */
bool case_tolerance(const char *folder, struct tolerance *out, struct fault *fault);
/* Return the number of data sets of a case, from 0 on without gaps. */
int case_sets(const char *folder);
/* Read the file of value i, an "input" or "output" of a kind, of a data set.  The bytes lie in the arena.  Return 1, or 0
   if there is no such file, or -1 with the fault set. */
int case_value(const char *folder, int set, const char *stem, int i, enum onnx_kind kind, struct arena *arena,
               struct onnx_value *out, struct fault *fault);

/* Read a value of a kind from a file of one message, as test data has them.  As case_value. */
int case_file(const char *path, enum onnx_kind kind, struct arena *arena, struct onnx_value *out,
              struct fault *fault);

/* Return true if values of all kinds agree: `draws`: tensors as draws from one distribution.  Else append the first
   difference to `words`, behind the path to it, such as "item 2: ". */
bool case_agrees(const struct onnx_value *found, const struct onnx_value *expected, struct tolerance t,
                 bool draws, struct text *words);
#endif
