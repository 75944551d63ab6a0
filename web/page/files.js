// SPDX-License-Identifier: MIT
// Image files that reach the page: by dialog, by drop, or fetched (the sample). A set of files gets a
// worker that reads them in place (file_worker.js); a folder or a failed fetch becomes one clear error.

// "disk-1.img and 2 more": what the volume is called until its label is known.
function name_of(files) {
    return files.length === 1 ? files[0].name : `${files[0].name} and ${files.length - 1} more`;
}

function open_files(core, files) {
    const mailbox = core.files_begin();
    const worker = new Worker(new URL('file_worker.js', import.meta.url));
    worker.onmessage = () => core.files_closed(mailbox);
    worker.onerror = (event) =>
        core.files_dead(
            mailbox,
            `the worker that reads files failed: ${event.message ?? 'it could not be loaded'}`,
        );
    worker.postMessage({ memory: core.memory(), mailbox, files });
    for (const file of files) core.files_add(file.name, file.size);
    core.files_open(name_of(files));
}

// Folders look like files in DataTransfer.files; only the entries tell.
function folder_among(transfer) {
    for (const item of transfer.items ?? []) {
        const entry = item.webkitGetAsEntry?.();
        if (entry?.isDirectory) return entry.name;
    }
    return null;
}

async function gunzip(response) {
    const stream = response.body.pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Files {
    #input = document.getElementById('file-input');
    #drop = document.getElementById('drop');
    #depth = 0; // dragenter and dragleave come for every element that is crossed

    constructor(core) {
        this.core = core;
        this.#input.addEventListener('change', () => {
            const files = [...this.#input.files];
            this.#input.value = ''; // so that the same file can be chosen again
            if (files.length) open_files(core, files);
        });
        addEventListener('dragenter', (event) => this.#over(event, +1));
        addEventListener('dragleave', (event) => this.#over(event, -1));
        addEventListener('dragover', (event) => {
            event.preventDefault();
            event.dataTransfer.dropEffect = 'copy';
        });
        addEventListener('drop', (event) => this.#dropped(event));
    }

    ask() {
        this.#input.click();
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
    }

    #dropped(event) {
        event.preventDefault();
        this.#depth = 0;
        this.#drop.hidden = true;
        const folder = folder_among(event.dataTransfer);
        const files = [...event.dataTransfer.files];
        if (folder !== null) {
            this.core.open_failed(
                'it is a folder: drop the image file itself, or all devices of one volume together',
                folder,
            );
        } else if (files.length) {
            open_files(this.core, files);
        } else {
            this.core.open_failed('what was dropped is not a file', 'drop');
        }
    }
}
