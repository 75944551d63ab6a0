/* The sieve of Eratosthenes: primes up to the number given. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long limit = argc > 1 ? atol(argv[1]) : 100;
    char *composite = calloc((size_t)limit + 1, 1);

    if (!composite)
        return 1;
    for (long n = 2; n <= limit; n++) {
        if (composite[n])
            continue;
        printf("%ld\n", n);
        for (long multiple = n * n; multiple <= limit; multiple += n)
            composite[multiple] = 1;
    }
    free(composite);
    return 0;
}
