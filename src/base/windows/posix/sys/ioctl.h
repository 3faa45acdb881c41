/* The size of consoles. */
#ifndef WINDOWS_SYS_IOCTL_H
#define WINDOWS_SYS_IOCTL_H
enum { TIOCGWINSZ = 1 };
struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};
/* TIOCGWINSZ: write the rows and columns of a console to a struct winsize. */
int ioctl(int file, int request, ...);
#endif
