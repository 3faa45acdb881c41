/* Register numbers in a draft: class and index, which nest_end turns into the numbers of nest.h. */
#ifndef ENGINE_NEST_REGISTERS_H
#define ENGINE_NEST_REGISTERS_H

enum { OF_READ, OF_BEFORE, OF_FOLD, OF_AFTER };
enum { REGISTER_BITS = 14, REGISTER_MOST = (1 << REGISTER_BITS) - 2 };
#define REGISTER(class, index) ((class) << REGISTER_BITS | (index))
#define REGISTER_CLASS(r) ((r) >> REGISTER_BITS & 3)
#define REGISTER_INDEX(r) ((r) & ((1 << REGISTER_BITS) - 1))
#endif
