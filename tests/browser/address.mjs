// SPDX-License-Identifier: MIT
// Images that stay on their server: opened by address, read by ranges, in Chromium.
import { randomBytes } from 'node:crypto';
import { cpSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { basename, join } from 'node:path';
import { check, equal, make_btrfs, root, run_tests, scratch, serve, sha256, test } from './harness.mjs';
import { launch, Page } from './chromium.mjs';

// Serves one image; what it lacks is set by the tests.
class ImageHost {
    ranges = true;
    cors = true;
    exposes = true; // headers that only some servers let other origins see
    claims = null; // a size that isn't its own
    version = 1;

    constructor(file) {
        this.file = openSync(file, 'r');
        this.size = fstatSync(this.file).size;
        this.name = basename(file);
    }
    async start() {
        this.server = http.createServer((request, response) => this.#answer(request, response));
        await new Promise((done) => {
            this.server.listen(0, 'localhost', done);
        });
        this.address = `http://localhost:${this.server.address().port}/${this.name}`;
        this.reset();
    }
    reset() {
        Object.assign(this, { ranges: true, cors: true, exposes: true, claims: null, sent: 0, requests: 0 });
    }
    stop() {
        this.server.closeAllConnections();
        this.server.close();
    }

    #answer(request, response) {
        const headers = { ETag: `"version ${this.version}"`, 'Cross-Origin-Resource-Policy': 'cross-origin' };
        if (this.cors) headers['Access-Control-Allow-Origin'] = '*';
        if (this.exposes) headers['Access-Control-Expose-Headers'] = 'Content-Range, ETag';
        if (request.method === 'OPTIONS') {
            return response.writeHead(204, { ...headers, 'Access-Control-Allow-Headers': 'Range' }).end();
        }
        if (request.url !== `/${this.name}`) return response.writeHead(404, headers).end();
        const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
        if (request.method === 'HEAD' || !range || !this.ranges)
            return response.writeHead(200, { ...headers, 'Content-Length': this.size }).end();
        // The browser's own cache asks like this, and takes what comes for more of the version that it has.
        const wanted = request.headers['if-range'];
        if (wanted && wanted !== headers.ETag) return response.writeHead(200, headers).end();
        const first = Number(range[1]),
            last = Math.min(Number(range[2]), this.size - 1);
        const bytes = Buffer.alloc(last - first + 1);
        readSync(this.file, bytes, 0, bytes.length, first);
        this.sent += bytes.length;
        ++this.requests;
        headers['Content-Range'] = `bytes ${first}-${last}/${this.claims ?? this.size}`;
        response.writeHead(206, { ...headers, 'Content-Length': bytes.length }).end(bytes);
    }
}

const MIB = 1 << 20;
const folder = join(scratch, 'remote');
cpSync(join(root, 'ui'), folder, { recursive: true });
writeFileSync(join(folder, 'large'), randomBytes(4 * MIB));
const image = make_btrfs('remote.img', 512 * MIB, folder, '--label', 'far away');
const host = new ImageHost(image);
await host.start();
const server = await serve();
const browser = await launch();
let page;

const link = () => `${server.address}#image=${encodeURIComponent(host.address)}`;
const open = async (address = link()) => {
    page = await Page.open(browser, address, { wait: false });
};
const failed_with = async (words) => {
    await page.until((state) => state.state === 'failed', 'it is refused');
    const { error } = await page.state();
    check(error.includes(words), `not "${words}": ${error}`);
};

test('address: a link opens the image, and fetches only what is looked at', async () => {
    await open();
    await page.until((state) => state.state === 'open' && state.volume?.label === 'far away', 'it is open');
    await page.act({ do: 'path', path: '/views' });
    await page.until((state) => state.navigator.rows?.length > 3, 'the folder is listed');
    await page.settled();
    check(host.sent < 4 * MIB, `${host.sent} bytes in ${host.requests} requests of ${host.size}`);
    check(host.sent > 100000, `${host.sent} bytes`);
    equal(page.errors, [], 'page errors');
});

test('address: the whole of a file comes, as the command line has it', async () => {
    await open();
    await page.until((state) => state.volume?.label === 'far away', 'it is open');
    const download = page.tab.waitForEvent('download');
    await page.act({ do: 'extract', path: '/app.cpp' });
    const bytes = readFileSync(await (await download).path());
    equal(sha256(bytes), sha256(readFileSync(join(root, 'ui/app.cpp'))), 'content');
});

test('address: a server of another origin that tells nothing but the length will do', async () => {
    host.exposes = false;
    await open();
    await page.until((state) => state.volume?.label === 'far away', 'it is open');
});

test('address: what a server lacks is said', async () => {
    host.ranges = false;
    await open();
    await failed_with("doesn't answer byte ranges");
    host.reset();
    host.cors = false;
    await open();
    await failed_with('Access-Control-Allow-Origin');
    host.reset();
    await open(`${server.address}#image=${encodeURIComponent(`${host.address}.not`)}`);
    await failed_with('answered 404');
    host.claims = '9'.repeat(30);
    await open();
    await failed_with('claims 999');
    host.reset();
    await open(`${server.address}#image=ftp://somewhere/disk.img`);
    await failed_with('no address of a web server');
    await open(`${server.address}#image=%ff`);
    await failed_with('URI');
});

test('address: of an image that was replaced on its server meanwhile no byte is taken', async () => {
    await open();
    await page.until((state) => state.volume?.label === 'far away', 'it is open');
    ++host.version; // its bytes stay the same: only the mark tells
    await page.act({ do: 'command', line: 'check' });
    await page.until((state) => state.console.entries.at(-1)?.status > 0, 'reading fails', 120000);
    const { output } = (await page.state()).console.entries.at(-1);
    check(output.includes('"remote.img" was changed, moved or removed'), output.slice(0, 500));
});

test('address: asked for in the page, with an error to mend', async () => {
    await open(server.address);
    await page.until((state) => state.state === 'open', 'the sample is open');
    await page.act({ do: 'ask', what: 'open-address' });
    await page.until(({ dialog }) => dialog?.id === 'open-address', 'the dialog is there');
    const answer = async (text) => {
        await page.act({ do: 'field', id: 'address', value: text });
        await page.act({ do: 'press', id: 'open' });
    };
    await answer(`${host.address}.not`);
    await page.until(({ dialog }) => dialog?.error.includes('404'), 'the dialog says why');
    await answer(host.address);
    await page.until((state) => !state.dialog && state.volume?.label === 'far away', 'it is open');
});

const good = await run_tests({
    before_each: () => host.reset(),
    after_each: () => page?.close(),
});
host.stop();
await browser.close();
server.close();
process.exit(good ? 0 : 1);
