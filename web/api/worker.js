// SPDX-License-Identifier: MIT
// The worker behind a page's volume. Calls come in batches, [id, operation, ...arguments] each, and are
// answered in batches, [id, value] or [id, undefined, error]; what waits for its store is answered on its
// own.
//
//     to the worker:    { open: options }, { calls }, { control: [id, "rollback" | "image" | "close", ...] }
//     from the worker:  { opened: info } | { failed: error }, { results }, { taken: true }
import { open_here } from './direct.js';
import { pack_error } from './errors.js';

let control = null;

function transferable(value, list) {
    if (value instanceof Uint8Array || value instanceof Float64Array) list.push(value.buffer);
    else if (value?.names instanceof Uint8Array) list.push(value.names.buffer);
}

function answer(results) {
    const transfer = [];
    for (const [, value] of results) transferable(value, transfer);
    postMessage({ results }, transfer);
}

function answer_later(id, promise) {
    promise.then(
        (value) => answer([[id, value]]),
        (error) => answer([[id, undefined, pack_error(error)]]),
    );
}

function run(calls) {
    const results = [];
    for (const [id, operation, ...rest] of calls) {
        try {
            const value = control.invoke(operation, ...rest);
            if (typeof value?.then === 'function') answer_later(id, value);
            else results.push([id, value]);
        } catch (error) {
            results.push([id, undefined, pack_error(error)]);
        }
    }
    if (results.length) answer(results);
}

async function start(options) {
    try {
        control = await open_here(options, () => postMessage({ taken: true }));
        postMessage({ opened: control.info });
    } catch (error) {
        postMessage({ failed: pack_error(error) });
    }
}

async function direct([id, name, ...rest]) {
    answer_later(id, (async () => control[name](...rest))());
}

self.onmessage = ({ data }) => {
    if (data.open) start(data.open);
    else if (data.calls) run(data.calls);
    else direct(data.control);
};
