// SPDX-License-Identifier: MIT
// Measures the page in Chromium: node bench.mjs [LARGE_IMAGE]. Run by tests/bench/page.sh.
import { performance } from 'node:perf_hooks';
import { serve, sleep } from './harness.mjs';
import { launch, Page } from './chromium.mjs';

const LIMIT_BYTES = 2.5e6,
    LIMIT_FIRST_PICTURE_MS = 2000;
const large = process.argv[2];
const server = await serve();
const browser = await launch();
const report = (name, value, note = '') => console.log(`${name.padEnd(44)} ${value}${note && `   ${note}`}`);

// Bytes on the wire, headers and bodies as they were encoded, of a visit with nothing in the cache.
async function transfer() {
    const page = await Page.open(browser, 'about:blank', { wait: false });
    const session = await page.context.newCDPSession(page.tab);
    await session.send('Network.enable');
    let bytes = 0;
    const files = new Map();
    session.on('Network.responseReceived', ({ requestId, response }) => files.set(requestId, response.url));
    const per_file = new Map();
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        bytes += encodedDataLength;
        per_file.set(files.get(requestId), (per_file.get(files.get(requestId)) ?? 0) + encodedDataLength);
    });
    await page.tab.goto(server.address);
    await page.until((state) => state.state === 'open', 'the sample is open');
    await sleep(1000);
    await page.close();
    report(
        'transferred by a first visit',
        `${bytes} bytes`,
        bytes <= LIMIT_BYTES ? `(at most ${LIMIT_BYTES}: kept)` : `(at most ${LIMIT_BYTES}: MISSED)`,
    );
    for (const [url, size] of [...per_file].sort((a, b) => b[1] - a[1]).slice(0, 4))
        report(`  ${new URL(url).pathname}`, `${size} bytes`);
}

// From the begin of the navigation until the canvas shows the open sample (the state comes with the frame
// that does).
async function first_picture() {
    const init = () => {
        const poll = () => {
            if (
                window.Module?.page?.state?.state === 'open' &&
                window.Module.page.state.navigator?.rows?.length
            )
                window.first_picture = performance.now();
            else requestAnimationFrame(poll);
        };
        requestAnimationFrame(poll);
    };
    const times = [],
        paints = [];
    for (let i = 0; i < 5; ++i) {
        const page = await Page.open(browser, server.address, { init });
        await page.tab.waitForFunction(() => window.first_picture);
        times.push(await page.tab.evaluate(() => window.first_picture));
        paints.push(
            await page.tab.evaluate(
                () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
            ),
        );
        await page.close();
    }
    const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    report('first paint, median of 5', `${Math.round(median(paints))} ms`);
    report(
        'first picture of the sample, median of 5',
        `${Math.round(median(times))} ms`,
        median(times) <= LIMIT_FIRST_PICTURE_MS
            ? `(at most ${LIMIT_FIRST_PICTURE_MS}: kept)`
            : `(at most ${LIMIT_FIRST_PICTURE_MS}: MISSED)`,
    );
}

// Frames while the stage is moved about: intervals between animation frames, and the CPU time that the
// program reports.
async function frames(image) {
    const page = await Page.open(browser, server.address, { size: [1280, 800] });
    const began = performance.now();
    await page.open_files([image]);
    report('large image: open', `${Math.round(performance.now() - began)} ms`);
    await page.act({ do: 'workspace', name: 'Trees' });
    await page.act({ do: 'tree', id: '5' });
    const listed = performance.now();
    await page.settled(3000);
    report('large image: FS_TREE read and drawn', `${Math.round(performance.now() - listed)} ms`);
    for (const [what, zoom] of [
        ['whole tree', 0],
        ['zoomed in', 8],
    ]) {
        await page.tab.mouse.move(640, 400);
        for (let i = 0; i < zoom; ++i) {
            await page.tab.mouse.wheel(0, -240);
            await sleep(60);
        }
        await sleep(500);
        const intervals = page.tab.evaluate(
            () =>
                new Promise((done) => {
                    const list = [];
                    let last = performance.now();
                    const tick = (now) => {
                        list.push(now - last);
                        last = now;
                        if (list.length < 120) requestAnimationFrame(tick);
                        else done(list.slice(5));
                    };
                    requestAnimationFrame(tick);
                }),
        );
        await page.tab.mouse.down();
        let moving = true;
        intervals.then(() => {
            moving = false;
        });
        for (let i = 0; moving; ++i) {
            await page.tab.mouse.move(640 + 150 * Math.sin(i / 9), 400 + 40 * Math.cos(i / 7));
            await sleep(8);
        }
        await page.tab.mouse.up();
        const sorted = (await intervals).sort((a, b) => a - b);
        const { stats } = await page.state();
        report(
            `frames, ${what}: median and 95 % interval`,
            [0.5, 0.95].map((part) => `${sorted[Math.floor(sorted.length * part)].toFixed(1)} ms`).join(', '),
            `CPU of a frame ${Number(stats.frame_ms).toFixed(1)} ms`,
        );
    }
    await page.close();
}

await transfer();
await first_picture();
if (large) await frames(large);
else report('frames of a large tree', 'not measured: the image needs root to be made');
await browser.close();
server.close();
process.exit(0);
