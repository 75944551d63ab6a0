// SPDX-License-Identifier: MIT
// The npm package as a peer of the browser benchmark, on OPFS, through its promises alone.
export function adapter(name, label, store, syncMeans) {
    let fs;
    return {
        name,
        label,
        kind: 'library',
        persistent: true,
        concurrency: 1,
        syncMeans,
        async open() {
            const { open } = await import(new URL('/dist/glassfs/api/browser.js', location.href).href);
            fs = await open({ store, name: 'bench', create: true });
            for (const call of [
                'mkdir',
                'writeFile',
                'readFile',
                'readdir',
                'stat',
                'rename',
                'unlink',
                'sync',
                'close',
            ])
                this[call] = fs[call];
        },
        nodeFs: () => ({ promises: fs.promises }),
        async openFile(path, { create = false } = {}) {
            const file = await fs.open(path, create ? 'w+' : 'r+');
            return {
                write: (bytes, at) => file.write(bytes, 0, bytes.length, at),
                async read(at, length) {
                    const out = new Uint8Array(length);
                    await file.read(out, 0, length, at);
                    return out;
                },
                flush: () => file.sync(),
                close: () => file.close(),
            };
        },
    };
}

export default () =>
    adapter('glassfs', 'GlassFS (OPFS)', 'opfs', 'a commit: two flushes of the access handle');
