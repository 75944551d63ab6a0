// SPDX-License-Identifier: MIT
// A volume in the worker that asks for it: operations are calls.
import { Host } from './host.js';
import { MemoryStore } from './store_memory.js';
import { format_of, image_blob } from './glassfs.js';
import { open_volume } from './volumes.js';

// `closed`: called when the volume was closed because somebody else wanted or has it.
export async function open_here(options, closed = () => {}) {
    let host = null;
    const give_up = async () => {
        await host?.close().catch(() => {});
        closed();
    };
    const opened =
        options.store === 'memory'
            ? { store: new MemoryStore(1), sizes: [options.size], format: format_of(options) }
            : await open_volume(options, { lost: give_up, asked: give_up });
    try {
        host = await Host.open(opened, options);
    } catch (error) {
        await opened.store.close();
        if (opened.undo) await opened.undo();
        opened.release?.();
        throw error;
    }
    return {
        here: true,
        invoke: host.invoke.bind(host),
        rollback: host.rollback.bind(host),
        image: () => image_blob(host.image()),
        close: () => host.close(),
        info: {
            store: opened.record?.store ?? 'memory',
            name: opened.record?.name ?? options.name,
            id: opened.record?.id,
            size: opened.sizes.reduce((sum, size) => sum + size, 0),
        },
    };
}
