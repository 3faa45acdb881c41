/* The entry of the command: arguments in UTF-8, streams of bytes, a console that shows UTF-8.  CMakeLists.txt renames the
   function main of the command to command_main. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#include <shellapi.h>

int command_main(int n, char **arguments);
int main(void);

/* Return the text in UTF-8; NULL if memory runs out. */
static char *narrow(const wchar_t *text) {
    int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *out = n > 0 ? malloc((size_t)n) : NULL;
    if (out) WideCharToMultiByte(CP_UTF8, 0, text, -1, out, n, NULL, NULL);
    return out;
}

static UINT page; /* of the console before */

static void restore_console(void) { SetConsoleOutputCP(page); }

/* Let the console show UTF-8 and obey escape sequences, until the process ends. */
static void prepare_console(void) {
    DWORD mode;
    HANDLE console = GetStdHandle(STD_OUTPUT_HANDLE);
    page = GetConsoleOutputCP();
    if (page && SetConsoleOutputCP(CP_UTF8)) atexit(restore_console);
    if (GetConsoleMode(console, &mode)) SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

int main(void) {
    int n = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &n);
    char **arguments = wide ? calloc((size_t)n + 1, sizeof *arguments) : NULL;
    int converted = 0;
    while (arguments && converted < n && (arguments[converted] = narrow(wide[converted]))) converted++;
    for (int i = 0; i < 3; i++) _setmode(i, _O_BINARY);
    prepare_console();
    int status = EXIT_FAILURE;
    if (arguments && converted == n)
        status = command_main(n, arguments);
    else
        fputs("tyto: out of memory\n", stderr);
    for (int i = 0; i < converted; i++) free(arguments[i]);
    free(arguments);
    LocalFree(wide);
    return status;
}
