/* Locks of files. */
#ifndef WINDOWS_SYS_FILE_H
#define WINDOWS_SYS_FILE_H
enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8 };
/* Lock a byte behind the end of any file, which no reader reads. */
int flock(int file, int how);
#endif
