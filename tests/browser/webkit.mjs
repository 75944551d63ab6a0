// SPDX-License-Identifier: MIT
// The page in WebKitGTK's MiniBrowser, through WebKitWebDriver's plain HTTP; run it under xvfb-run.
// Software WebGL is slow there: it opens the sample, an image through the file input, and compares one
// block.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
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

const libraries = '/usr/lib/x86_64-linux-gnu';
const browser_path = readdirSync(libraries)
    .filter((name) => name.startsWith('webkit2gtk-4'))
    .sort()
    .reverse()
    .map((name) => `${libraries}/${name}/MiniBrowser`)
    .find(existsSync);
const PORT = 20000 + (process.pid % 20000);
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

const server = await serve();
const driver = spawn('WebKitWebDriver', [`--port=${PORT}`], {
    stdio: 'ignore',
    env: { ...process.env, JSC_useSharedArrayBuffer: '1', LIBGL_ALWAYS_SOFTWARE: '1' },
});
process.on('exit', () => driver.kill());

async function call(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${PORT}${path}`, {
        method,
        body: body && JSON.stringify(body),
    });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
}

let session;
async function start() {
    for (let tries = 0; ; ++tries) {
        try {
            const made = await call('POST', '/session', {
                capabilities: {
                    alwaysMatch: {
                        'webkitgtk:browserOptions': {
                            binary: browser_path,
                            args: ['--automation', '--features=StorageAPI,FileSystem,AccessHandle'],
                        },
                    },
                },
            });
            session = `/session/${made.sessionId}`;
            await call('POST', `${session}/timeouts`, { script: 60000, pageLoad: 120000 });
            return;
        } catch (error) {
            if (tries > 40) throw error;
            await sleep(250);
        }
    }
}
const run = (script, ...args) => call('POST', `${session}/execute/sync`, { script, args });
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
    await call('POST', `${session}/url`, { url: server.address });
    const now = await until((s) => s.state === 'open', 'the sample is open');
    equal([now.volume.format, now.volume.label], ['btrfs', 'sample'], 'volume');
    await sleep(3000);
    writeFileSync(
        screenshot_path('webkit-files.png'),
        Buffer.from(await call('GET', `${session}/screenshot`), 'base64'),
    );
});

test('webkit: an image given through the file input shows the values of the command line', async () => {
    const [file] = needs_images('kb-csum-blake2');
    check(session, 'no session');
    const input = await call('POST', `${session}/element`, { using: 'css selector', value: '#file-input' });
    const { epoch } = await state();
    await call('POST', `${session}/element/${input[ELEMENT]}/value`, { text: file });
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
        Buffer.from(await call('GET', `${session}/screenshot`), 'base64'),
    );
});

const good = await run_tests();
if (session) await call('DELETE', session).catch(() => {});
server.close();
driver.kill();
process.exit(good ? 0 : 1);
