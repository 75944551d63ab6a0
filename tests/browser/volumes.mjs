// SPDX-License-Identifier: MIT
// Volumes that live in the page, in Chromium: made, opened again, exported and judged by Linux's tools,
// handed from tab to tab.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { check, equal, run_tests, scratch, screenshot_path, serve, test } from './harness.mjs';
import { launch, Page } from './chromium.mjs';

const server = await serve();
const browser = await launch();
const MIB = 1 << 20;
const tools = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
let page;

const volumes = (tab, method, ...args) =>
    tab.evaluate(([name, list]) => window.Module.page.volumes[name](...list), [method, args]);
const opened = (one, label) =>
    one.until(
        (state, wanted) => state.state === 'open' && state.volume?.label === wanted,
        `the volume ${label} is open`,
        60000,
        label,
    );

// Saves the devices of a closed volume as files, as a user would get them.
async function export_to_files(id) {
    const files = [];
    const count = (await volumes(page.tab, 'list')).find((one) => one.id === id).devices.length;
    for (let device = 0; device < count; ++device) {
        const download = page.tab.waitForEvent('download');
        await page.tab.evaluate(
            async ([one, number]) => {
                const blobs = await window.Module.page.volumes.export(one);
                const link = document.createElement('a');
                link.href = URL.createObjectURL(blobs[number]);
                link.download = `device-${number}.img`;
                link.click();
            },
            [id, device],
        );
        const file = join(scratch, `${id}-${device}.img`);
        await (await download).saveAs(file);
        files.push(file);
    }
    return files;
}

function check_by_linux(file) {
    const said = execFileSync('btrfs', ['check', file], { env: tools, stdio: ['ignore', 'pipe', 'pipe'] });
    check(/no error found/.test(said.toString()), `btrfs check: ${said}`);
}

for (const store of ['opfs', 'indexeddb']) {
    test(`volumes/${store}: one made here is there after a reload, and Linux finds it clean`, async () => {
        page = await Page.open(browser, server.address);
        const format = { label: `home-${store}`, checksum: 'xxhash', node_size: 32768 };
        const id = await volumes(page.tab, 'create', { name: 'home', store, devices: [256 * MIB], format });
        await opened(page, format.label);
        equal((await page.state()).volume.checksum_type, 'xxhash64', 'checksum type');
        await page.tab.screenshot({ path: screenshot_path(`volume-${store}.png`) });
        await page.tab.reload();
        await opened(page, 'sample');
        await volumes(page.tab, 'open', id);
        await opened(page, format.label);
        await volumes(page.tab, 'close', id);
        const [file] = await export_to_files(id);
        check_by_linux(file);
    });
}

test('volumes: several devices make one volume, mirrored', async () => {
    page = await Page.open(browser, server.address);
    const devices = [200 * MIB, 220 * MIB];
    const format = { label: 'pair', metadata: 'raid1', data: 'raid1' };
    const id = await volumes(page.tab, 'create', { name: 'pair', store: 'opfs', devices, format });
    await opened(page, 'pair');
    equal((await page.state()).volume.devices.length, 2, 'devices');
    await volumes(page.tab, 'close', id);
    const files = await export_to_files(id);
    check_by_linux(files[0]);
});

test('volumes: a format that is refused leaves no volume and one clear error', async () => {
    page = await Page.open(browser, server.address);
    const wrong = await page.tab.evaluate(() =>
        window.Module.page.volumes
            .create({ name: 'bad', store: 'opfs', devices: [1 << 20], format: { metadata: 'raid7' } })
            .then(
                () => 'made',
                ({ code, message }) => `${code}: ${message}`,
            ),
    );
    check(/^failed: .*raid7/.test(wrong), `the answer is "${wrong}"`);
    equal(await volumes(page.tab, 'list'), [], 'volumes');
});

test('volumes: a second tab takes it over, and the first one says so', async () => {
    page = await Page.open(browser, server.address);
    const format = { label: 'fought' };
    const made = { name: 'fought', store: 'opfs', devices: [128 * MIB], format };
    const id = await volumes(page.tab, 'create', made);
    await opened(page, 'fought');
    const other = new Page();
    other.context = page.context;
    other.tab = await page.context.newPage();
    await other.tab.goto(server.address);
    await opened(other, 'sample');
    await volumes(other.tab, 'open', id, { take_over: true });
    await opened(other, 'fought');
    await page.tab.bringToFront();
    await page.until((state) => state.state === 'failed', 'the first tab has lost it');
    check(/another tab/.test((await page.state()).error), `it says "${(await page.state()).error}"`);
});

test('volumes: work done by the console is stepped through, and is there after a reload', async () => {
    page = await Page.open(browser, server.address);
    const format = { label: 'worked', node_size: 4096 };
    const id = await volumes(page.tab, 'create', { name: 'worked', devices: [128 * MIB], format });
    await opened(page, 'worked');
    for (const line of ['mkdir /photos', 'write /photos/a.txt "hello"', 'sync', 'mkdir /letters']) {
        await page.act({ do: 'command', line });
        await page.until(
            ({ console: { entries } }, wanted) =>
                entries.at(-1)?.line === wanted && !entries.at(-1).running && entries.at(-1).status === 0,
            `"${line}" has run`,
            30000,
            line,
        );
    }
    await page.until(({ timeline }) => timeline?.operations.length === 4, 'four operations');
    const { timeline } = await page.state();
    equal(
        timeline.operations.map(({ name }) => name),
        ['mkdir /photos', 'write /photos/a.txt "hello"', 'sync', 'mkdir /letters'],
        'operations',
    );
    const rows = ({ navigator }) => navigator.rows?.map(({ name }) => name);
    await page.act({ do: 'go_to', position: timeline.operations[0].end });
    await page.until(
        ({ navigator }) => navigator.rows?.some(({ name }) => name === 'FS_TREE' || name === 'photos'),
        'the past is shown',
    );
    await page.act({ do: 'workspace', name: 'Files' });
    await page.until(
        ({ navigator }) =>
            navigator.rows?.some(({ name }) => name === 'photos') &&
            !navigator.rows.some(({ name }) => name === 'letters'),
        'the past has photos and no letters',
    );
    await page.act({ do: 'go_to', position: timeline.operations[0].begin });
    await page.until(
        ({ navigator }) => !navigator.rows?.some(({ name }) => name === 'photos'),
        'before it there is nothing',
    );
    await page.act({ do: 'go_to', position: timeline.operations[3].end });
    await page.act({ do: 'workspace', name: 'Trees' });
    await page.settled();
    await page.tab.screenshot({ path: screenshot_path('volume-steps.png') });
    await page.act({ do: 'go_to', position: timeline.end });
    await volumes(page.tab, 'close', id);
    await page.tab.reload();
    await opened(page, 'sample');
    await volumes(page.tab, 'open', id);
    await opened(page, 'worked');
    await page.until(({ navigator }) => navigator.rows?.length === 2, 'both folders are there');
    equal(rows(await page.state()).sort(), ['letters', 'photos'], 'files');
    await page.act({ do: 'command', line: 'cat /photos/a.txt' });
    await page.until(({ console: { entries } }) => /hello/.test(entries.at(-1)?.output), 'the file is read');
    await volumes(page.tab, 'close', id);
    const [file] = await export_to_files(id);
    check_by_linux(file);
});

const good = await run_tests({ after_each: () => page?.close().catch(() => {}) });
await browser.close();
server.close();
process.exit(good ? 0 : 1);
