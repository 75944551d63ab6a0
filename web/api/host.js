// SPDX-License-Identifier: MIT
// An open volume in the thread that runs it: the core, the store under it, and when it commits by itself.
import { load } from './core.js';
import { coded } from './errors.js';
import { Files } from './files.js';

const LOOKS = new Set([
    'stat',
    'access',
    'statfs',
    'readFile',
    'readdir',
    'readlink',
    'realpath',
    'read',
    'subvolumes',
    'sync',
    'fsync',
]);

export class Host {
    #core;
    #options;
    #timer = null;
    #closing = null;

    // `opened`: { store, sizes, format (of a new volume, else null), release() }.
    static async open(opened, options) {
        const host = new Host();
        host.opened = opened;
        host.#options = options;
        host.#core = await load(opened.store, options.wasm);
        if (opened.format) host.#core.format(opened.sizes, opened.format);
        host.#mount();
        await opened.ready?.();
        return host;
    }

    #mount() {
        const { store, sizes } = this.opened;
        this.#core.open(sizes, { ...this.#options, discard: !!store.discards });
        this.files = new Files(this.#core, store);
    }

    // Runs an operation of files.js. What changes something is durable after sync(), or, unless that is
    // switched off, `commit` milliseconds later.
    invoke(operation, ...rest) {
        if (this.#closing)
            throw coded(
                Error,
                'ERR_VOLUME_CLOSED',
                'this volume is closed, or another tab has taken it over',
            );
        if (this.#timer === null && this.#options.commit > 0 && !LOOKS.has(operation)) this.#commit_later();
        return this.files[operation](...rest);
    }

    #commit_later() {
        this.#timer = setTimeout(async () => {
            this.#timer = null;
            try {
                await this.files.sync();
            } catch {
                // Whoever calls sync() or close() hears of it.
            }
        }, this.#options.commit);
        this.#timer.unref?.();
    }

    // What isn't in files.js.
    rollback(snapshot, subvolume) {
        if (subvolume !== '/') return this.#replace(snapshot, subvolume);
        const old = this.files.roll_back(snapshot);
        const code = this.#core.calls._glassfs_close();
        if (code < 0) throw this.#core.error(code, 'rollback');
        this.#mount();
        this.files.remove_old_root(old);
    }

    // The name leads to a writable snapshot of the snapshot, in one step; what it led to before is deleted.
    #replace(snapshot, subvolume) {
        const bare = subvolume.replace(/\/+$/, '');
        const aside = `${bare}.rolled-back-${Date.now().toString(36)}`;
        this.files.snapshot(this.files.subvolume_id(snapshot), aside, false);
        try {
            this.files.exchange(aside, bare);
        } finally {
            this.files.delete_subvolume(aside);
        }
    }

    // The first device's image, as pieces [at, bytes], and its size.
    image() {
        const { store, sizes } = this.opened;
        return { size: sizes[0], pieces: store.pieces(0) };
    }

    // Syncs, and lets go of everything. The second call gets the outcome of the first.
    close() {
        this.#closing ??= this.#close();
        return this.#closing;
    }
    async #close() {
        clearTimeout(this.#timer);
        try {
            const code = this.#core.calls._glassfs_close();
            if (code < 0) throw this.#core.error(code, 'close');
            await this.opened.store.settle?.();
        } finally {
            await this.opened.store.close();
            this.opened.release?.();
        }
    }
}
