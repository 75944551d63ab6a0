// SPDX-License-Identifier: MIT
// Files that reach the page: by dialog, by drop, by address, or fetched (the sample). A set of files gets a
// worker that reads them in place (file_worker.js); what can't be used becomes one clear error. What becomes
// of dropped files, images or files to copy, the program decides.
import { find_remote_file } from './remote_file.js';

// "disk-1.img and 2 more": what the volume is called until its label is known.
function name_of(files) {
    return files.length === 1 ? files[0].name : `${files[0].name} and ${files.length - 1} more`;
}

// A worker that reads `files` for the program, by the mailbox.
function serve_files(core, mailbox, files) {
    const worker = new Worker(new URL('file_worker.js', import.meta.url));
    worker.onmessage = () => core.files_closed(mailbox);
    worker.onerror = (event) =>
        core.files_dead(
            mailbox,
            `the worker that reads files failed: ${event.message ?? 'it could not be loaded'}`,
        );
    worker.postMessage({ memory: core.memory(), mailbox, files });
}

// Files, or what find_remote_file() gives.
function open_files(core, files) {
    serve_files(core, core.files_begin(), files);
    for (const file of files) core.files_add(file.name, file.size);
    core.files_open(name_of(files));
}

// What begins or ends an image, or is called one.
const IMAGE_NAME = /\.(img|raw|dd|btrfs|dump|image)(\.(gz|zst|xz))?$/i;
async function looks_like_image(file) {
    if (IMAGE_NAME.test(file.name)) return true;
    const bytes = new Uint8Array(await file.slice(0, 65608).arrayBuffer());
    const has = (at, text) => [...text].every((c, i) => bytes[at + i] === c.charCodeAt(0));
    return has(65600, '_BHRfS_M') || has(512, 'EFI PART');
}

// Everything below what was dropped: { path, file } or { path } of a folder, each folder before its content.
// `found` is called with their number.
async function walk(entries, found, signal) {
    const items = [];
    const waiting = entries.map((entry) => [entry, entry.name]).reverse();
    while (waiting.length) {
        signal.throwIfAborted();
        const [entry, path] = waiting.pop();
        if (entry.isFile) {
            const file = await new Promise((done, failed) => entry.file(done, failed));
            items.push({ path, file });
        } else {
            items.push({ path });
            const reader = entry.createReader();
            const inside = [];
            for (;;) {
                const some = await new Promise((done, failed) => reader.readEntries(done, failed));
                if (!some.length) break;
                inside.push(...some);
            }
            for (const one of inside.reverse()) waiting.push([one, `${path}/${one.name}`]);
        }
        found(items.length);
    }
    return items;
}

async function gunzip(response) {
    const stream = response.body.pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Files {
    #input = document.getElementById('file-input');
    #import_input = document.getElementById('import-input');
    #drop = document.getElementById('drop');
    #depth = 0; // dragenter and dragleave come for every element that is crossed
    #into = '';
    kept = null; // shows how far the looking through folders is

    constructor(core) {
        this.core = core;
        this.#input.addEventListener('change', () => {
            const files = [...this.#input.files];
            this.#input.value = ''; // so that the same file can be chosen again
            if (files.length) open_files(core, files);
        });
        this.#import_input.addEventListener('change', () => {
            const items = [...this.#import_input.files].map((file) => ({ path: file.name, file }));
            this.#import_input.value = '';
            if (items.length) this.#hand_over(items, items[0].path, this.#into);
        });
        addEventListener('dragenter', (event) => this.#over(event, +1));
        addEventListener('dragleave', (event) => this.#over(event, -1));
        addEventListener('dragover', (event) => {
            event.preventDefault();
            event.dataTransfer.dropEffect = 'copy';
            this.core.drag(true, event.clientX, event.clientY);
        });
        addEventListener('drop', (event) => this.#dropped(event));
    }

    ask() {
        this.#input.click();
    }
    ask_for_files(into) {
        this.#into = into;
        this.#import_input.click();
    }

    // Where files are copied into the volume, the canvas shows the place.
    state_changed({ writable, dialog }) {
        this.#drop.classList.toggle('copies', Boolean(writable && !dialog));
    }

    async open_address(text) {
        open_files(this.core, [await find_remote_file(text)]);
    }

    async open_sample(url) {
        try {
            const response = await fetch(url);
            if (!response.ok) throw new Error(`the server answered ${response.status}`);
            this.core.open_packed(await gunzip(response), 'sample');
        } catch (error) {
            this.core.open_failed(`the sample image could not be fetched: ${error.message}`, 'sample');
        }
    }

    #over(event, step) {
        event.preventDefault();
        this.#depth = Math.max(0, this.#depth + step);
        this.#drop.hidden = this.#depth === 0;
        if (!this.#depth) this.core.drag(false, 0, 0);
    }

    // The list must be read before the event is over: entries and files stay, the event's data doesn't.
    async #dropped(event) {
        event.preventDefault();
        this.#depth = 0;
        this.#drop.hidden = true;
        const { items, files } = event.dataTransfer;
        const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
        const plain = [...files].map((file) => ({ path: file.name, file }));
        const folders = entries.some((entry) => entry.isDirectory);
        if (!plain.length && !entries.length)
            return this.core.drop_failed('drop', 'what was dropped is not a file');
        const first = entries[0]?.name ?? plain[0].path;
        try {
            const all = folders
                ? await this.kept.task(`Looking through ${first}`, ({ progress, signal }) =>
                      walk(entries, (count) => progress(count, 0), signal),
                  )
                : plain;
            await this.#hand_over(all, first, '');
        } catch (error) {
            if (error.name !== 'AbortError') this.core.drop_failed(first, error.message);
            this.core.drag(false, 0, 0);
        }
    }

    async #hand_over(items, first, into) {
        const files = items.filter(({ file }) => file).map(({ file }) => file);
        const image = items.length === 1 && files.length === 1 && (await looks_like_image(files[0]));
        serve_files(this.core, this.core.drop_begin(), files);
        for (const { path, file } of items)
            this.core.drop_add(path, file?.size ?? 0, file?.lastModified ?? 0, !file);
        const top = items.filter(({ path }) => !path.includes('/')).length;
        this.core.drop_end(top > 1 ? `${first} and ${top - 1} more` : first, image, into);
        this.core.drag(false, 0, 0);
    }
}
