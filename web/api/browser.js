// SPDX-License-Identifier: MIT
// glassfs in a browser: in a page through a worker of its own, in a dedicated worker without another one.
import { coded } from './errors.js';
import { defaults, make_glassfs } from './glassfs.js';

export { constants } from './constants.js';
export { list_volumes as volumes, remove_volume as remove } from './volumes.js';

const in_worker = () =>
    typeof DedicatedWorkerGlobalScope === 'function' && self instanceof DedicatedWorkerGlobalScope;

export async function open(given = {}) {
    const { onClosed, ...rest } = given;
    const options = defaults(rest);
    if (options.wasm instanceof URL) options.wasm = String(options.wasm);
    if (options.store === 'file')
        throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', 'store must be one of opfs, indexeddb, memory');
    const here = !options.worker && in_worker();
    const { open_here, open_in_worker } = here ? await import('./direct.js') : await import('./remote.js');
    const control = await (here ? open_here : open_in_worker)(options, onClosed);
    return make_glassfs(control, { umask: options.umask });
}
