// SPDX-License-Identifier: MIT
// Devices as files of the origin private file system, glassfs/ID/N, each through one synchronous access
// handle. All calls but open() are synchronous.
//
// A handle is exclusive: the browser itself refuses a second one as long as this one is open, in any tab. A
// file is as long as the last byte that was ever written; behind it are zeros. flush() is durable when the
// handle's flush has returned: the browser has called fsync then.

export const FOLDER = 'glassfs';

export async function folder_of(id, options) {
    const top = await navigator.storage.getDirectory();
    return (await top.getDirectoryHandle(FOLDER, options)).getDirectoryHandle(id, options);
}

export const name_of = (device) => String(device);

// The browser lets go of a reloaded or closed page's lock before it has ended that page's workers, and of a
// worker's files only then, without telling anybody: whoever holds the lock asks again until they are free.
const PATIENCE_MS = 10000;
const PAUSE_MS = 20;
async function open_handle(file) {
    for (const end = performance.now() + PATIENCE_MS; ; ) {
        try {
            return await file.createSyncAccessHandle();
        } catch (error) {
            if (error.name !== 'NoModificationAllowedError' || performance.now() > end) throw error;
            await new Promise((done) => setTimeout(done, PAUSE_MS));
        }
    }
}

class OpfsStore {
    handles = [];

    read(device, at, out) {
        const handle = this.handles[device];
        for (let done = 0; done < out.length;) {
            const part = handle.read(done ? out.subarray(done) : out, { at: at + done });
            if (part === 0) {
                out.fill(0, done);
                return;
            }
            done += part;
        }
    }

    // At the quota the browser may write less than it was asked to, without a word.
    write(device, at, bytes) {
        const handle = this.handles[device];
        for (let done = 0; done < bytes.length;) {
            const part = handle.write(done ? bytes.subarray(done) : bytes, { at: at + done });
            if (part === 0) throw new DOMException('nothing was written', 'QuotaExceededError');
            done += part;
        }
    }

    flush(device) {
        this.handles[device].flush();
    }

    // The interface has no way to give back a range.
    discard() {}

    close() {
        for (const handle of this.handles) handle.close();
        this.handles = [];
    }
}

export async function open(volume, create) {
    const folder = await folder_of(volume.id, { create });
    const store = new OpfsStore();
    try {
        for (let device = 0; device < volume.devices.length; ++device) {
            const file = await folder.getFileHandle(name_of(device), { create });
            store.handles.push(await open_handle(file));
        }
    } catch (error) {
        store.close();
        throw error;
    }
    return store;
}
