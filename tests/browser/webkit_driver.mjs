// SPDX-License-Identifier: MIT
// WebKitGTK's MiniBrowser through WebKitWebDriver's plain HTTP. Its shared memory has to be switched on.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { sleep } from './harness.mjs';

const libraries = '/usr/lib/x86_64-linux-gnu';
const browser_path = readdirSync(libraries)
    .filter((name) => name.startsWith('webkit2gtk-4'))
    .sort()
    .reverse()
    .map((name) => `${libraries}/${name}/MiniBrowser`)
    .find(existsSync);
const PORT = 20000 + (process.pid % 20000);
const driver = spawn('WebKitWebDriver', [`--port=${PORT}`], {
    stdio: 'ignore',
    env: { ...process.env, JSC_useSharedArrayBuffer: '1', LIBGL_ALWAYS_SOFTWARE: '1' },
});
process.on('exit', () => driver.kill());

let session = '';

// A command of the WebDriver protocol; paths begin behind the session.
export async function call(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${PORT}${session}${path}`, {
        method,
        body: body && JSON.stringify(body),
    });
    const { value } = await response.json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
}

export async function start(script_ms = 60000) {
    const options = {
        binary: browser_path,
        args: ['--automation', '--features=StorageAPI,FileSystem,AccessHandle'],
    };
    const wanted = { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } };
    for (let tries = 0; !session; ++tries) {
        try {
            session = `/session/${(await call('POST', '/session', wanted)).sessionId}`;
        } catch (error) {
            if (tries > 40) throw error;
            await sleep(250);
        }
    }
    await call('POST', '/timeouts', { script: script_ms, pageLoad: 120000 });
}

export async function stop() {
    if (session) await call('DELETE', '').catch(() => {});
    session = '';
    driver.kill();
}
