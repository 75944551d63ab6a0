// SPDX-License-Identifier: MIT
// The page in Firefox, through WebDriver BiDi; headed, because headless Firefox has no WebGL here: run it
// under xvfb-run. What Chromium's suite checks in depth is checked once here: sample, file input,
// inspector, download.
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
    check,
    cli_json,
    equal,
    needs_images,
    require_of_web,
    root,
    run_tests,
    scratch,
    screenshot_path,
    serve,
    sha256,
    sleep,
    test,
} from './harness.mjs';

const puppeteer = require_of_web('puppeteer-core');
const executable =
    process.env.FIREFOX ??
    process.env.PATH.split(delimiter)
        .flatMap((d) => [join(d, 'firefox-esr'), join(d, 'firefox')])
        .find(existsSync);
const downloads = join(scratch, 'downloads');
mkdirSync(downloads);

const server = await serve();
const browser = await (puppeteer.default ?? puppeteer).launch({
    browser: 'firefox',
    executablePath: executable,
    headless: false,
    defaultViewport: null,
    args: ['--width=1300', '--height=900'],
    extraPrefsFirefox: {
        'webgl.force-enabled': true,
        'browser.download.folderList': 2,
        'browser.download.dir': downloads,
        'browser.helperApps.neverAsk.saveToDisk': 'application/octet-stream',
        'browser.download.alwaysOpenPanel': false,
    },
});

let tab;
const state = () => tab.evaluate(() => window.Module?.page?.state ?? null);
const act = (action) => tab.evaluate((a) => window.Module.page.core.action(a), action);
async function until(condition, what, timeout = 60000) {
    for (const end = Date.now() + timeout; Date.now() < end; await sleep(100)) {
        const now = await state();
        if (now && condition(now)) return now;
    }
    throw new Error(
        `${what}: not within ${timeout / 1000} s; state ${(await state())?.state}, ` +
            `problem "${await tab.$eval('#problem-title', (title) => title.textContent)}"`,
    );
}
async function open() {
    tab = await browser.newPage();
    await tab.goto(server.address);
    await until((now) => now.state === 'open', 'the sample is open');
}

test('firefox: the sample opens by itself and is drawn', async () => {
    await open();
    const now = await state();
    equal([now.volume.format, now.volume.label], ['btrfs', 'sample'], 'volume');
    const names = await tab.$$eval('#tree [role=treeitem]', (rows) =>
        rows.map((row) => row.children[0].textContent),
    );
    check(names.includes('README.md'), `README.md is not in the navigator: ${names}`);
    await sleep(1000);
    await tab.screenshot({ path: screenshot_path('firefox-files.png') });
});

test('firefox: an image given through the file input shows the values of the command line', async () => {
    const files = needs_images('kb-raid1');
    await open();
    const { epoch } = await state();
    await (await tab.$('#file-input')).uploadFile(...files);
    const opened = await until(
        (now) => now.epoch !== epoch && ['open', 'failed'].includes(now.state),
        'the image is open or refused',
    );
    equal([opened.state, opened.volume?.devices.length], ['open', 2], 'state and devices');
    const block = cli_json('dump', files[0], '-d', files[1], '--tree', '5', '--json').find(
        (line) => line.block,
    );
    await act({ do: 'workspace', name: 'Trees' });
    await act({ do: 'block', addr: String(block.block) });
    await until(
        (now) => now.selection.block === String(block.block) && now.inspector.fields?.length > 4,
        'the inspector shows the block',
    );
    const shown = await tab.$$eval('#fields [role=row]', (rows) =>
        rows.map((row) => [row.dataset.name, row.children[1].textContent]),
    );
    const generation = shown.find(([name]) => name === 'generation');
    equal(Number(generation?.[1]), Number(block.generation), 'generation');
    await sleep(1000);
    await tab.screenshot({ path: screenshot_path('firefox-trees.png') });
});

test('firefox: extracting a file downloads its bytes', async () => {
    await open();
    await act({ do: 'extract', path: '/data/mandelbrot.pgm' });
    const file = join(downloads, 'mandelbrot.pgm');
    const wanted = readFileSync(join(root, 'assets/sample/data/mandelbrot.pgm'));
    for (let i = 0; i < 100 && !(existsSync(file) && readFileSync(file).length === wanted.length); ++i)
        await sleep(100);
    check(existsSync(file), `nothing was saved: ${readdirSync(downloads)}`);
    equal(sha256(readFileSync(file)), sha256(wanted), 'sha256');
});

const good = await run_tests({
    after_each: () => tab?.close().catch(() => {}),
    failed: async () => {
        await tab?.screenshot({ path: screenshot_path('failed-firefox.png') }).catch(() => {});
    },
});
await browser.close();
server.close();
process.exit(good ? 0 : 1);
