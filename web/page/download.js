// SPDX-License-Identifier: MIT
// Saves what the core extracts (web/download.h). Small things are collected in a Blob, which the browser
// keeps on disk when it grows, and saved by a link; a file known to be large goes straight into a file that
// the user picks, where the browser offers that.

const SAVED = 1,
    DECLINED = 2,
    NO_SPACE = 3,
    FAILED = 4;
const PICK_FROM = 256 << 20; // bytes: from this size on it pays to ask for a place
const BLOB_PART = 16 << 20; // bytes collected before they become a Blob of their own

class BlobTarget {
    parts = [];
    pending = [];
    pending_bytes = 0;

    constructor(name) {
        this.name = name;
    }
    async write(bytes) {
        this.pending.push(bytes);
        this.pending_bytes += bytes.length;
        if (this.pending_bytes >= BLOB_PART) this.#settle();
    }
    #settle() {
        this.parts.push(new Blob(this.pending));
        this.pending = [];
        this.pending_bytes = 0;
    }
    async close() {
        this.#settle();
        const url = URL.createObjectURL(new Blob(this.parts, { type: 'application/octet-stream' }));
        const link = Object.assign(document.createElement('a'), { href: url, download: this.name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(url), 60000);
    }
    async abort() {
        this.parts = this.pending = [];
    }
}

async function open_target(name, size) {
    if (size < PICK_FROM || !window.showSaveFilePicker) return new BlobTarget(name);
    const handle = await window.showSaveFilePicker({ suggestedName: name });
    return handle.createWritable();
}

function outcome_of(error) {
    if (error.name === 'AbortError') return DECLINED;
    return error.name === 'QuotaExceededError' ? NO_SPACE : FAILED;
}

// Each download is a chain of promises, so that its pieces are written in order.
export class Downloads {
    #running = new Map();

    constructor(core) {
        this.core = core;
    }

    start(id, name, size) {
        const download = { id, target: null, over: false };
        download.chain = open_target(name, size)
            .then((target) => {
                download.target = target;
            })
            .catch((error) => this.#fail(download, error));
        this.#running.set(id, download);
    }

    piece(id, at, length) {
        const download = this.#running.get(id);
        const bytes = this.core.copy_bytes(at, length);
        download.chain = download.chain
            .then(async () => {
                if (!download.over) await download.target.write(bytes);
            })
            .catch((error) => this.#fail(download, error))
            .then(() => this.core.download_taken(id, at, length));
    }

    finish(id) {
        const download = this.#running.get(id);
        download.chain = download.chain
            .then(async () => {
                if (download.over) return;
                await download.target.close();
                download.over = true;
                this.core.download_over(id, SAVED, '');
            })
            .catch((error) => this.#fail(download, error));
    }

    // The writer is gone. Unless it had finished, nothing is kept.
    end(id, finished) {
        const download = this.#running.get(id);
        download.chain = download.chain
            .then(async () => {
                if (!finished && !download.over) await download.target?.abort();
            })
            .catch(() => {})
            .then(() => {
                this.#running.delete(id);
                this.core.download_forget(id);
            });
    }

    #fail(download, error) {
        if (download.over) return;
        download.over = true;
        this.core.download_over(download.id, outcome_of(error), `${error.name}: ${error.message}`);
    }
}
