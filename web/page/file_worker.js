// SPDX-License-Identifier: MIT
// Reads the files of one volume for the core. Waits for requests in the mailbox of web/file_device.h, which
// lies in the memory that it shares with the WebAssembly module; a read is synchronous on both sides. It
// never goes back to its event loop: one message starts it, the word Close ends it. A file is a File, or one
// on a server (remote_file.js), whose ranges are fetched.
'use strict';

const IDLE = 0,
    REQUEST = 1,
    DONE = 2,
    CLOSE = 3;
// struct FileMailbox, in bytes.
const STATE = 0,
    FILE = 8,
    LENGTH = 12,
    AT = 16,
    DESTINATION = 24,
    FAILED = 28,
    MESSAGE = 32;
const MESSAGE_BYTES = 223;

const reader = new FileReaderSync();

const PATIENCE_MS = 60000; // with a server that doesn't answer

// Synchronous, as only workers may. A file that has changed in between is known by its headers.
function fetch_range({ url, size, etag, modified }, at, length) {
    const request = new XMLHttpRequest();
    request.open('GET', url, false);
    request.responseType = 'arraybuffer';
    request.timeout = PATIENCE_MS;
    request.setRequestHeader('Range', `bytes=${at}-${at + length - 1}`);
    request.send();
    // All of it: the browser's cache has asked for more of the version that it knew.
    if (request.status === 200) throw new DOMException('another version', 'NotReadableError');
    if (request.status !== 206) throw new Error(`the server answered ${request.status}`);
    const header = (name) => request.getResponseHeader(name);
    const range = header('Content-Range');
    const same_range = range === null || range === `bytes ${at}-${at + length - 1}/${size}`;
    if (header('ETag') !== etag || header('Last-Modified') !== modified || !same_range)
        throw new DOMException('another version', 'NotReadableError');
    return request.response;
}

function read(file, at, length) {
    if (file.url) return fetch_range(file, at, length);
    return reader.readAsArrayBuffer(file.slice(at, at + length));
}

function explain(error, file) {
    if (error.name === 'NotReadableError' || error.name === 'NotFoundError')
        return `"${file.name}" was changed, moved or removed after it was opened: open it again`;
    if (error.name === 'SecurityError')
        return `the browser no longer allows "${file.name}" to be read: open it again`;
    return `${error.name} while reading "${file.name}": ${error.message}`;
}

function write_message(view, mailbox, text) {
    const bytes = new TextEncoder().encode(text).slice(0, MESSAGE_BYTES);
    for (let i = 0; i <= MESSAGE_BYTES; ++i)
        view.setUint8(mailbox + MESSAGE + i, i < bytes.length ? bytes[i] : 0);
}

function serve(memory, mailbox, files) {
    const view = new DataView(memory.buffer);
    const file = files[view.getUint32(mailbox + FILE, true)];
    const at = view.getFloat64(mailbox + AT, true);
    const length = view.getUint32(mailbox + LENGTH, true);
    try {
        const bytes = read(file, at, length);
        if (bytes.byteLength !== length)
            throw new DOMException('the file has become shorter', 'NotReadableError');
        // The memory may have grown since: its buffer is asked for again, not kept.
        new Uint8Array(memory.buffer, view.getUint32(mailbox + DESTINATION, true), length).set(
            new Uint8Array(bytes),
        );
    } catch (error) {
        write_message(view, mailbox, explain(error, file));
        view.setUint32(mailbox + FAILED, 1, true);
    }
}

self.onmessage = ({ data: { memory, mailbox, files } }) => {
    const words = new Int32Array(memory.buffer);
    const state = (mailbox + STATE) >> 2;
    for (;;) {
        const now = Atomics.load(words, state);
        if (now === CLOSE) break;
        if (now !== REQUEST) {
            Atomics.wait(words, state, now);
            continue;
        }
        serve(memory, mailbox, files);
        // Close may have come meanwhile: answer only a request.
        Atomics.compareExchange(words, state, REQUEST, DONE);
        Atomics.notify(words, state);
    }
    self.postMessage('closed');
    self.close();
};
