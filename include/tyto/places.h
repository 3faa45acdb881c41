/*
 * Where a tensor comes from.  With TY_PLACES defined for all of your sources (cc -DTY_PLACES), <tyto/tyto.h> includes this,
 * and every call of a function that makes tensors notes its file and line: sentences of poison end in "(at net.c:42)", and
 * ty_text, ty_place_of and the trap of NaN (ty_trap_nan) name the line.  What such a call makes in passing, gradients
 * among it, has the line of the call that it serves.  Calls that are not written as calls (by pointers to functions) note
 * nothing.  Without TY_PLACES nothing is noted and nothing is spent.
 */
#ifndef TYTO_PLACES_H
#define TYTO_PLACES_H
#include <tyto/contraction.h>
#include <tyto/dlpack.h>
#include <tyto/expression.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>
#include <tyto/zoo.h>

#define TY_HERE(call) (ty_here(__FILE__, __LINE__), call)
#include <tyto/places.def>
#endif
