// SPDX-License-Identifier: MIT
// Measures the page's stores in Chromium, through the core's devices as a file system uses them, beside the
// same work done by a worker that has the browser's own access handle: node bench_stores.mjs [MIB [COUNT]].
// Only ratios within one run mean something.
import { join } from 'node:path';
import { root, serve } from './harness.mjs';
import { Killable, new_profile } from './killable.mjs';

const [mib = 256, count = 10000] = process.argv.slice(2).map(Number);
const server = await serve(join(root, 'out/web/store-test'));

// What a device does, in a worker that owns the handle. Runs in the page.
async function measure_raw([size_mib, number]) {
    const source = `
        onmessage = async ({ data: [mib, count] }) => {
            const top = await navigator.storage.getDirectory();
            const handle = await (await top.getFileHandle('raw', { create: true })).createSyncAccessHandle();
            const total = mib * 2 ** 20, piece = 2 ** 20, small = 16384;
            const bytes = crypto.getRandomValues(new Uint8Array(65536));
            const big = new Uint8Array(piece);
            for (let at = 0; at < piece; at += bytes.length) big.set(bytes, at);
            const part = big.subarray(0, small);
            const place = () => Math.floor(Math.random() * (total / small)) * small;
            const said = [];
            const timed = (what, amount, run) => {
                const began = performance.now();
                run();
                said.push(what + ' ' + amount / ((performance.now() - began) / 1000));
            };
            timed('write MiB/s', mib, () => {
                for (let at = 0; at < total; at += piece) handle.write(big, { at });
                handle.flush();
            });
            timed('read MiB/s', mib, () => {
                for (let at = 0; at < total; at += piece) handle.read(big, { at });
            });
            timed('random 16K write/s', count, () => {
                for (let i = 0; i < count; ++i) {
                    handle.write(part, { at: place() });
                    if (i % 64 === 63) handle.flush();
                }
                handle.flush();
            });
            timed('random 16K read/s', count, () => {
                for (let i = 0; i < count; ++i) handle.read(part, { at: place() });
            });
            timed('append 4K + flush/s', 500, () => {
                for (let i = 0; i < 500; ++i) {
                    handle.write(big.subarray(0, 4096), { at: i * 4096 });
                    handle.flush();
                }
            });
            handle.close();
            await top.removeEntry('raw');
            postMessage(said);
        };`;
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    return new Promise((done, failed) => {
        worker.onmessage = ({ data }) => done(data);
        worker.onerror = failed;
        worker.postMessage([size_mib, number]);
    });
}

// A fresh profile for each, so that none finds what another has left.
async function in_fresh_browser(run) {
    const browser = await Killable.launch(new_profile());
    const page = await browser.newPage();
    await page.goto(`${server.address}store_page.html`);
    await page.waitForFunction(() => window.ready);
    const said = await run(page);
    await browser.close();
    return new Map(said.map((line) => [line.replace(/ [\d.]+$/, ''), Number(/[\d.]+$/.exec(line)[0])]));
}
const of_store = (store) => (page) =>
    page.evaluate(
        async ([kind, size, number]) => {
            const device = size * 2 ** 20;
            const id = await window.volumes.create({ name: 'bench', store: kind, devices: [device] });
            return window.test(id, 'measure', [size, number]);
        },
        [store, mib, count],
    );

const raw = await in_fresh_browser((page) => page.evaluate(measure_raw, [mib, count]));
const opfs = await in_fresh_browser(of_store('opfs'));
const indexeddb = await in_fresh_browser(of_store('indexeddb'));
const row = (...cells) => console.log(cells.map((cell, i) => String(cell).padEnd(i ? 12 : 24)).join(''));
row('', 'raw handle', 'opfs', '', 'indexeddb');
for (const [what, value] of raw) {
    const share = `${Math.round((100 * opfs.get(what)) / value)} %`;
    row(what, Math.round(value), Math.round(opfs.get(what)), share, Math.round(indexeddb.get(what)));
}
server.close();
process.exit(0);
