// SPDX-License-Identifier: MIT
// The page in WebKitGTK's MiniBrowser, through WebKitWebDriver's plain HTTP; run it under xvfb-run.
// Software WebGL is slow there: it opens the sample, an image through the file input, and compares one
// block.
import { writeFileSync } from 'node:fs';
import {
    check,
    cli_json,
    equal,
    needs_images,
    run_tests,
    screenshot_path,
    serve,
    sleep,
    test,
} from './harness.mjs';
import { call, start, stop } from './webkit_driver.mjs';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

const server = await serve();
const run = (script, ...args) => call('POST', '/execute/sync', { script, args });
const state = () => run('return window.Module && Module.page ? Module.page.state : null');
const act = (action) => run('Module.page.core.action(arguments[0])', action);
async function until(condition, what, timeout = 120000) {
    for (const end = Date.now() + timeout; Date.now() < end; await sleep(300)) {
        const now = await state();
        if (now && condition(now)) return now;
    }
    const problem = await run('return document.getElementById("problem-title").textContent');
    throw new Error(
        `${what}: not within ${timeout / 1000} s; state ${(await state())?.state}, problem "${problem}"`,
    );
}

test('webkit: the sample opens by itself', async () => {
    await start();
    await call('POST', '/url', { url: server.address });
    const now = await until((s) => s.state === 'open', 'the sample is open');
    equal([now.volume.format, now.volume.label], ['btrfs', 'sample'], 'volume');
    await sleep(3000);
    writeFileSync(
        screenshot_path('webkit-files.png'),
        Buffer.from(await call('GET', '/screenshot'), 'base64'),
    );
});

test('webkit: an image given through the file input shows the values of the command line', async () => {
    const [file] = needs_images('kb-csum-blake2');
    const input = await call('POST', '/element', { using: 'css selector', value: '#file-input' });
    const { epoch } = await state();
    await call('POST', `/element/${input[ELEMENT]}/value`, { text: file });
    const opened = await until(
        (s) => s.epoch !== epoch && ['open', 'failed'].includes(s.state),
        'the image is open or refused',
    );
    equal([opened.state, opened.volume?.checksum_type], ['open', 'blake2b'], 'state and checksum type');
    const block = cli_json('dump', file, '--tree', '5', '--json').find((line) => line.block);
    await act({ do: 'workspace', name: 'Trees' });
    await act({ do: 'block', addr: String(block.block) });
    await until(
        (s) => s.selection.block === String(block.block) && s.inspector.fields?.length > 4,
        'the inspector shows the block',
    );
    const shown = await run(
        'return [...document.querySelectorAll("#fields [role=row]")]' +
            '.map((row) => [row.dataset.name, row.children[1].textContent])',
    );
    equal(Number(shown.find(([name]) => name === 'generation')?.[1]), Number(block.generation), 'generation');
    await sleep(3000);
    writeFileSync(
        screenshot_path('webkit-trees.png'),
        Buffer.from(await call('GET', '/screenshot'), 'base64'),
    );
});

const good = await run_tests();
await stop();
server.close();
process.exit(good ? 0 : 1);
