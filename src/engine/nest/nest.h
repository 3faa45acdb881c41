/* The language of nests is public: <tyto/engine.h>. */
#ifndef ENGINE_NEST_NEST_H
#define ENGINE_NEST_NEST_H
#include <tyto/engine.h>
#endif
