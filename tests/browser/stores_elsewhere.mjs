// SPDX-License-Identifier: MIT
// The stores in another browser than Chromium: what its driver can do is `run` (a script's value, awaited)
// and `load` (an address). The device contract, and a volume that is made, written, loaded again and read.
import { join } from 'node:path';
import { check, equal, root, serve, test } from './harness.mjs';

export const serve_stores = () => serve(process.env.GLASSFS_STORE_TEST ?? join(root, 'out/web/store-test'));

const MIB = 1 << 20;
const START = `
    for (let i = 0; i < 600 && !window.ready; ++i) await new Promise((next) => setTimeout(next, 50));
    if (!window.ready) throw new Error('the test program did not start');`;

// `stores`: those that the browser is expected to have, the one that it prefers first.
export function test_stores(name, address, { load, run }, stores) {
    const page = `${address}store_page.html`;
    const fresh = async () => {
        await load(page);
        await run(START);
    };
    const create = (store, size) =>
        run(`return window.volumes.create({ name: 'test', store: '${store}', devices: [${size}] })`);

    test(`${name}: a volume goes to ${stores[0]} by itself`, async () => {
        await fresh();
        const id = await run(`return window.volumes.create({ name: 'test', devices: [${MIB}] })`);
        const list = await run('return window.volumes.list()');
        equal(list.find((one) => one.id === id)?.store, stores[0], 'store');
        await run(`await window.volumes.close('${id}'); await window.volumes.remove('${id}')`);
    });

    for (const store of stores) {
        test(`${name}/${store}: keeps the contract of a device`, async () => {
            await fresh();
            const count = await run('return window.contract.length');
            check(count > 0, 'the contract has no cases');
            const size = await run('return window.contract_bytes');
            for (let number = 0; number < count; ++number) {
                const id = await create(store, size);
                const wrong = await run(`
                    return window.test('${id}', 'contract', [${number}]).then(
                        () => '', ({ message }) => window.contract[${number}] + ': ' + message)`);
                equal(wrong, '', 'complaint');
                await run(`await window.volumes.close('${id}'); await window.volumes.remove('${id}')`);
            }
        });

        test(`${name}/${store}: what was flushed is there when the page is loaded again`, async () => {
            await fresh();
            const id = await create(store, 16 * MIB);
            await run(`await window.test('${id}', 'write', [${5 * MIB + 17}, ${3 * MIB}, 42])`);
            await fresh();
            await run(`
                await window.volumes.open('${id}');
                await window.test('${id}', 'read', [${5 * MIB + 17}, ${3 * MIB}, 42]);
                await window.test('${id}', 'zeros', [${9 * MIB}, ${7 * MIB}]);
                await window.volumes.close('${id}');
                await window.volumes.remove('${id}')`);
            equal(await run('return window.volumes.list()'), [], 'volumes');
        });
    }
}
