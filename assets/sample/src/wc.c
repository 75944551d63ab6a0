/* Lines, words and bytes of the standard input. */
#include <ctype.h>
#include <stdio.h>

int main(void)
{
    long lines = 0, words = 0, bytes = 0;
    int c, inside = 0;

    while ((c = getchar()) != EOF) {
        bytes++;
        lines += c == '\n';
        if (isspace(c)) {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            words++;
        }
    }
    printf("%7ld %7ld %7ld\n", lines, words, bytes);
    return 0;
}
