// SPDX-License-Identifier: MIT
// Packs a disk image for the page: node pack_image.mjs IMAGE OUT.gz. The format is in packed_image.h;
// ranges of zeros are left out, the rest is compressed with gzip, which every browser can undo
// (DecompressionStream).
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { constants, gzipSync } from 'node:zlib';

const GRANULE = 4096;

function u64(value) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
}

// [{at, bytes}] of the granules that hold anything but zeros, neighbours joined.
function filled_ranges(fd, size) {
    const ranges = [];
    const chunk = Buffer.alloc(256 * GRANULE);
    const zeros = Buffer.alloc(GRANULE);
    for (let at = 0; at < size; at += chunk.length) {
        const got = readSync(fd, chunk, 0, Math.min(chunk.length, size - at), at);
        for (let inside = 0; inside < got; inside += GRANULE) {
            const granule = chunk.subarray(inside, Math.min(inside + GRANULE, got));
            if (granule.equals(zeros.subarray(0, granule.length))) continue;
            const last = ranges.at(-1);
            if (last && last.at + last.length === at + inside) {
                last.parts.push(Buffer.from(granule));
                last.length += granule.length;
            } else {
                ranges.push({ at: at + inside, length: granule.length, parts: [Buffer.from(granule)] });
            }
        }
    }
    return ranges;
}

const [image, out] = process.argv.slice(2);
if (!out) {
    console.error('usage: node pack_image.mjs IMAGE OUT.gz');
    process.exit(2);
}
const fd = openSync(image, 'r');
const size = fstatSync(fd).size;
const ranges = filled_ranges(fd, size);
closeSync(fd);
const packed = [Buffer.from('GLASSIMG'), u64(size)];
for (const { at, length, parts } of ranges) packed.push(u64(at), u64(length), ...parts);
const compressed = gzipSync(Buffer.concat(packed), { level: constants.Z_BEST_COMPRESSION });
writeFileSync(out, compressed);
