/* In the place of the command: prints a number, or makes the folders for pages if it is told where (help --write F). */
#include <stdio.h>
#include <sys/stat.h>
#include <tyto/one.h>

int main(int n, char **arguments) {
    char path[4096];
    if (n == 1) return printf("%d\n", ty_one()) < 0;
    mkdir(arguments[n - 1], 0777);
    snprintf(path, sizeof path, "%s/man", arguments[n - 1]);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/share", arguments[n - 1]);
    return mkdir(path, 0777) != 0;
}
