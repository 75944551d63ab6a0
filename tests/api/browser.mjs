// SPDX-License-Identifier: MIT
// The package in Chromium, on pages without cross-origin isolation: in a page (through its worker) and
// directly in a worker, on each store; isomorphic-git on them; volumes that it shares with the page of
// GlassFS.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { launch, Page } from '../browser/chromium.mjs';
import {
    check,
    equal,
    glassfs,
    judge,
    own_modules,
    package_folder,
    require_here,
    root,
    run_tests,
    scratch,
    serve,
    test,
} from './harness.mjs';
import { git_workload } from './git.mjs';

const TYPES = {
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.wasm': 'application/wasm',
    '.html': 'text/html',
};
const here = join(root, 'tests/api');

// isomorphic-git wants node's Buffer.
const buffer_script = require_here('esbuild').buildSync({
    stdin: { contents: "import { Buffer } from 'buffer/'; globalThis.Buffer = Buffer;", resolveDir: here },
    bundle: true,
    write: false,
    logLevel: 'error',
}).outputFiles[0].text;

// The package at /glassfs/, without the headers that isolate a page.
function serve_plainly() {
    const file_of = (path) => {
        if (path === '/isomorphic-git.js') return join(own_modules, 'isomorphic-git/index.umd.min.js');
        if (path.startsWith('/glassfs/')) return join(package_folder, path.slice('/glassfs/'.length));
        return join(here, path);
    };
    const server = createServer((request, response) => {
        const path = normalize(new URL(request.url, 'http://localhost').pathname);
        try {
            const body = path === '/buffer.js' ? buffer_script : readFileSync(file_of(path));
            response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain' }).end(body);
        } catch {
            response.writeHead(404).end();
        }
    });
    return new Promise((done) => server.listen(0, 'localhost', () => done(server)));
}

const server = await serve_plainly();
const address = `http://localhost:${server.address().port}/page.html`;
const browser = await launch();
let context;

async function new_tab() {
    const tab = await context.newPage();
    await tab.goto(address);
    equal(await tab.evaluate(() => self.crossOriginIsolated), false, 'isolated');
    return tab;
}

// Runs a function (glassfs, git, ...given) in the page, or in a worker of it.
const WHERE = {
    page: (tab, run, ...given) =>
        tab.evaluate(
            async ([source, list]) =>
                (0, eval)(`(${source})`)(await import('/glassfs/api/browser.js'), self.git, ...list),
            [run.toString(), given],
        ),
    worker: (tab, run, ...given) =>
        tab.evaluate(
            ([source, list]) =>
                new Promise((done, failed) => {
                    const worker = new Worker('/in_worker.js', { type: 'module' });
                    worker.onmessage = ({ data: { value, error } }) =>
                        error ? failed(new Error(error)) : done(value);
                    worker.onerror = ({ message }) => failed(new Error(message));
                    worker.postMessage({ source, given: list });
                }),
            [run.toString(), given],
        ),
};

async function fill({ open }, git, options) {
    const fs = await open({ ...options, create: true, size: 2 ** 30 });
    await fs.mkdir('/a/b', { recursive: true });
    await Promise.all(Array.from({ length: 200 }, (_, i) => fs.writeFile(`/a/b/${i}`, `content ${i}`)));
    const big = new Uint8Array(3000000).map((_, i) => i * 7);
    await fs.writeFile('/a/big', big);
    const missing = await fs
        .readFile('/none')
        .catch(({ code, errno, syscall, path, message }) => [code, errno, syscall, path, message]);
    const file = await fs.open('/a/log', 'a');
    for (let i = 0; i < 20; ++i) {
        await file.write('line\n');
        await file.sync();
    }
    await file.close();
    await fs.snapshot('/before');
    await fs.writeFile('/a/b/0', 'changed');
    await fs.sync();
    const left = { ...fs.info, missing };
    self.kept = fs; // as a page that is closed without a word leaves it
    return left;
}

async function look({ open }, git, options) {
    const fs = await open(options);
    const names = await fs.readdir('/a/b');
    const texts = await Promise.all(names.map((name) => fs.readFile(`/a/b/${name}`, 'utf8')));
    const big = await fs.readFile('/a/big');
    const out = {
        names: names.length,
        texts: texts.filter((text, i) => text === `content ${names[i]}`).length,
        changed: await fs.readFile('/a/b/0', 'utf8'),
        before: await fs.readFile('/before/a/b/0', 'utf8'),
        log: (await fs.stat('/a/log')).size,
        big: [big.length, big[2999999]],
        clean: (await fs.check()).clean,
    };
    await fs.close();
    return out;
}

for (const where of ['page', 'worker']) {
    for (const store of ['opfs', 'indexeddb']) {
        test(`${where}/${store}: what was synced is there after the page is gone`, async () => {
            const options = { store, name: `${where} ${store}` };
            const first = await new_tab();
            const { missing, ...info } = await WHERE[where](first, fill, options);
            equal([info.store, info.name, info.size], [store, options.name, 2 ** 30], 'info');
            const sentence = "ENOENT: no such file or directory, open '/none'";
            equal(missing, ['ENOENT', -2, 'open', '/none', sentence], 'an error');
            await first.close();
            const second = await new_tab();
            equal(
                await WHERE[where](second, look, options),
                {
                    names: 200,
                    texts: 199,
                    changed: 'changed',
                    before: 'content 0',
                    log: 100,
                    big: [3000000, (2999999 * 7) % 256],
                    clean: true,
                },
                'what is there',
            );
        });
    }
}

test('a volume that is open elsewhere is refused, or taken over', async () => {
    const [one, other] = [await new_tab(), await new_tab()];
    await one.evaluate(async () => {
        const { open } = await import('/glassfs/api/browser.js');
        self.fs = await open({
            store: 'opfs',
            name: 'fought',
            create: true,
            onClosed: () => (self.lost = true),
        });
        await self.fs.writeFile('/file', 'not synced by hand');
    });
    const refused = await other.evaluate(async () => {
        const { open } = await import('/glassfs/api/browser.js');
        return open({ name: 'fought' }).catch(({ code }) => code);
    });
    equal(refused, 'EBUSY', 'a second one');
    const text = await other.evaluate(async () => {
        const { open } = await import('/glassfs/api/browser.js');
        self.fs = await open({ name: 'fought', takeOver: true });
        return self.fs.readFile('/file', 'utf8');
    });
    equal(text, 'not synced by hand', 'what the first one had written');
    await one.waitForFunction(() => self.lost === true);
    check(
        /taken/.test(await one.evaluate(() => self.fs.stat('/').catch(({ message }) => message))),
        'calls go on',
    );
});

for (const [where, store] of [
    ['worker', 'opfs'],
    ['page', 'opfs'],
    ['worker', 'indexeddb'],
    ['worker', 'memory'],
]) {
    test(`${where}/${store}: isomorphic-git, 1,000 files`, async () => {
        const tab = await new_tab();
        const image = await WHERE[where](
            tab,
            // The workload comes as text: its file isn't served.
            async ({ open }, git, options, source) => {
                const fs = await open({ ...options, create: true, size: 2 ** 30 });
                await (0, eval)(`(${source})`)(git, fs, 1000);
                const { clean } = await fs.check();
                await fs.close();
                return clean;
            },
            { store, name: `git ${where} ${store}` },
            git_workload.toString(),
        );
        equal(image, true, 'check');
    });
}

test('export of a volume in OPFS is an image that Linux accepts', async () => {
    const tab = await new_tab();
    const download = tab.waitForEvent('download');
    await tab.evaluate(async () => {
        const { open } = await import('/glassfs/api/browser.js');
        const fs = await open({ store: 'opfs', name: 'exported', create: true, size: 256 << 20 });
        await fs.writeFile('/file', 'exported');
        const link = document.createElement('a');
        link.href = URL.createObjectURL(await fs.export());
        link.download = 'image';
        link.click();
    });
    const image = join(scratch, 'from-opfs.img');
    await (await download).saveAs(image);
    judge(image, glassfs);
});

test('volumes of the package and of the page are the same ones', async () => {
    const site = await serve();
    const page = await Page.open(browser, site.address);
    const api = (run, ...given) =>
        page.tab.evaluate(
            async ([source, list]) =>
                (0, eval)(`(${source})`)(await import('/glassfs/api/browser.js'), ...list),
            [run.toString(), given],
        );
    const opened = (label) =>
        page.until(
            (state, wanted) => state.state === 'open' && state.volume?.label === wanted,
            label,
            60000,
            label,
        );
    const command = async (line) => {
        await page.act({ do: 'command', line });
        await page.until(
            ({ console: { entries } }, wanted) =>
                entries.at(-1)?.line === wanted && !entries.at(-1).running,
            line,
            30000,
            line,
        );
    };
    for (const store of ['opfs', 'indexeddb']) {
        const id = await api(async ({ open }, wanted) => {
            const fs = await open({ store: wanted, name: `shared ${wanted}`, create: true, size: 2 ** 28 });
            await fs.writeFile('/from-package', 'package');
            await fs.close();
            return fs.info.id;
        }, store);
        await page.tab.evaluate((one) => window.Module.page.volumes.open(one), id);
        await opened(`shared ${store}`);
        const busy = await api(({ open }, one) => open({ id: one }).catch(({ code }) => code), id);
        equal(busy, 'EBUSY', 'while the page has it open');
        await command('cp /from-package /from-page');
        await page.tab.evaluate((one) => window.Module.page.volumes.close(one), id);
        const text = await api(async ({ open }, one) => {
            const fs = await open({ id: one });
            const read = await fs.readFile('/from-page', 'utf8');
            await fs.close();
            return read;
        }, id);
        equal(text, 'package', 'written by the page');
    }
    equal(page.errors, [], 'page errors');
    await page.close();
    site.close();
});

async function write(tab, text) {
    await tab.fill('#text:enabled', text);
    await tab.locator('#text').blur();
    await tab.waitForFunction(() => /is saved/.test(document.getElementById('outcome').textContent));
    await tab.evaluate(() => {
        document.getElementById('outcome').textContent = '';
    });
}

test('the example keeps notes', async () => {
    const site = await serve();
    const tab = await context.newPage();
    await tab.goto(`${site.address}example/`);
    await tab.fill('#name', 'first');
    await tab.waitForFunction(() => document.getElementById('volume').textContent.startsWith('Volume'));
    await tab.click('#new button');
    await write(tab, 'one');
    await tab.click('#snapshot');
    await tab.waitForSelector('#snapshots li');
    await write(tab, 'two');
    await tab.click('#check');
    await tab.waitForFunction(() => /^Clean/.test(document.getElementById('outcome').textContent));
    await tab.click('#snapshots button');
    await tab.waitForFunction(() => /as they were/.test(document.getElementById('outcome').textContent));
    await tab.reload();
    await tab.click('#notes button');
    await tab.waitForFunction(() => document.getElementById('text').value === 'one');
    site.close();
});

const passed = await run_tests({
    before_each: async () => {
        context = await browser.newContext({ acceptDownloads: true });
    },
    after_each: () => context.close(),
});
await browser.close();
server.close();
process.exit(passed ? 0 : 1);
