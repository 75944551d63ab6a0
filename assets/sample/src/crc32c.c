/* The checksum of btrfs: CRC-32C (Castagnoli), bit by bit. Prints it for what it reads. */
#include <stdint.h>
#include <stdio.h>

static uint32_t crc32c(uint32_t crc, const unsigned char *bytes, size_t n)
{
    crc = ~crc;
    while (n--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

int main(void)
{
    unsigned char buffer[4096];
    uint32_t crc = 0;
    size_t got;

    while ((got = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        crc = crc32c(crc, buffer, got);
    printf("%08x\n", (unsigned)crc);
    return 0;
}
