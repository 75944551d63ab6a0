// SPDX-License-Identifier: MIT
// A Chromium of its own with a profile that outlives it, which a test may kill: all its processes at once,
// as a crash or a power button would, without a word to the page.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { require_of_web, scratch } from './harness.mjs';
import { executable, FLAGS } from './chromium.mjs';

const { chromium } = require_of_web('playwright-core');

export const new_profile = () => mkdtempSync(join(scratch, 'profile-'));

const started = new Set();
const kill_group = (child) => {
    try {
        process.kill(-child.pid, 'SIGKILL');
    } catch {
        /* it is gone already */
    }
};
process.on('exit', () => started.forEach(kill_group));

export class Killable {
    static async launch(profile) {
        const child = spawn(
            executable,
            [...FLAGS, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
            // A process group of its own: what is killed is all of this browser and nothing else.
            { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
        );
        started.add(child);
        const address = await new Promise((found, failed) => {
            let printed = '';
            child.stderr.on('data', (data) => {
                printed = (printed + data).slice(-10000);
                const match = /DevTools listening on (ws:\S+)/.exec(printed);
                if (match) found(match[1]);
            });
            child.on('exit', () => failed(new Error(`Chromium ended: ${printed.slice(-500)}`)));
        });
        const browser = new Killable();
        browser.child = child;
        browser.gone = new Promise((done) => child.on('exit', done));
        browser.connection = await chromium.connectOverCDP(address);
        browser.context = browser.connection.contexts()[0];
        return browser;
    }

    newPage() {
        return this.context.newPage();
    }

    // Resolves when the browser's main process is gone.
    async kill() {
        kill_group(this.child);
        await this.gone;
        started.delete(this.child);
        await this.connection.close().catch(() => {});
    }

    async close() {
        const session = await this.connection.newBrowserCDPSession();
        await session.send('Browser.close').catch(() => {});
        await this.gone;
        started.delete(this.child);
    }
}
