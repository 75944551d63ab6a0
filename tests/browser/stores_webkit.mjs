// SPDX-License-Identifier: MIT
// The page's stores in WebKitGTK (stores_elsewhere.mjs), which has no synchronous access to private files
// here: IndexedDB it is. Run it under xvfb-run.
import { run_tests } from './harness.mjs';
import { serve_stores, test_stores } from './stores_elsewhere.mjs';
import { call, start, stop } from './webkit_driver.mjs';

const server = await serve_stores();
await start(300000);
const execute = (script) =>
    call('POST', '/execute/async', {
        script: `
            const over = arguments[arguments.length - 1];
            (async () => { ${script} })().then(
                (value) => over({ value }), (error) => over({ wrong: String(error.message ?? error) }));`,
        args: [],
    });
test_stores(
    'stores-webkit',
    server.address,
    {
        load: (address) => call('POST', '/url', { url: address }),
        async run(script) {
            const { value, wrong } = await execute(script);
            if (wrong !== undefined) throw new Error(wrong);
            return value;
        },
    },
    ['indexeddb'],
);
const good = await run_tests();
await stop();
server.close();
process.exit(good ? 0 : 1);
