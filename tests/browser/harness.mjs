// SPDX-License-Identifier: MIT
// What the browser suites share: the built site on a server of its own, images unpacked into a scratch
// folder, the native command line as the judge, and a list of tests that run one after the other and are
// counted.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
    closeSync,
    existsSync,
    ftruncateSync,
    mkdirSync,
    mkdtempSync,
    openSync,
    readFileSync,
    rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const site = process.env.GLASSFS_SITE ?? join(root, 'out/web/site');
export const glassfs = process.env.GLASSFS ?? join(root, 'out/release/core/cli/glassfs');
export const images = process.env.GLASSFS_IMAGES ?? join(root, '../shared/images');
export const screenshots = join(root, 'out/screenshots');
export const require_of_web = createRequire(join(root, 'web/package.json'));

export const scratch = mkdtempSync(join(process.env.GLASSFS_SCRATCH ?? tmpdir(), 'glassfs-browser-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// The files of an image from the collection, one for each device; null where the collection isn't there.
export function image_files(name) {
    const folder = join(images, name);
    if (!existsSync(folder)) return null;
    const out = [];
    for (const [packed, plain] of [
        ['image.zst', 'image'],
        ...[1, 2, 3, 4].map((n) => [`image-${n}.zst`, `image-${n}`]),
    ]) {
        if (!existsSync(join(folder, packed))) continue;
        const file = join(scratch, `${name}.${plain}.img`);
        if (!existsSync(file))
            execFileSync('zstd', ['-dq', '--long=27', '--sparse', join(folder, packed), '-o', file]);
        out.push(file);
    }
    return out;
}

// A btrfs made here and now by mkfs.btrfs from a folder.
export function make_btrfs(name, size, folder, ...options) {
    const file = join(scratch, name);
    const fd = openSync(file, 'w');
    ftruncateSync(fd, size);
    closeSync(fd);
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
    execFileSync('mkfs.btrfs', ['-q', '-f', ...options, ...(folder ? ['--rootdir', folder] : []), file], {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
    });
    return file;
}

// The sample image as a plain file, so that the command line can read what the page has opened.
export function sample_file() {
    const { gunzipSync } = require_of_web('node:zlib');
    const { writeSync } = require_of_web('node:fs');
    const packed = gunzipSync(readFileSync(join(site, 'sample.packed.gz')));
    const file = join(scratch, 'sample.img');
    const fd = openSync(file, 'w');
    ftruncateSync(fd, Number(packed.readBigUInt64LE(8)));
    for (let at = 16; at < packed.length;) {
        const length = Number(packed.readBigUInt64LE(at + 8));
        writeSync(fd, packed, at + 16, length, Number(packed.readBigUInt64LE(at)));
        at += 16 + length;
    }
    closeSync(fd);
    return file;
}

// What the command line prints, as text or as parsed JSON lines.
export function cli(...words) {
    return execFileSync(glassfs, words, { encoding: 'utf8', maxBuffer: 1 << 30 });
}
export const cli_json = (...words) =>
    cli(...words)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));

export async function serve(folder = site) {
    const server = spawn(process.execPath, [join(root, 'web/server.mjs'), folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.on('exit', () => server.kill());
    const address = await new Promise((found, failed) => {
        let printed = '';
        server.stdout.on('data', (data) => {
            printed += data;
            const match = /http:\S+/.exec(printed);
            if (match) found(match[0]);
        });
        server.on('exit', (code) => failed(new Error(`web/server.mjs ended with ${code}`)));
    });
    return { address, close: () => server.kill() };
}

export class Skip extends Error {}

export function check(condition, message) {
    if (!condition) throw new Error(message);
}
export function equal(got, wanted, what) {
    const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
    if (a !== b) throw new Error(`${what}: got ${a?.slice(0, 600)}, wanted ${b?.slice(0, 600)}`);
}

const tests = [];
export function test(name, run) {
    tests.push({ name, run });
}

// Runs all tests (or those whose name holds a word of the command line); the last line is the totals.
export async function run_tests({ before_each, after_each, failed } = {}) {
    const words = process.argv.slice(2);
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const { name, run } of tests) {
        if (words.length && !words.some((word) => name.includes(word))) continue;
        const began = performance.now();
        let outcome = 'passed',
            why = '';
        let context;
        try {
            context = await before_each?.(name);
            await run(context);
        } catch (error) {
            outcome = error instanceof Skip ? 'skipped' : 'failed';
            why = `: ${error.message.split('\n').slice(0, 4).join('\n    ')}`;
            if (outcome === 'failed') await failed?.(name, context);
        }
        await after_each?.(context);
        ++count[outcome];
        console.log(`${outcome} ${name} (${Math.round(performance.now() - began)} ms)${why}`);
    }
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    return count.failed === 0;
}

export function needs_images(name) {
    const files = image_files(name);
    if (files) return files;
    if (process.env.CI) throw new Error(`the collection of images is missing (${name})`);
    throw new Skip('the collection of images is not here');
}

export function screenshot_path(name) {
    mkdirSync(screenshots, { recursive: true });
    return join(screenshots, name);
}
