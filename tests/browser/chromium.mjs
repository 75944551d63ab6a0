// SPDX-License-Identifier: MIT
// Chromium without a window, on a fresh profile, and a driver for the page: what a test can do and read. It
// reads the DOM mirror; it acts as a user does (mouse on the canvas, keys, file input, drop) or through the
// mirror.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { require_of_web, sleep } from './harness.mjs';

const { chromium } = require_of_web('playwright-core');
export const executable =
    process.env.CHROMIUM ??
    process.env.PATH.split(delimiter)
        .map((d) => join(d, 'chromium'))
        .find(existsSync);
export const FLAGS = [
    '--headless=new',
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--enable-unsafe-swiftshader',
];

export const launch = () => chromium.launch({ executablePath: executable, headless: true, args: FLAGS });

export class Page {
    errors = [];

    static async open(
        browser,
        address,
        { size = [1600, 1000], theme = 'dark', ratio = 1, wait = true, init, ...rest } = {},
    ) {
        const context = await browser.newContext({
            viewport: { width: size[0], height: size[1] },
            colorScheme: theme,
            deviceScaleFactor: ratio,
            acceptDownloads: true,
            permissions: ['clipboard-read', 'clipboard-write'],
            ...rest,
        });
        const page = new Page();
        page.context = context;
        page.tab = await context.newPage();
        page.tab.on('pageerror', (error) => page.errors.push(error.message));
        page.tab.on('crash', () => page.errors.push('the tab crashed'));
        if (init) await page.tab.addInitScript(init);
        await page.tab.goto(address);
        if (wait) await page.until((state) => state.state === 'open', 'the sample is open');
        return page;
    }
    close() {
        return this.context.close();
    }

    // The state as published last.
    state() {
        return this.tab.evaluate(() => window.Module?.page?.state ?? null);
    }

    // Waits until the state, as JSON, satisfies `condition` (a function that runs in the page).
    async until(condition, what, timeout = 30000, ...args) {
        try {
            await this.tab.waitForFunction(
                ([source, values]) => {
                    const state = window.Module?.page?.state;
                    return state && (0, eval)(`(${source})`)(state, ...values);
                },
                [condition.toString(), args],
                { timeout, polling: 50 },
            );
        } catch (error) {
            const state = await this.state().catch(() => null);
            throw new Error(
                `${what}: not within ${timeout / 1000} s (state ${state?.state}, ${state?.error ?? ''}, ` +
                    `page errors ${JSON.stringify(this.errors)}, ${error.message.split('\n')[0]})`,
            );
        }
    }
    // Until the state has stood still for a while: whatever was asked for is there and drawn.
    async settled(quiet_ms = 400) {
        const now = async () => JSON.stringify({ ...(await this.state()), stats: null });
        for (let before = await now(), still = 0, tries = 0; still < quiet_ms && tries < 300; ++tries) {
            await sleep(100);
            const after = await now();
            still = after === before ? still + 100 : 0;
            before = after;
        }
    }

    act(action) {
        return this.tab.evaluate((a) => window.Module.page.core.action(a), action);
    }

    // Waits for the volume that `ask` opens to be open or refused. Until then the state published last may be
    // of the one before, whose epoch is another.
    async opening(ask) {
        const { epoch } = await this.state();
        await ask();
        await this.until(
            (state, before) => state.epoch !== before && ['open', 'failed'].includes(state.state),
            'the image is open or refused',
            60000,
            epoch,
        );
    }
    open_files(files) {
        return this.opening(() => this.tab.setInputFiles('#file-input', files));
    }

    // Clicks an element of the mirror as assistive technology does: by its role and name, not by its place.
    async activate(selector) {
        await this.tab
            .locator(selector)
            .first()
            .evaluate((element) => element.click());
    }

    text(selector) {
        return this.tab
            .locator(selector)
            .first()
            .evaluate((element) => element.textContent);
    }

    // The inspector's fields as the mirror's DOM has them.
    fields() {
        return this.tab.$$eval('#fields [role=row]', (rows) =>
            rows.map((row) => ({
                name: row.dataset.name,
                offset: Number(row.dataset.offset),
                size: Number(row.dataset.size),
                value: row.children[1].textContent,
                meaning: row.children[2].textContent,
            })),
        );
    }
    items() {
        return this.tab.$$eval('#items [role=row]', (rows) =>
            rows.map((row) => ({
                slot: Number(row.dataset.slot),
                key: row.children[1].textContent,
                summary: row.children[2].textContent,
            })),
        );
    }
}
