/* Waiting until a descriptor can be read. */
#ifndef WINDOWS_POLL_H
#define WINDOWS_POLL_H
enum { POLLIN = 1, POLLOUT = 4, POLLERR = 8, POLLHUP = 16, POLLNVAL = 32 };
struct pollfd {
    int fd;
    short events, revents;
};
typedef unsigned nfds_t;
/* Wait for bytes or the end of pipes; other descriptors count as ready.  Return the number of those that are ready. */
int poll(struct pollfd *list, nfds_t n, int milliseconds);
#endif
