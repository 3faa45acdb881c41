/*
 * Tyto for C++17 and later: header only.  docs/cplusplus.md is the manual.
 *
 *   ty::tensor x = ty::array<float>({{1, 2}, {3, 4}});
 *   ty::tensor y = ty::sum(x * 2 + 1, 0);                 // every function ty_NAME of tensors is ty::NAME
 *   std::cout << y(ty::slice(1)) << '\n';
 *
 * A ty::tensor owns one reference, inside scopes of C and without any.  A failed function throws ty::error; with
 * TY_NO_EXCEPTIONS, and in builds without exceptions, it returns the poisoned tensor, as in C.  No RTTI is needed.
 */
#ifndef TYTO_TYTO_HPP
#define TYTO_TYTO_HPP

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "<tyto/tyto.hpp> needs C++17: compile with -std=c++17 or later.  <tyto/tyto.h> needs C++11."
#else
#include <tyto/cplusplus/error.hpp>
#include <tyto/cplusplus/tensor.hpp>
#include <tyto/cplusplus/arguments.hpp>
#include <tyto/cplusplus/functions.hpp>
#include <tyto/cplusplus/operators.hpp>
#include <tyto/cplusplus/make.hpp>
#include <tyto/cplusplus/more.hpp>
#include <tyto/cplusplus/callbacks.hpp>
#include <tyto/cplusplus/derivatives.hpp>
#include <tyto/cplusplus/calls.hpp>
#include <tyto/cplusplus/handles.hpp>
#include <tyto/cplusplus/tables.hpp>
#include <tyto/cplusplus/walk.hpp>
#include <tyto/cplusplus/print.hpp>
#endif
#endif
