// SPDX-License-Identifier: MIT
// A volume in a worker of its own: what a page asks for in one go is sent in one message (worker.js has the
// messages).
import { coded, unpack_error } from './errors.js';

const closed_error = (why) => coded(Error, 'ERR_VOLUME_CLOSED', `this volume is closed${why}`);

// A view is sent with the whole buffer under it: as a copy, if that is more.
const alone = (value) =>
    value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? value.slice() : value;

class Remote {
    #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    #waiting = new Map(); // id -> { done, failed }
    #next = 0;
    #calls = null; // to be sent together
    #ended = null; // why nothing can be asked any more

    // Resolves with the volume's info.
    start(options, closed) {
        return new Promise((opened, failed) => {
            this.#worker.onerror = (event) => {
                const what = event.message ?? 'it could not be loaded';
                const error = new Error(`the worker of the volume failed: ${what}`);
                failed(error);
                this.#end(error);
            };
            this.#worker.onmessage = ({ data }) => {
                if (data.opened) opened(data.opened);
                if (data.failed) {
                    failed(unpack_error(data.failed));
                    this.#worker.terminate();
                }
                if (data.taken) {
                    this.#end(closed_error(': another tab has taken it over'));
                    closed();
                }
                if (data.results) this.#settle(data.results);
            };
            this.#worker.postMessage({ open: options });
        });
    }

    #settle(results) {
        for (const [id, value, error] of results) {
            const { done, failed } = this.#waiting.get(id);
            this.#waiting.delete(id);
            if (error) failed(unpack_error(error));
            else done(value);
        }
    }
    #end(error) {
        this.#ended ??= error;
        for (const { failed } of this.#waiting.values()) failed(error);
        this.#waiting.clear();
        this.#worker.terminate();
    }
    #answer_to(id) {
        return new Promise((done, failed) => {
            if (this.#ended) failed(this.#ended);
            else this.#waiting.set(id, { done, failed });
        });
    }
    #send() {
        if (this.#calls) this.#worker.postMessage({ calls: this.#calls });
        this.#calls = null;
    }

    invoke(operation, ...rest) {
        const id = this.#next++;
        if (!this.#calls) queueMicrotask(() => this.#send());
        (this.#calls ??= []).push([id, operation, ...rest.map(alone)]);
        return this.#answer_to(id);
    }
    // What isn't an operation of files.js, behind all that was asked for before.
    control(name, ...rest) {
        const id = this.#next++;
        this.#send();
        this.#worker.postMessage({ control: [id, name, ...rest] });
        return this.#answer_to(id);
    }
    async close() {
        if (this.#ended) return;
        await this.control('close');
        this.#end(closed_error(''));
    }
}

export async function open_in_worker(options, closed = () => {}) {
    const remote = new Remote();
    const info = await remote.start(options, closed);
    return {
        invoke: remote.invoke.bind(remote),
        rollback: (snapshot, subvolume) => remote.control('rollback', snapshot, subvolume),
        image: () => remote.control('image'),
        close: () => remote.close(),
        info,
    };
}
