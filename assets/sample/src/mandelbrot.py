#!/usr/bin/env python3
"""Draws the bitmap of ../data: python3 mandelbrot.py WIDTH HEIGHT > mandelbrot.pgm"""
import sys

SHADES = 16


def steps(c, limit=96):
    z, n = 0j, 0
    while n < limit and abs(z) <= 2:
        z, n = z * z + c, n + 1
    return n


def main():
    width, height = (int(word) for word in sys.argv[1:3])
    out = sys.stdout.buffer
    out.write(b"P5\n%d %d\n%d\n" % (width, height, SHADES - 1))
    for y in range(height):
        row = bytearray()
        for x in range(width):
            c = complex(-2.2 + 3.2 * x / width, -1.2 + 2.4 * y / height)
            n = steps(c)
            row.append(0 if n == 96 else SHADES - 1 - min(SHADES - 1, n // 2))
        out.write(row)


if __name__ == "__main__":
    main()
