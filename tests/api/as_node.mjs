// SPDX-License-Identifier: MIT
// The same calls to node's own fs.promises in an empty directory and to glassfs: results, errors (code,
// errno, syscall, path, message) and what is left must be the same.

// A call is [name, ...arguments]; "@" at the begin of a string is the directory. A function is run with
// (fs, path).
const bytes = (...list) => Uint8Array.from(list);

export const CALLS = [
    ['mkdir', '@/d'],
    ['mkdir', '@/d'],
    ['mkdir', '@/no/such'],
    ['mkdir', '@/d/a/b/c', { recursive: true }],
    ['mkdir', '@/d/a/b/c', { recursive: true }],
    ['mkdir', '@/d/mode', { mode: 0o750 }],
    ['writeFile', '@/d/text', 'some text\n'],
    ['writeFile', '@/d/text', 'more\n', { flag: 'a' }],
    ['appendFile', '@/d/text', bytes(1, 2, 255)],
    ['readFile', '@/d/text'],
    ['readFile', '@/d/text', 'latin1'],
    ['readFile', '@/d/text', { encoding: 'hex' }],
    ['readFile', '@/d/text', { encoding: 'base64' }],
    ['readFile', '@/d'],
    ['readFile', '@/none'],
    ['readFile', '@/d/text/inside'],
    ['writeFile', '@/d', 'x'],
    ['writeFile', '@/no/file', 'x'],
    ['writeFile', '@/d/text', 'x', { flag: 'wx' }],
    ['writeFile', '@/d/new', 'x', { flag: 'wx', mode: 0o600 }],
    ['writeFile', '@/d/new', 'x', { flag: 'r' }],
    ['writeFile', '@/d/none', 'x', { flag: 'r+' }],
    ['writeFile', '@/d/gr\u00fcn \u2603', 'name', 'utf8'],
    ['readdir', '@/d'],
    ['readdir', '@/none'],
    ['readdir', '@/d/text'],
    ['readdir', '@/d', { withFileTypes: true }],
    ['readdir', '@/d', { recursive: true }],
    ['stat', '@/d/text'],
    ['stat', '@/none'],
    ['stat', '@/d/text/'],
    ['stat', '@/d/text/x'],
    ['lstat', '@/none'],
    ['symlink', 'text', '@/d/link'],
    ['symlink', 'text', '@/d/link'],
    ['symlink', '/nowhere', '@/d/dangling'],
    ['symlink', 'loop', '@/d/loop'],
    ['symlink', '../d', '@/d/up'],
    ['lstat', '@/d/link'],
    ['stat', '@/d/link'],
    ['stat', '@/d/dangling'],
    ['stat', '@/d/loop'],
    ['readFile', '@/d/loop'],
    ['readlink', '@/d/link'],
    ['readlink', '@/d/link', 'buffer'],
    ['readlink', '@/d/text'],
    ['readlink', '@/none'],
    ['readFile', '@/d/up/up/link', 'latin1'],
    ['writeFile', '@/d/link', 'through the link'],
    ['readFile', '@/d/text', 'utf8'],
    ['lstat', '@/d/up/'],
    ['link', '@/d/text', '@/d/hard'],
    ['link', '@/d/text', '@/d/hard'],
    ['link', '@/none', '@/d/hard2'],
    ['link', '@/d', '@/d/hard2'],
    ['stat', '@/d/hard'],
    ['unlink', '@/d/hard'],
    ['unlink', '@/d/hard'],
    ['unlink', '@/d/a'],
    ['unlink', '@/d/text/x'],
    ['rmdir', '@/d/a'],
    ['rmdir', '@/d/text'],
    ['rmdir', '@/none'],
    ['rmdir', '@/d/a/b/c'],
    ['rename', '@/d/text', '@/d/a/moved'],
    ['rename', '@/d/text', '@/d/a/moved'],
    ['rename', '@/d/a', '@/d/a/inside'],
    ['rename', '@/d/a/moved', '@/d/a/b'],
    ['rename', '@/d/a/b', '@/d/a/moved'],
    ['rename', '@/d/a/moved', '@/d/text'],
    ['rename', '@/d/new', '@/d/text'],
    ['rename', '@/d/a/b', '@/d/mode'],
    ['chmod', '@/d/text', 0o640],
    ['chmod', '@/d/text', '604'],
    ['chmod', '@/none', 0o640],
    ['chown', '@/d/text', 12, 34],
    ['lchown', '@/d/link', 56, 78],
    ['lstat', '@/d/link'],
    ['utimes', '@/d/text', 1e9, 1.5e9 + 0.25],
    ['lutimes', '@/d/link', 7, new Date(1234567890)],
    ['utimes', '@/none', 1, 1],
    ['truncate', '@/d/text', 5],
    ['truncate', '@/d/text'],
    ['truncate', '@/d/text', 10000],
    ['truncate', '@/none', 1],
    ['truncate', '@/d', 1],
    ['stat', '@/d/text'],
    ['access', '@/d/text'],
    ['access', '@/none'],
    ['copyFile', '@/d/text', '@/d/copy'],
    ['copyFile', '@/d/text', '@/d/copy', 1],
    ['copyFile', '@/none', '@/d/copy'],
    ['stat', '@/d/copy'],
    ['cp', '@/d', '@/tree'],
    ['rm', '@/d/loop'],
    ['rm', '@/d/dangling'],
    ['rm', '@/d/up'],
    ['cp', '@/d', '@/tree', { recursive: true, verbatimSymlinks: true }],
    ['readdir', '@/tree', { recursive: true }],
    ['rm', '@/tree'],
    ['rm', '@/none'],
    ['rm', '@/none', { force: true }],
    ['rm', '@/tree', { recursive: true }],
    ['rm', '@/tree', { recursive: true, force: true }],
    ['realpath', '@/d/link'],
    ['realpath', '@/none'],
    ['rmdir', '@/d/mode/../mode'],
    ['readFile', '@/d/\0'],
    ['readFile', 17.5],
    ['open', '@/d/text', 'strange'],
    ['writeFile', '@/d/text', 12],
    ['mkdir', `@/${'n'.repeat(256)}`],
    ['stat', `@/${'p/'.repeat(3000)}`],
    handle_calls,
    append_handle,
    closed_handle,
    read_only_handle,
    unlinked_handle,
];

async function handle_calls(fs, path) {
    const out = [];
    const file = await fs.open(path('@/d/handle'), 'w+', 0o644);
    out.push(
        (await file.write('hello')).bytesWritten,
        (await file.write(bytes(1, 2, 3, 4), 1, 2, 10)).bytesWritten,
    );
    out.push((await file.stat()).size);
    const buffer = new Uint8Array(20).fill(7);
    out.push((await file.read(buffer, 2, 8, 0)).bytesRead, [...buffer]);
    out.push((await file.read(buffer, 0, 20)).bytesRead, (await file.read(buffer)).bytesRead, [...buffer]);
    await file.truncate(3);
    out.push(await file.readFile({ encoding: 'utf8' }));
    out.push((await file.read({ buffer, position: 1 })).bytesRead);
    out.push((await file.writev([bytes(65), bytes(66, 67)], 1)).bytesWritten);
    out.push((await file.readv([new Uint8Array(2), new Uint8Array(9)], 0)).bytesRead);
    await file.chmod(0o600);
    await file.utimes(5, 6);
    await file.sync();
    await file.datasync();
    await file.close();
    out.push(await fs.readFile(path('@/d/handle'), 'utf8'), (await fs.stat(path('@/d/handle'))).mtimeMs);
    return out;
}
async function append_handle(fs, path) {
    const file = await fs.open(path('@/d/log'), 'a+');
    for (const line of ['one\n', 'two\n']) await file.write(line);
    await file.write(bytes(51, 10), 0, 2, 0);
    await file.appendFile('four\n');
    const buffer = new Uint8Array(99);
    const { bytesRead } = await file.read(buffer, 0, 99, 0);
    await file.close();
    return [bytesRead, [...buffer.subarray(0, bytesRead)], await fs.readFile(path('@/d/log'), 'utf8')];
}
async function closed_handle(fs, path) {
    const file = await fs.open(path('@/d/log'));
    await file.close();
    return file.fd;
}
async function read_only_handle(fs, path) {
    const file = await fs.open(path('@/d/log'), 'r');
    try {
        return await file.write('x').catch(({ code, syscall }) => [code, syscall]);
    } finally {
        await file.close();
    }
}
async function unlinked_handle(fs, path) {
    const file = await fs.open(path('@/d/gone'), 'w+');
    await file.write('still here');
    await fs.unlink(path('@/d/gone'));
    const { nlink, size } = await file.stat();
    const text = new Uint8Array(10);
    await file.read(text, 0, 10, 0);
    await file.close();
    return [nlink, size, [...text], await fs.stat(path('@/d/gone')).catch(({ code }) => code)];
}

function plain_stats(stats) {
    const { mode, nlink, uid, gid, size, mtimeMs } = stats;
    const directory = stats.isDirectory();
    // A directory's size and links are the file system's own affair.
    return {
        mode,
        uid,
        gid,
        ...(directory ? {} : { nlink, size }),
        old: mtimeMs < 1.6e12 ? mtimeMs : undefined,
        kinds: [stats.isFile(), directory, stats.isSymbolicLink()],
    };
}

// Values of either side as what can be compared.
function plain(value, top) {
    const text = (string) => string.replaceAll(top, '@');
    if (typeof value === 'string') return text(value);
    if (value instanceof Uint8Array) return [...value];
    if (value?.isFile && value.mode !== undefined) return plain_stats(value);
    if (value?.isFile)
        return [
            value.name,
            text(value.parentPath ?? value.path),
            value.isFile(),
            value.isDirectory(),
            value.isSymbolicLink(),
        ];
    if (Array.isArray(value)) {
        const list = value.map((one) => plain(one, top));
        return value.every((one) => typeof one === 'string' || one?.isFile) ? list.sort() : list;
    }
    return value;
}

function plain_error(error, top) {
    const { code, errno, syscall, path, dest } = error;
    const text = (string) => string?.replaceAll(top, '@');
    const message = /^ERR_/.test(code) ? undefined : text(error.message);
    return { code, errno, syscall, path: text(path), dest: text(dest), message };
}

export async function answers(fs, top) {
    const path = (string) =>
        typeof string === 'string' && string.startsWith('@') ? top + string.slice(1) : string;
    const out = [];
    for (const call of CALLS) {
        const name = typeof call === 'function' ? call.name : JSON.stringify(call).slice(0, 80);
        try {
            const value =
                typeof call === 'function'
                    ? await call(fs, path)
                    : await fs[call[0]](...call.slice(1).map(path));
            out.push([name, plain(value, top)]);
        } catch (error) {
            out.push([name, 'fails', plain_error(error, top)]);
        }
    }
    return out;
}
