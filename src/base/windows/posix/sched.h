/* sched.h of winpthreads, and the parts that it lacks. */
#ifndef WINDOWS_SCHED_H
#define WINDOWS_SCHED_H
#include_next <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Processors of the process's group, at most 64. */
typedef struct {
    uint64_t bits;
} cpu_set_t;
enum { CPU_SETSIZE = 64 };
#define CPU_COUNT(set) __builtin_popcountll((set)->bits)
#define CPU_ZERO(set) ((set)->bits = 0)
#define CPU_SET(i, set) ((set)->bits |= (uint64_t)1 << (i))
#define CPU_EQUAL(a, b) ((a)->bits == (b)->bits)
#define CPU_ISSET(i, set) ((int)((set)->bits >> (i)&1))
/* Tell the processors of this process. */
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set);
int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set);
#endif
