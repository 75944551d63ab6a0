// SPDX-License-Identifier: MIT
// The page on a host of plain files, which knows nothing of isolation, and without a network (Chromium).
import { cpSync, createReadStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { extname, join } from 'node:path';
import { check, equal, run_tests, scratch, site, test } from './harness.mjs';
import { launch, Page } from './chromium.mjs';

const TYPES = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.wasm': 'application/wasm',
    '.svg': 'image/svg+xml',
};

// Files and their types, nothing else. Its port stays the same when it is started again.
class PlainHost {
    port = 0;

    constructor(folder) {
        this.folder = folder;
    }
    async start() {
        this.server = http.createServer((request, response) => {
            const path = new URL(request.url, 'http://localhost').pathname;
            const file = join(this.folder, path.endsWith('/') ? `${path}index.html` : path);
            if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
            response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
            createReadStream(file).pipe(response);
        });
        await new Promise((done) => {
            this.server.listen(this.port, 'localhost', done);
        });
        this.port = this.server.address().port;
        this.address = `http://localhost:${this.port}/`;
    }
    stop() {
        this.server.closeAllConnections();
        return new Promise((done) => {
            this.server.close(done);
        });
    }
}

const browser = await launch();
let page, host;

const sample_is_open = (what) =>
    page.until((state) => state.state === 'open' && state.volume?.label === 'sample', what, 60000);
const kept_versions = () =>
    page.tab.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('glassfs-')));
// A worker that has kept everything is active.
const kept = () =>
    page.tab.waitForFunction(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        return registration?.active?.state === 'activated' && !registration.installing;
    });

test('offline: on a host of plain files the page isolates itself', async () => {
    page = await Page.open(browser, host.address, { wait: false });
    await sample_is_open('the sample is open');
    check(await page.tab.evaluate(() => window.crossOriginIsolated), 'not isolated');
    equal(page.errors, [], 'page errors');
});

test('offline: without service workers such a host is named as the cause', async () => {
    page = await Page.open(browser, host.address, { wait: false, serviceWorkers: 'block' });
    await page.tab.locator('#problem').waitFor({ state: 'visible' });
    check(/isolate/.test(await page.text('#problem-title')), 'the title names another cause');
});

for (const store of ['opfs', 'indexeddb']) {
    test(`offline: after a visit no server is needed, with a volume in ${store}`, async () => {
        page = await Page.open(browser, host.address, { wait: false });
        await sample_is_open('the sample is open');
        await kept();
        await host.stop();
        await page.tab.reload();
        await sample_is_open('the sample is open without a server');
        const made = { name: 'far', store, devices: [128 << 20], format: { label: 'far' } };
        await page.tab.evaluate((options) => window.Module.page.volumes.create(options), made);
        await page.until((state) => state.state === 'open' && state.volume?.label === 'far', 'it is made');
        equal(page.errors, [], 'page errors');
    });
}

test('offline: a new version replaces the kept one', async () => {
    const folder = join(scratch, 'site');
    cpSync(site, folder, { recursive: true });
    host.folder = folder;
    page = await Page.open(browser, host.address, { wait: false });
    await sample_is_open('the sample is open');
    await kept();
    const [before] = await kept_versions();
    const worker = join(folder, 'service_worker.js');
    const text = readFileSync(worker, 'utf8').replace(/^const VERSION = .*/m, "const VERSION = 'newer';");
    writeFileSync(worker, text);
    await page.tab.reload();
    await sample_is_open('the sample is open in the new version');
    await page.tab.waitForFunction(async (old) => {
        const names = await caches.keys();
        return !names.includes(old) && names.includes('glassfs-newer');
    }, before);
});

const good = await run_tests({
    before_each: async () => {
        host = new PlainHost(site);
        await host.start();
    },
    after_each: async () => {
        await page?.close().catch(() => {});
        if (host.server.listening) await host.stop();
    },
});
await browser.close();
process.exit(good ? 0 : 1);
