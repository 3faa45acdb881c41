/*
 * Compiled kernels on disk: $XDG_CACHE_HOME/tyto, else ~/.cache/tyto.  Each entry is a file that has its key, the
 * compiled program and a hash of both.  An entry that is damaged, of another key or not the user's own does not exist,
 * nor do any if the folder can be written by others.  Without a usable folder nothing is stored.
 */
#ifndef BASE_FILES_DISK_CACHE_H
#define BASE_FILES_DISK_CACHE_H
#include <stdbool.h>
#include <stddef.h>

struct disk_key {
    const char *bytes; /* everything that the program depends on */
    size_t length;
};
/* Return the program that was stored under the key, freed by mem_free, and its size in bytes.  NULL: there is none. */
void *disk_cache_get(const struct disk_key *key, size_t *bytes);
/* Store a program of `bytes` bytes under the key, and remove the entries used least recently above the limit.  Nothing
   happens if that fails. */
void disk_cache_put(const struct disk_key *key, const void *program, size_t bytes);
/* Test hook: set the limit of the folder in bytes; 0 restores the usual one. */
void disk_cache_bound(size_t most);
#endif
