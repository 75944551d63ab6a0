/* Sixteen bytes a line: offset, hexadecimal, and what can be printed. */
#include <ctype.h>
#include <stdio.h>

static void print_line(long offset, const unsigned char *bytes, size_t n)
{
    printf("%08lx ", offset);
    for (size_t i = 0; i < 16; i++) {
        if (i < n)
            printf(" %02x", bytes[i]);
        else
            printf("   ");
        if (i == 7)
            putchar(' ');
    }
    printf("  ");
    for (size_t i = 0; i < n; i++)
        putchar(isprint(bytes[i]) ? bytes[i] : '.');
    putchar('\n');
}

int main(int argc, char **argv)
{
    FILE *in = argc > 1 ? fopen(argv[1], "rb") : stdin;
    unsigned char bytes[16];
    long offset = 0;
    size_t got;

    if (!in) {
        perror(argv[1]);
        return 1;
    }
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0) {
        print_line(offset, bytes, got);
        offset += (long)got;
    }
    return 0;
}
