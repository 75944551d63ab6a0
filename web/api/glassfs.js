// SPDX-License-Identifier: MIT
// What open() gives: fs.promises with btrfs beside it, the same wherever the core runs. Each function takes a
// callback as well, as its last argument.
import { coded } from './errors.js';
import { make_promises } from './promises.js';
import { make_synchronous } from './synchronous.js';

// One piece of zeros, many times: a Blob keeps it once.
const ZEROS = new Blob([new Uint8Array(4 << 20)]);

export function image_blob({ size, pieces }) {
    const parts = [];
    let end = 0;
    const fill = (to) => {
        for (; to - end >= ZEROS.size; end += ZEROS.size) parts.push(ZEROS);
        if (to > end) parts.push(ZEROS.slice(0, to - end));
        end = to;
    };
    for (const [at, bytes] of pieces) {
        fill(at);
        parts.push(bytes.subarray(0, Math.min(bytes.length, size - at)).slice());
        end = Math.min(at + bytes.length, size);
    }
    fill(size);
    return new Blob(parts, { type: 'application/octet-stream' });
}

const with_callback = (run) =>
    function (...given) {
        const callback = given.at(-1);
        if (typeof callback !== 'function') return run(...given);
        run(...given.slice(0, -1)).then(
            (value) => callback(null, value),
            (error) => callback(error),
        );
        return undefined;
    };

// `control`: { invoke(operation, ...), rollback(snapshot, subvolume), image(), close(), info, here }.
// `here`: invoke runs the operation before it returns.
export function make_glassfs(control, options) {
    const { invoke } = control;
    const promises = make_promises(invoke, options);
    const fs = { promises, constants: promises.constants, info: control.info };
    for (const [name, value] of Object.entries(promises))
        if (typeof value === 'function') fs[name] = with_callback(value);

    const beside = {
        async sync() {
            await invoke('sync');
        },
        async subvolume(path) {
            await invoke('subvolume', path);
        },
        subvolumes: async () => invoke('subvolumes'),
        async snapshot(path, { source = '/', readOnly = true } = {}) {
            await invoke('snapshot', source, path, readOnly);
        },
        async clone(from, to) {
            await invoke('cp', from, to, {
                recursive: true,
                preserveTimestamps: true,
                verbatimSymlinks: true,
            });
        },
        async rollback(snapshot, { subvolume = '/' } = {}) {
            await control.rollback(snapshot, subvolume);
        },
        check: async ({ data = true } = {}) => invoke('check', data),
        async export() {
            await invoke('sync');
            return control.image();
        },
        close: async () => control.close(),
    };
    for (const [name, value] of Object.entries(beside)) fs[name] = with_callback(value);
    return control.here ? Object.assign(fs, make_synchronous(invoke, options)) : fs;
}

export function wrong_store(store, known) {
    return coded(
        TypeError,
        'ERR_INVALID_ARG_VALUE',
        `store must be one of ${known.join(', ')}, not ${store}`,
    );
}

// What open() is given, with the defaults. Sizes in bytes, times in milliseconds.
export const SIZE = 16 * 2 ** 30;
export const defaults = (given) => ({
    size: SIZE,
    checksum: 'xxhash',
    metadata: 'single',
    nodeSize: 16384,
    commit: 5000,
    umask: 0o022,
    uid: 0,
    gid: 0,
    ...given,
});
export const format_of = ({ name, label, checksum, metadata, nodeSize }) => ({
    label: label ?? (name ?? '').slice(0, 60).replace(/[^ -~]|\//g, '_'),
    checksum,
    metadata,
    nodeSize,
});
