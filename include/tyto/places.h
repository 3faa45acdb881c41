/*
 * Source lines of tensors.  With TY_PLACES defined for all of your sources (cc -DTY_PLACES), <tyto/tyto.h> includes
 * this header.  Every call of a function that makes tensors then records its file and line.
 *
 * Error messages end in "(at net.c:42)"; ty_text, ty_place_of and the trap of NaN (ty_trap_nan) name the line.
 * Tensors made within such a call, gradients included, have the line of that call.  Calls through pointers to
 * functions record nothing.  Without TY_PLACES nothing is recorded, at no cost.
 */
#ifndef TYTO_PLACES_H
#define TYTO_PLACES_H
#include <tyto/contraction.h>
#include <tyto/data.h>
#include <tyto/decode.h>
#include <tyto/dlpack.h>
#include <tyto/engine.h>
#include <tyto/export_c.h>
#include <tyto/expression.h>
#include <tyto/formula.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/notation.h>
#include <tyto/onnx.h>
#include <tyto/plot.h>
#include <tyto/prepare.h>
#include <tyto/table.h>
#include <tyto/table_groups.h>
#include <tyto/table_rows.h>
#include <tyto/tokens.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>

#define TY_HERE(call) (ty_here(__FILE__, __LINE__), call)
#undef TY_TYPED_CALL_ /* of the macros in <tyto/typed.h> */
#define TY_TYPED_CALL_(call) TY_HERE(call)
#include <tyto/tables/places.def>
#endif
