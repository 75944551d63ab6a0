// SPDX-License-Identifier: MIT
// FileHandle of fs.promises: an open file. What it writes is durable when sync() or datasync() has resolved.
import { bytes_of, mode_of, options_of, seconds_of } from './arguments.js';
import { error_of_code } from './errors.js';

const READ_LENGTH = 16384;
const CLOSED = -1;

// read() and write() take (buffer, offset, length, position), (buffer, { ... }), and read() also ({ buffer,
// ... }).
function window_of(buffer, given, length, position) {
    let offset = given;
    if (given !== null && typeof given === 'object') ({ offset, length, position } = given);
    offset ??= 0;
    length ??= buffer.byteLength - offset;
    const at = position == null || position < 0 ? -1 : Number(position);
    if (offset < 0 || length < 0 || offset + length > buffer.byteLength)
        throw Object.assign(new RangeError(`The value of "length" is out of range. Received ${length}`), {
            code: 'ERR_OUT_OF_RANGE',
        });
    return [new Uint8Array(buffer.buffer ?? buffer, (buffer.byteOffset ?? 0) + offset, length), at];
}

export class FileHandle {
    #fd;
    #invoke;
    #with;

    constructor(fd, invoke, parts) {
        this.#fd = fd;
        this.#with = parts;
        this.#invoke = (operation, ...rest) => {
            if (this.#fd === CLOSED) throw error_of_code('EBADF', operation);
            return invoke(operation, this.#fd, ...rest);
        };
    }
    get fd() {
        return this.#fd;
    }

    async read(buffer, offset, length, position) {
        if (
            buffer === undefined ||
            (buffer !== null && !ArrayBuffer.isView(buffer) && !(buffer instanceof ArrayBuffer))
        )
            ({ buffer, offset, length, position } = buffer ?? {});
        buffer ??= (this.#with.buffers ?? ((bytes) => bytes))(new Uint8Array(READ_LENGTH));
        const [out, at] = window_of(buffer, offset, length, position);
        const bytes = await this.#invoke('read', at, out.length);
        out.set(bytes);
        return { bytesRead: bytes.length, buffer };
    }
    async readv(buffers, position) {
        let bytesRead = 0;
        for (const buffer of buffers) {
            const at = position == null ? null : position + bytesRead;
            const got = await this.read(buffer, 0, buffer.byteLength, at);
            bytesRead += got.bytesRead;
            if (got.bytesRead < buffer.byteLength) break;
        }
        return { bytesRead, buffers };
    }
    async write(data, offset, length, position) {
        if (typeof data === 'string') {
            // (string, position, encoding)
            const bytes = bytes_of(data, typeof length === 'string' ? length : 'utf8');
            const at = offset == null ? -1 : Number(offset);
            return { bytesWritten: await this.#invoke('write', at, bytes), buffer: data };
        }
        const [bytes, at] = window_of(data, offset, length, position);
        return { bytesWritten: await this.#invoke('write', at, bytes), buffer: data };
    }
    async writev(buffers, position) {
        let bytesWritten = 0;
        for (const buffer of buffers) {
            const at = position == null ? null : position + bytesWritten;
            bytesWritten += (await this.write(buffer, 0, buffer.byteLength, at)).bytesWritten;
        }
        return { bytesWritten, buffers };
    }
    readFile(options) {
        return this.#with.promises.readFile(this, options);
    }
    writeFile(data, options) {
        return this.#with.promises.writeFile(this, data, options);
    }
    appendFile(data, options) {
        return this.#with.promises.writeFile(this, data, options);
    }
    async *readLines(options) {
        const text = await this.readFile({ ...options_of(options), encoding: 'utf8' });
        if (text !== '') yield* text.replace(/\r?\n$/, '').split(/\r?\n/);
    }
    async stat(options) {
        return this.#with.stats_of(await this.#invoke('stat'), options?.bigint);
    }
    async truncate(length = 0) {
        await this.#invoke('truncate', length);
    }
    async chmod(mode) {
        await this.#invoke('chmod', mode_of(mode));
    }
    async chown(uid, gid) {
        await this.#invoke('chown', uid, gid);
    }
    async utimes(atime, mtime) {
        await this.#invoke('utimes', seconds_of(atime, 'atime'), seconds_of(mtime, 'mtime'));
    }
    async sync() {
        await this.#invoke('fsync');
    }
    async datasync() {
        await this.#invoke('fsync');
    }
    async close() {
        if (this.#fd === CLOSED) return;
        const closed = this.#invoke('close');
        this.#fd = CLOSED;
        await closed;
    }
    [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
        return this.close();
    }
}
