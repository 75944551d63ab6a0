// SPDX-License-Identifier: MIT
// The WebAssembly module as plain functions: strings and numbers in, nothing about pointers outside of this
// file except for the handles that the module gave out (web/platform_web.cpp, web/download.cpp). An address
// beyond 2 GiB arrives as a negative number: `>>> 0` makes it one again.

export class Core {
    #store_waiting = new Map(); // mailbox -> whoever waits for the volume to be open or refused

    constructor(module) {
        this.module = module;
    }

    #with_text(texts, run) {
        const pointers = texts.map((text) => this.module.stringToNewUTF8(text));
        try {
            return run(...pointers);
        } finally {
            for (const pointer of pointers) this.module._free(pointer);
        }
    }
    #bytes() {
        return new Uint8Array(this.memory().buffer);
    }

    memory() {
        return this.module.wasmMemory;
    }
    copy_bytes(at, length) {
        return this.#bytes().slice(at >>> 0, (at >>> 0) + length);
    }

    wake() {
        this.module._glassfs_wake();
    }
    action(action) {
        this.#with_text([JSON.stringify(action)], (json) => this.module._glassfs_action(json));
    }
    console_input(text) {
        this.#with_text([text], (at) => this.module._glassfs_console_input(at));
    }

    files_begin() {
        return this.module._glassfs_files_begin() >>> 0;
    }
    files_add(name, size) {
        this.#with_text([name], (at) => this.module._glassfs_files_add(at, size));
    }
    files_open(name) {
        this.#with_text([name], (at) => this.module._glassfs_files_open(at));
    }
    files_dead(mailbox, message) {
        this.#with_text([message], (at) => this.module._glassfs_files_dead(mailbox, at));
    }
    files_closed(mailbox) {
        this.module._glassfs_files_closed(mailbox);
    }
    open_failed(message, name) {
        this.#with_text([message, name], (text, label) => this.module._glassfs_open_failed(text, label));
    }
    open_packed(bytes, name) {
        const at = this.module._malloc(bytes.length) >>> 0;
        this.#bytes().set(bytes, at);
        this.#with_text([name], (label) => this.module._glassfs_open_packed(at, bytes.length, label));
    }

    // Devices of a volume that the browser keeps (page/volumes.js): begin, add each, then format or open; or
    // drop. Those two resolve with an error's message, empty when the volume is open.
    store_begin() {
        return this.module._glassfs_store_begin() >>> 0;
    }
    store_add(mailbox, name, size) {
        this.#with_text([name], (at) => this.module._glassfs_store_add(mailbox, at, size));
    }
    store_drop(mailbox) {
        this.module._glassfs_store_drop(mailbox);
    }
    store_open(mailbox, name) {
        return this.#store_outcome(mailbox, () =>
            this.#with_text([name], (at) => this.module._glassfs_store_open(mailbox, at)),
        );
    }
    store_format(mailbox, name, options) {
        const { label = name, node_size = 16384, checksum = '', metadata = '', data = '' } = options;
        const { compression = '' } = options;
        return this.#store_outcome(mailbox, () =>
            this.#with_text([name, label, checksum, metadata, data, compression], (...texts) =>
                this.module._glassfs_store_format(mailbox, node_size, ...texts),
            ),
        );
    }
    kept(state) {
        this.#with_text([JSON.stringify(state)], (json) => this.module._glassfs_kept(json));
    }
    kept_done(request, message) {
        this.#with_text([message], (text) => this.module._glassfs_kept_done(request, text));
    }
    drop_begin() {
        return this.module._glassfs_drop_begin() >>> 0;
    }
    drop_add(path, size, modified, folder) {
        this.#with_text([path], (at) =>
            this.module._glassfs_drop_add(at, size, modified, folder ? 1 : 0),
        );
    }
    drop_end(name, image, into) {
        this.#with_text([name, into], (label, folder) =>
            this.module._glassfs_drop_end(label, image ? 1 : 0, folder),
        );
    }
    drop_failed(name, problem) {
        this.#with_text([name, problem], (...texts) => this.module._glassfs_drop_failed(...texts));
    }
    drag(over, x, y) {
        this.module._glassfs_drag(over ? 1 : 0, x, y);
    }
    text_typed(id, value) {
        this.#with_text([id, value], (...texts) => this.module._glassfs_text_typed(...texts));
    }
    store_release(mailbox) {
        this.module._glassfs_store_release(mailbox);
    }
    store_revoke(mailbox, message) {
        this.#with_text([message], (at) => this.module._glassfs_store_revoke(mailbox, at));
    }
    store_ended(mailbox) {
        this.module._glassfs_store_ended(mailbox);
    }
    store_opened(mailbox, message) {
        this.#store_waiting.get(mailbox >>> 0)?.(message);
        this.#store_waiting.delete(mailbox >>> 0);
    }
    #store_outcome(mailbox, ask) {
        return new Promise((done) => {
            this.#store_waiting.set(mailbox, done);
            ask();
        });
    }

    download_taken(id, at, length) {
        this.module._glassfs_download_taken(id, at, length);
    }
    download_over(id, outcome, message) {
        this.#with_text([message], (text) => this.module._glassfs_download_over(id, outcome, text));
    }
    download_forget(id) {
        this.module._glassfs_download_forget(id);
    }
}
