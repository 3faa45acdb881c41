/* FOR_COMMAND(name) behind the declaration of a private function exports it to the command `tyto`, which is linked with
   libtyto.so: as ty__name, with a version of symbols that other versions of the library lack (cmake/tyto.map.in).
   Programs of others must not use these symbols.  TABLE_FOR_COMMAND(name) does so for a constant table.  In the library
   its visibility lets no other copy of the library in the process take its place.  The command, which imports the table
   (TY_IMPORTS), must not declare it protected: clang passes the word on, and ld then looks for the table nowhere else. */
#ifndef BASE_FOR_COMMAND_H
#define BASE_FOR_COMMAND_H
#if defined(__ELF__)
#define FOR_COMMAND(name_) __asm__("ty__" #name_) __attribute__((visibility("default")))
#ifdef TY_IMPORTS
#define TABLE_FOR_COMMAND(name_) FOR_COMMAND(name_)
#else
#define TABLE_FOR_COMMAND(name_) __asm__("ty__" #name_) __attribute__((visibility("protected")))
#endif
#else /* the command has a copy of the library */
#define FOR_COMMAND(name_)
#define TABLE_FOR_COMMAND(name_)
#endif
#endif
