// SPDX-License-Identifier: MIT
// The stores of the page in Chromium, without its user interface (store_page.js): the contract that native
// devices keep as well, durability over reloads and kills of the whole browser, tabs that fight for a volume,
// a full quota, and stores that go away. KILL_ROUNDS: how often the browser is killed for each store; by
// itself 4 times for OPFS, and not for IndexedDB, whose kills are run by hand: once in some twenty of them,
// Chromium starts without any of the site's databases, and why isn't known yet.
import { join } from 'node:path';
import { check, equal, root, run_tests, serve, Skip, sleep, test } from './harness.mjs';
import { Killable, new_profile } from './killable.mjs';

const server = await serve(process.env.GLASSFS_STORE_TEST ?? join(root, 'out/web/store-test'));
const address = `${server.address}store_page.html`;
const STORES = ['opfs', 'indexeddb'];
const MIB = 1 << 20;
const kill_rounds = Number(process.env.KILL_ROUNDS ?? 4);
const needs_kills = (store) => {
    if (store === 'indexeddb' && !process.env.KILL_ROUNDS) throw new Skip('run by hand, with KILL_ROUNDS');
};

// On a profile like a user's: a private window keeps its files in memory and knows no quota.
const browser = await Killable.launch(new_profile());
const context = browser.context;

async function open_page(where = context) {
    const page = await where.newPage();
    await page.goto(address);
    await page.waitForFunction(() => window.ready, null, { timeout: 60000 });
    return page;
}
const reload = async (page) => {
    await page.reload();
    await page.waitForFunction(() => window.ready, null, { timeout: 60000 });
};

// What the page's volumes answer; an error's code and message as text.
const volumes = (page, method, ...args) =>
    page.evaluate(([name, list]) => window.volumes[name](...list), [method, args]);
const refusal = (page, method, ...args) =>
    page.evaluate(
        ([name, list]) =>
            window.volumes[name](...list).then(
                () => 'nothing was refused',
                (error) => `${error.code}: ${error.message}`,
            ),
        [method, args],
    );
const create = (page, store, options = {}) =>
    volumes(page, 'create', { name: 'test', store, devices: [16 * MIB], ...options });
const run = (page, id, what, ...numbers) =>
    page.evaluate(([i, w, n]) => window.test(i, w, n), [id, what, numbers]);
const complaint = (page, id, what, ...numbers) =>
    run(page, id, what, ...numbers).then(
        () => '',
        (error) => error.message,
    );

const CASES = await (async () => {
    const page = await open_page();
    const names = await page.evaluate(() => window.contract);
    await page.close();
    return names;
})();

for (const store of STORES) {
    for (const [number, name] of CASES.entries()) {
        test(`stores/${store}: ${name}`, async () => {
            const page = await open_page();
            const size = await page.evaluate(() => window.contract_bytes);
            const id = await create(page, store, { devices: [size] });
            await run(page, id, 'contract', number);
            await volumes(page, 'close', id);
            await volumes(page, 'remove', id);
        });
    }

    test(`stores/${store}: what was flushed is there after a reload, on each device`, async () => {
        const page = await open_page();
        const id = await create(page, store, { devices: [16 * MIB, 8 * MIB] });
        await run(page, id, 'write', 5 * MIB + 17, 3 * MIB, 42);
        await reload(page);
        equal((await volumes(page, 'list')).map(({ id: one, open }) => [one, open]), [[id, null]], 'list');
        await volumes(page, 'open', id);
        await run(page, id, 'read', 5 * MIB + 17, 3 * MIB, 42);
        await run(page, id, 'zeros', 9 * MIB, 7 * MIB);
    });

    test(`stores/${store}: a volume is renamed, copied, exported, deleted, and leaves nothing`, async () => {
        const page = await open_page();
        const id = await create(page, store, { devices: [MIB + 4096] });
        await run(page, id, 'write', 300_000, 100_000, 7);
        check(/^here: /.test(await refusal(page, 'export', id)), 'an open volume was exported');
        await volumes(page, 'close', id);
        await volumes(page, 'rename', id, 'other');
        const copy = await volumes(page, 'duplicate', id, { name: 'copy', store });
        await run(page, copy, 'read', 300_000, 100_000, 7);
        await run(page, copy, 'zeros', 400_000, MIB + 4096 - 400_000);
        await volumes(page, 'close', copy);
        const sizes = await page.evaluate(
            async (one) => (await window.volumes.export(one)).map((blob) => blob.size),
            id,
        );
        equal(sizes, [MIB + 4096], 'sizes of the export');
        const names = (await volumes(page, 'list')).map(({ name }) => name).sort();
        equal(names, ['copy', 'other'], 'names');
        for (const one of [id, copy]) await volumes(page, 'remove', one);
        equal(await volumes(page, 'list'), [], 'volumes');
        const left = await page.evaluate(async () => {
            const names = (await indexedDB.databases()).map(({ name }) => name);
            const folder = await (await navigator.storage.getDirectory())
                .getDirectoryHandle('glassfs')
                .catch(() => null);
            if (folder) for await (const [name] of folder) names.push(name);
            return names;
        });
        equal(left, ['glassfs-volumes'], 'what is left in the browser');
        check(/^missing: /.test(await refusal(page, 'open', id)), 'a deleted volume opens');
    });

    test(`stores/${store}: the creation of a volume that is cut short leaves nothing behind`, async () => {
        const page = await open_page();
        await page.evaluate((kind) => {
            const file = new Blob([new Uint8Array(64 << 20).fill(1)]);
            window.volumes.create({
                name: 'cut',
                store: kind,
                files: [file],
                progress: () => {
                    window.began = true;
                },
            });
        }, store);
        await page.waitForFunction(() => window.began);
        await reload(page);
        equal(await volumes(page, 'list'), [], 'volumes');
        const usage = () => volumes(page, 'room').then((room) => room.usage);
        for (let i = 0; i < 50 && (await usage()) > 5 * MIB; ++i) await sleep(100);
        check((await usage()) < 5 * MIB, 'its bytes are still there');
    });

    test(`stores/${store}: copying an image in can be cancelled`, async () => {
        const page = await open_page();
        const outcome = await page.evaluate(async (kind) => {
            const stop = new AbortController();
            const file = new Blob([new Uint8Array(64 << 20).fill(1)]);
            const options = { name: 'cut', store: kind, files: [file], signal: stop.signal };
            return window.volumes
                .create({ ...options, progress: () => stop.abort() })
                .then(() => 'made', ({ code }) => code);
        }, store);
        equal(outcome, 'cancelled', 'outcome');
        equal(await volumes(page, 'list'), [], 'volumes');
    });

    test(`stores/${store}: a second tab is told, and takes over what the first has flushed`, async () => {
        const [first, second] = [await open_page(), await open_page()];
        const id = await create(first, store);
        await run(first, id, 'write', 0, 100_000, 1);
        check(/^elsewhere: /.test(await refusal(second, 'open', id)), 'two tabs have it open');
        check(/^elsewhere: /.test(await refusal(second, 'remove', id)), 'it was removed under its owner');
        equal((await volumes(second, 'list'))[0].open, 'elsewhere', 'list');
        await volumes(second, 'open', id, { take_over: true });
        equal(await first.evaluate(() => window.taken), [id], 'what the first tab was told');
        await run(second, id, 'read', 0, 100_000, 1);
        await run(second, id, 'write', 0, 100_000, 2);
        // And back.
        await volumes(first, 'open', id, { take_over: true });
        await run(first, id, 'read', 0, 100_000, 2);
    });

    test(`stores/${store}: whoever loses a volume writes nothing more to it`, async () => {
        const [first, second] = [await open_page(), await open_page()];
        const id = await create(first, store);
        await run(first, id, 'write', 0, 100_000, 1);
        // The lock is torn away, as from a tab that didn't answer.
        await second.evaluate(
            (one) =>
                new Promise((done) => {
                    navigator.locks.request(`glassfs-volume-${one}`, { steal: true }, done);
                }),
            id,
        );
        await first.waitForFunction(() => window.taken.length === 1);
        check(!(await first.evaluate((one) => window.volumes.mailbox_of(one), id)), 'still open');
        await volumes(second, 'open', id);
        await run(second, id, 'read', 0, 100_000, 1);
    });

    test(`stores/${store}: a full browser is one error, and what was flushed stays`, async () => {
        // A browser of its own: it remembers for half a minute how much room IndexedDB had.
        const full = await Killable.launch(new_profile());
        const page = await open_page(full.context);
        const session = await full.context.newCDPSession(page);
        const { origin } = new URL(address);
        await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 16 * MIB });
        const id = await create(page, store, { devices: [64 * MIB] });
        await run(page, id, 'write', 0, MIB, 1);
        const wrong = await complaint(page, id, 'write', 2 * MIB, 40 * MIB, 2);
        check(/no space left.*no more room/.test(wrong), `the error is "${wrong}"`);
        await run(page, id, 'read', 0, MIB, 1);
        await session.send('Storage.overrideQuotaForOrigin', { origin });
        await run(page, id, 'write', 2 * MIB, MIB, 3);
        await reload(page);
        await volumes(page, 'open', id);
        await run(page, id, 'read', 0, MIB, 1);
        await run(page, id, 'read', 2 * MIB, MIB, 3);
        await full.close();
    });

    test(`stores/${store}: a volume whose storage was cleared is an error, not zeros`, async () => {
        const page = await open_page();
        const id = await create(page, store);
        await run(page, id, 'write', 0, 100_000, 1);
        await volumes(page, 'close', id);
        await page.evaluate(async (one) => {
            const top = await navigator.storage.getDirectory();
            await top.removeEntry('glassfs', { recursive: true }).catch(() => {});
            await new Promise((done) => {
                indexedDB.deleteDatabase(`glassfs-${one}`).onsuccess = done;
            });
        }, id);
        const wrong = await refusal(page, 'open', id);
        check(/^failed: .*no longer has it/.test(wrong), `the answer is "${wrong}"`);
    });
}

test('stores/indexeddb: a writer with an older generation is refused', async () => {
    const page = await open_page();
    const id = await create(page, 'indexeddb');
    await run(page, id, 'write', 0, 100_000, 1);
    await page.evaluate(
        (one) =>
            new Promise((done) => {
                const request = indexedDB.open(`glassfs-${one}`);
                request.onsuccess = () => {
                    const change = request.result.transaction('facts', 'readwrite');
                    change.objectStore('facts').put(99, 'generation');
                    change.oncomplete = () => {
                        request.result.close();
                        done();
                    };
                };
            }),
        id,
    );
    const wrong = await complaint(page, id, 'write', 0, 100_000, 2);
    check(/taken this volume over/.test(wrong), `the error is "${wrong}"`);
    await volumes(page, 'close', id);
    check(/taken/.test(await refusal(page, 'open', id)), 'it opens with an older generation');
});

// Runs a job until the browser is killed at a random moment; then says what it had reported last.
async function until_killed(profile, id, what, seed, from) {
    const killable = await Killable.launch(profile);
    const page = await open_page(killable.context);
    let reported = from - 1;
    await page.exposeFunction('heard', (text) => {
        reported = Number(text);
    });
    await volumes(page, 'open', id);
    page.evaluate(
        ([i, w, n]) => window.test(i, w, n, window.heard),
        [id, what, [seed, from]],
    ).catch(() => {});
    for (const begin = Date.now(); reported < from && Date.now() - begin < 20000;) await sleep(5);
    check(reported >= from, `nothing was written within 20 s (${what})`);
    await sleep(Math.random() * 400);
    await killable.kill();
    return reported;
}

for (const store of STORES) {
    test(`stores/${store}: ${kill_rounds} killed browsers lose nothing that was flushed`, async () => {
        needs_kills(store);
        const profile = new_profile();
        let killable = await Killable.launch(profile);
        let page = await open_page(killable.context);
        const id = await create(page, store);
        await volumes(page, 'close', id);
        await killable.close();
        let flushed = 0;
        for (let round = 0; round < kill_rounds; ++round) {
            flushed = await until_killed(profile, id, 'rounds', 5, flushed + 1);
            killable = await Killable.launch(profile);
            page = await open_page(killable.context);
            await volumes(page, 'open', id);
            // A flush of IndexedDB is there as a whole or not at all; in a file it may be there in part, and
            // is then done again.
            const atomic = store === 'indexeddb';
            const [newest] = await run(page, id, 'verify rounds', 5, flushed, atomic ? 1 : 0);
            if (atomic) flushed = Number(newest);
            await killable.kill();
        }
        console.log(`    ${store}: ${flushed} flushes over ${kill_rounds} kills`);
    });

    test(`stores/${store}: a btrfs on it is clean and whole after each of ${kill_rounds} kills`, async () => {
        needs_kills(store);
        const profile = new_profile();
        let killable = await Killable.launch(profile);
        let page = await open_page(killable.context);
        const id = await create(page, store, { devices: [256 * MIB], format: { checksum: 'crc32c' } });
        await volumes(page, 'close', id);
        await killable.close();
        let synced = 0;
        for (let round = 0; round < kill_rounds; ++round) {
            synced = await until_killed(profile, id, 'files', 0, synced);
            killable = await Killable.launch(profile);
            page = await open_page(killable.context);
            await volumes(page, 'open', id);
            await run(page, id, 'verify files', 0, synced);
            await killable.kill();
        }
        console.log(`    ${store}: ${synced} files over ${kill_rounds} kills`);
    });
}

const good = await run_tests({
    after_each: async () => {
        const page = await context.newPage();
        const session = await context.newCDPSession(page);
        const { origin } = new URL(address);
        for (const other of context.pages()) if (other !== page) await other.close();
        await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
        await page.close();
    },
});
await browser.close();
server.close();
process.exit(good ? 0 : 1);
