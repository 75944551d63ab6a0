// SPDX-License-Identifier: MIT
// The WebAssembly module with one volume, its calls as methods. Everything here is synchronous but load().
//
// What a call takes and gives lies in the module's memory (binding.cpp). The memory may grow in any call:
// views of it are made anew when its buffer has changed.
import { coded, fs_error } from './errors.js';

const PATH_MAX = 4095; // bytes
const ARGUMENTS = 16384;
const ENOSPC = 28,
    EIO = 5;
const TRANSFER = 1 << 20; // bytes of one read or write
const WHOLE_MAX = 8 << 20; // files up to this size are read in one call

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// `wasm`: where module.wasm is, when it isn't beside module.mjs: an address, its bytes, or a
// WebAssembly.Module.
export async function load(store, wasm) {
    const { default: instantiate } = await import('./module.mjs');
    const options = { store, store_failed: () => EIO };
    if (typeof wasm === 'string' || wasm instanceof URL) options.locateFile = () => String(wasm);
    else if (wasm instanceof WebAssembly.Module)
        options.instantiateWasm = (imports, ready) => {
            WebAssembly.instantiate(wasm, imports).then((instance) => ready(instance, wasm));
            return {};
        };
    else if (wasm) options.wasmBinary = wasm;
    return new Core(await instantiate(options), options);
}

export class Core {
    #module;
    #buffer = null;
    #arguments;
    #numbers;
    #transfer_at = 0;
    #transfer_size = 0;
    thrown = null; // by the store, last

    constructor(module, options) {
        this.#module = module;
        options.store_failed = module.store_failed = (error) => {
            this.thrown = error;
            return error.name === 'QuotaExceededError' || error.code === 'ENOSPC' ? ENOSPC : EIO;
        };
        this.calls = module;
        this.#refresh();
    }

    #refresh() {
        const module = this.#module;
        const at = module._glassfs_arguments();
        const numbers = module._glassfs_numbers();
        this.#buffer = module.HEAPU8.buffer;
        this.#arguments = new Uint8Array(this.#buffer, at, ARGUMENTS);
        this.#numbers = new Float64Array(this.#buffer, numbers, 32);
    }
    get arguments() {
        if (this.#buffer !== this.#module.HEAPU8.buffer) this.#refresh();
        return this.#arguments;
    }
    get numbers() {
        if (this.#buffer !== this.#module.HEAPU8.buffer) this.#refresh();
        return this.#numbers;
    }

    // Puts text or bytes at `at` of the arguments; their length, or -1 when they are longer than a path may
    // be.
    put(text, at = 0) {
        const bytes = this.arguments;
        if (typeof text !== 'string') {
            if (text.length > PATH_MAX) return -1;
            bytes.set(text, at);
            return text.length;
        }
        const length = text.length;
        if (length > PATH_MAX) return -1;
        for (let i = 0; i < length; ++i) {
            const code = text.charCodeAt(i);
            if (code > 127) return this.#put_encoded(text, at);
            bytes[at + i] = code;
        }
        return length;
    }
    #put_encoded(text, at) {
        const encoded = encoder.encode(text);
        if (encoded.length > PATH_MAX) return -1;
        this.arguments.set(encoded, at);
        return encoded.length;
    }

    // The transfer area with room for `size` bytes.
    transfer(size) {
        if (size > this.#transfer_size) {
            this.#transfer_size = Math.max(size, TRANSFER);
            this.#transfer_at = this.#module._glassfs_transfer(this.#transfer_size);
        }
        return this.#module.HEAPU8.subarray(this.#transfer_at, this.#transfer_at + size);
    }
    // Bytes of the output, as a copy.
    output() {
        const [at, length] = this.numbers;
        return this.#module.HEAPU8.slice(at, at + length);
    }
    output_text() {
        const [at, length] = this.numbers;
        return decoder.decode(this.#module.HEAPU8.subarray(at, at + length));
    }
    message() {
        this.#module._glassfs_message();
        return this.output_text();
    }
    error(code, syscall, path, dest) {
        const thrown = this.thrown;
        this.thrown = null;
        return fs_error(
            -code,
            syscall,
            path,
            dest,
            thrown ? `${thrown.name}: ${thrown.message}` : this.message(),
        );
    }

    static get whole_max() {
        return WHOLE_MAX;
    }
    static get piece() {
        return TRANSFER;
    }

    // ---- Volumes

    #put_sizes(sizes) {
        if (sizes.length > this.numbers.length)
            throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'too many devices');
        sizes.forEach((size, i) => (this.numbers[i] = size));
    }
    format(sizes, { label = '', nodeSize = 16384, checksum = '', metadata = '' }) {
        this.#put_sizes(sizes);
        const first = this.put(label);
        const second = this.put(checksum, first);
        const third = this.put(metadata, first + second);
        const code = this.calls._glassfs_format(sizes.length, nodeSize, first, second, third);
        if (code < 0) throw this.error(code, 'format');
    }
    open(sizes, { subvolume = '', discard = false, uid = 0, gid = 0 }) {
        this.#put_sizes(sizes);
        const code = this.calls._glassfs_open(sizes.length, this.put(subvolume), discard ? 1 : 0, uid, gid);
        if (code < 0) throw this.error(code, 'mount');
    }
}
