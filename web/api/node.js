// SPDX-License-Identifier: MIT
// glassfs in node: volumes in memory, and image files.
import { MemoryStore } from './store_memory.js';
import { FileStore } from './store_file.js';
import { Host } from './host.js';
import { defaults, format_of, image_blob, make_glassfs, wrong_store } from './glassfs.js';
import { coded } from './errors.js';

export { constants } from './constants.js';

const buffers = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function open_store(options) {
    const format = format_of({ ...options, name: options.name?.replace(/^.*\//, '') });
    if (options.store === 'memory') return { store: new MemoryStore(1), sizes: [options.size], format };
    if (options.store !== 'file') throw wrong_store(options.store, ['file', 'memory']);
    if (!options.name)
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'name must be the path of an image file');
    const { store, size, fresh } = FileStore.open(options.name, options.create ? options.size : 0);
    return { store, sizes: [size], format: fresh ? format : null };
}

export async function open(given = {}) {
    const options = defaults({ store: given.name === undefined ? 'memory' : 'file', ...given });
    const opened = open_store(options);
    let host;
    try {
        host = await Host.open(opened, options);
    } catch (error) {
        opened.store.close();
        throw error;
    }
    const control = {
        here: true,
        invoke: host.invoke.bind(host),
        rollback: host.rollback.bind(host),
        image: () => image_blob(host.image()),
        close: () => host.close(),
        info: { store: options.store, name: options.name, size: opened.sizes[0] },
    };
    return make_glassfs(control, { umask: options.umask, buffers });
}
