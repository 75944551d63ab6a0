#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cuts a font down to the scripts the UI draws and writes it as a C++ source: embed_font.py FONT OUTPUT.cpp"""
import io
import os
import re
import sys

from fontTools import subset

# Latin, Greek, Cyrillic, punctuation, arrows, mathematics, and the shapes used as icons.
RANGES = [(0x20, 0x24F), (0x370, 0x3FF), (0x400, 0x45F), (0x1E00, 0x1EFF), (0x2010, 0x2027), (0x2030, 0x205E),
          (0x20AC, 0x20AC), (0x2190, 0x2199), (0x2212, 0x2212), (0x2248, 0x2248), (0x2260, 0x2265),
          (0x2318, 0x2318), (0x25A0, 0x25CF), (0x2713, 0x2717), (0xFFFD, 0xFFFD)]


def cut(path):
    options = subset.Options()
    options.layout_features = []
    options.hinting = False
    options.desubroutinize = True  # stb_truetype's CFF interpreter is simple
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 13, 14]  # copyright and licence stay in the font
    font = subset.load_font(path, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[u for first, last in RANGES for u in range(first, last + 1)])
    subsetter.subset(font)
    out = io.BytesIO()
    subset.save_font(font, out, options)
    return out.getvalue()


def main(path, output):
    data = cut(path)
    name = re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0]).lower()
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with open(output, "w") as f:
        f.write("// Made by embed_font.py\n")
        f.write(f"extern const unsigned char font_{name}[];\nextern const unsigned font_{name}_size;\n")
        f.write(f"const unsigned font_{name}_size = {len(data)};\nconst unsigned char font_{name}[] = {{\n")
        for at in range(0, len(data), 24):
            f.write(",".join(str(b) for b in data[at:at + 24]) + ",\n")
        f.write("};\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
