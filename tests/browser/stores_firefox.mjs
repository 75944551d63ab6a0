// SPDX-License-Identifier: MIT
// The page's stores in Firefox (stores_elsewhere.mjs), through WebDriver BiDi; run it under xvfb-run.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { require_of_web, run_tests } from './harness.mjs';
import { serve_stores, test_stores } from './stores_elsewhere.mjs';

const puppeteer = require_of_web('puppeteer-core');
const executable =
    process.env.FIREFOX ??
    process.env.PATH.split(delimiter)
        .flatMap((d) => [join(d, 'firefox-esr'), join(d, 'firefox')])
        .find(existsSync);

const server = await serve_stores();
const browser = await (puppeteer.default ?? puppeteer).launch({
    browser: 'firefox',
    executablePath: executable,
    headless: true,
    protocolTimeout: 300000,
});
const tab = await browser.newPage();
test_stores(
    'stores-firefox',
    server.address,
    {
        load: (address) => tab.goto(address),
        run: (script) => tab.evaluate(`(async () => { ${script} })()`),
    },
    ['opfs', 'indexeddb'],
);
const good = await run_tests();
await browser.close();
server.close();
process.exit(good ? 0 : 1);
