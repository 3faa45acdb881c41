/* All public headers, preprocessed for signatures.awk. */
#include <tyto/contraction.h>
#include <tyto/data.h>
#include <tyto/dlpack.h>
#include <tyto/engine.h>
#include <tyto/export_c.h>
#include <tyto/expression.h>
#include <tyto/formula.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/onnx.h>
#include <tyto/table.h>
#include <tyto/table_groups.h>
#include <tyto/table_rows.h>
#include <tyto/prepare.h>
#include <tyto/tokens.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>
