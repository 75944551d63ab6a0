// SPDX-License-Identifier: MIT
// The page in Chromium, as a user sees it and as assistive technology reads it; values are judged by the
// native command line on the same image. Screenshots go to out/screenshots.
import {
    appendFileSync,
    closeSync,
    ftruncateSync,
    mkdirSync,
    openSync,
    readFileSync,
    statSync,
    utimesSync,
    writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
    check,
    cli_json,
    equal,
    make_btrfs,
    needs_images,
    root,
    run_tests,
    sample_file,
    scratch,
    screenshot_path,
    serve,
    sha256,
    sleep,
    test,
} from './harness.mjs';
import { launch, Page } from './chromium.mjs';

const server = await serve();
let browser = await launch();
const open = (options) => Page.open(browser, server.address, options);
let page; // of the running test

const field_of = ({ name, offset, size, value, meaning }) => ({
    name,
    offset,
    size,
    value,
    meaning: meaning ?? '',
});

// The fields that the command line decodes of a block, header first.
function block_of_cli(files, addr) {
    const [image, ...more] = files;
    return cli_json('dump', image, ...more.flatMap((file) => ['-d', file]), '--block', addr, '--json')[0];
}

async function select_tree(name) {
    await page.act({ do: 'workspace', name: 'Trees' });
    await page.until(
        (state) => state.navigator.rows?.some((row) => row.kind === 'tree'),
        'the trees are listed',
    );
    await page.tab
        .locator('#tree [role=treeitem]', { hasText: name })
        .first()
        .evaluate((row) => row.click());
    await page.settled();
}

// Clicks on the stage, from its lower middle outwards, until a leaf is selected: where it is drawn is the
// canvas's affair.
async function click_a_leaf() {
    const { width, height } = page.tab.viewportSize();
    for (const y of [0.3, 0.36, 0.42, 0.48, 0.54, 0.24, 0.6]) {
        for (const x of [0.45, 0.3, 0.55, 0.38, 0.62, 0.22]) {
            await page.tab.mouse.click(x * width, y * height);
            await page.settled(300);
            const { selection, inspector } = await page.state();
            if (selection.block && /leaf/i.test(inspector.title ?? '')) return selection.block;
        }
    }
    throw new Error('no click on the stage selected a leaf');
}

async function compare_block_with_cli(files, addr) {
    await page.until(
        (state, wanted) => state.selection.block === wanted && state.inspector.fields?.length > 4,
        'the inspector shows the block',
        10000,
        addr,
    );
    const dumped = block_of_cli(files, addr);
    const wanted = dumped.fields ?? dumped.header;
    const shown = (await page.fields()).map(field_of);
    check(shown.length >= 8, `the inspector shows only ${shown.length} fields`);
    for (const field of wanted.map(field_of)) {
        const same = shown.find((other) => other.name === field.name && other.offset === field.offset);
        equal(same, field, `field ${field.name} of block ${addr}`);
    }
    const state = await page.state();
    if (state.inspector.items?.length) {
        const by_slot = new Map(dumped.items.map((item) => [item.slot, item]));
        for (const item of state.inspector.items) {
            const other = by_slot.get(item.slot);
            check(other, `slot ${item.slot} of block ${addr} is not in the dump`);
        }
    }
    return dumped;
}

test('page: the sample opens by itself, with files, trees and a headline', async () => {
    page = await open();
    await page.settled();
    const state = await page.state();
    equal(
        [state.state, state.workspace, state.volume.format, state.volume.label],
        ['open', 'Files', 'btrfs', 'sample'],
        'state',
    );
    const names = await page.tab.$$eval('#tree [role=treeitem]', (rows) =>
        rows.map((row) => row.children[0].textContent),
    );
    for (const name of ['docs', 'photos', 'src', 'data', 'README.md', 'Makefile'])
        check(names.includes(name), `${name} is not in the navigator: ${names}`);
    check((await page.text('#headline-title')).length > 10, 'the headline is empty');
    check(state.headline.title.length <= 75, `the headline has ${state.headline.title.length} characters`);
    equal(page.errors, [], 'errors of the page');
});

test('page: a leaf clicked in Trees shows the fields that the command line decodes', async () => {
    page = await open();
    await select_tree('FS_TREE');
    const addr = await click_a_leaf();
    const dumped = await compare_block_with_cli([sample_file()], addr);
    equal(dumped.level, 0, 'level of the block clicked');
    check((await page.text('#inspector-title')).includes(addr), 'the title names another block');
});

test('page: a block chosen in the mirror is the one that is shown, with its bytes', async () => {
    page = await open();
    const sample = sample_file();
    await select_tree('FS_TREE');
    const tree = cli_json('dump', sample, '--tree', '5', '--json');
    const leaf = tree.filter((line) => line.block && line.level === 0).at(-1);
    await page.act({ do: 'block', addr: String(leaf.block) });
    await compare_block_with_cli([sample], String(leaf.block));
    await page.act({ do: 'slot', addr: String(leaf.block), slot: 0 });
    await page.until((state) => state.selection.slot === 0, 'slot 0 is selected');
    await page.settled();
    const shown = (await page.fields()).map(field_of);
    const wanted = leaf.items[0].fields ?? block_of_cli([sample], String(leaf.block)).items[0].fields;
    check(wanted.length > 0, 'the command line decodes no field of the item');
    for (const field of wanted.map(field_of)) {
        check(
            shown.some((other) => JSON.stringify(other) === JSON.stringify(field)),
            `field ${JSON.stringify(field)} of slot 0 is not shown`,
        );
    }
});

test('page: an image given through the file input is read in place', async () => {
    const files = needs_images('kb-csum-blake2');
    page = await open();
    await page.open_files(files);
    await page.settled();
    const state = await page.state();
    equal([state.state, state.volume.checksum_type], ['open', 'blake2b'], 'state');
    await select_tree('FS_TREE');
    const root = cli_json('dump', files[0], '--tree', '5', '--json').find((line) => line.block);
    await page.act({ do: 'block', addr: String(root.block) });
    await compare_block_with_cli(files, String(root.block));
});

test('page: the devices of one volume are opened together, in any order', async () => {
    const files = needs_images('kb-raid1');
    page = await open();
    await page.open_files([...files].reverse());
    const state = await page.state();
    equal(state.state, 'open', 'state');
    equal(
        state.volume.devices.map((device) => device.missing),
        [false, false],
        'devices missing',
    );
});

test('page: one of two RAID1 devices is enough, and the missing one is named', async () => {
    const files = needs_images('kb-raid1');
    page = await open();
    await page.open_files(files.slice(0, 1));
    const state = await page.state();
    equal(state.state, 'open', 'state');
    equal(state.volume.devices.map((device) => device.missing).sort(), [false, true], 'devices missing');
});

test('page: a device of 300 GiB opens, and its last superblock is found', async () => {
    const file = make_btrfs('large.img', 300 * 2 ** 30, join(root, 'assets/sample/docs'));
    page = await open();
    await page.open_files([file]);
    const state = await page.state();
    equal(state.state, 'open', `state (${state.error})`);
    equal(Number(state.volume.total), 300 * 2 ** 30, 'size of the volume');
});

test('page: an image dropped on the page opens', async () => {
    page = await open();
    // The sample again, put together in the page as a File of its own: empty ranges are one piece, repeated.
    const transfer = await page.tab.evaluateHandle(async () => {
        const response = await fetch('sample.packed.gz');
        const stream = response.body.pipeThrough(new DecompressionStream('gzip'));
        const packed = await new Response(stream).arrayBuffer();
        const view = new DataView(packed);
        const zeros = new Blob([new Uint8Array(1 << 20)]);
        const parts = [];
        let end = 0;
        const fill = (to) => {
            for (; end < to; end = Math.min(to, end + zeros.size))
                parts.push(zeros.slice(0, Math.min(zeros.size, to - end)));
        };
        for (let at = 16; at < packed.byteLength;) {
            const length = Number(view.getBigUint64(at + 8, true));
            fill(Number(view.getBigUint64(at, true)));
            parts.push(new Uint8Array(packed, at + 16, length));
            end += length;
            at += 16 + length;
        }
        fill(Number(view.getBigUint64(8, true)));
        const data = new DataTransfer();
        data.items.add(new File(parts, 'dropped.img'));
        return data;
    });
    await page.tab.dispatchEvent('body', 'dragenter', { dataTransfer: transfer });
    check(await page.tab.locator('#drop').isVisible(), 'dragging shows no drop area');
    await page.opening(() => page.tab.dispatchEvent('body', 'drop', { dataTransfer: transfer }));
    const state = await page.state();
    equal([state.state, state.volume?.name], ['open', 'dropped.img'], 'state');
    check(!(await page.tab.locator('#drop').isVisible()), 'the drop area stays');
});

for (const [what, make] of [
    ['random bytes', () => randomBytes(1 << 20)],
    ['an empty file', () => Buffer.alloc(0)],
    ['a text file', () => Buffer.from('this is no image\n')],
]) {
    test(`page: ${what} give one clear error, and the page goes on`, async () => {
        const file = join(scratch, 'wrong.img');
        writeFileSync(file, make());
        page = await open();
        await page.open_files([file]);
        const state = await page.state();
        equal(state.state, 'failed', 'state');
        check(
            state.error.length > 10 && state.error.length < 300 && !state.error.includes('\n'),
            `the error is "${state.error}"`,
        );
        equal(page.errors, [], 'errors of the page');
        await page.open_files([sample_file()]);
        equal((await page.state()).state, 'open', 'state after a right file');
    });
}

test('page: an ext4 image gives one clear error', async () => {
    const file = join(scratch, 'ext4.img');
    writeFileSync(file, '');
    const fd = openSync(file, 'r+');
    ftruncateSync(fd, 16 << 20);
    closeSync(fd);
    execFileSync('mkfs.ext4', ['-q', '-F', file], {
        env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
        stdio: 'ignore',
    });
    page = await open();
    await page.open_files([file]);
    const state = await page.state();
    equal(state.state, 'failed', 'state');
    check(/ext4/.test(state.error), `the error doesn't name ext4: "${state.error}"`);
});

test('page: a file that changes after it was opened is reported as such', async () => {
    const folder = join(scratch, 'changing');
    mkdirSync(folder, { recursive: true });
    for (let i = 0; i < 40; ++i) writeFileSync(join(folder, `file-${i}.bin`), randomBytes(200000));
    const file = make_btrfs('changing.img', 256 << 20, folder);
    page = await open();
    await page.open_files([file]);
    await page.settled();
    await sleep(1100);
    appendFileSync(file, 'x');
    utimesSync(file, new Date(), new Date());
    await page.act({ do: 'console', open: true });
    await page.act({ do: 'command', line: 'cat /file-33.bin' });
    await page.until(
        (state) => state.console.entries.length && !state.console.entries.at(-1).running,
        'the command ends',
    );
    const entry = (await page.state()).console.entries.at(-1);
    check(/changed, moved or removed/.test(entry.errors), `the error is "${entry.errors}"`);
});

test('page: extracting a file downloads its bytes, and a folder a tar of them', async () => {
    page = await open();
    const folder = join(root, 'assets/sample');
    let download = page.tab.waitForEvent('download');
    await page.act({ do: 'extract', path: '/data/mandelbrot.pgm' });
    let saved = await download;
    equal(saved.suggestedFilename(), 'mandelbrot.pgm', 'name');
    equal(
        sha256(readFileSync(await saved.path())),
        sha256(readFileSync(join(folder, 'data/mandelbrot.pgm'))),
        'sha256',
    );

    download = page.tab.waitForEvent('download');
    await page.act({ do: 'extract', path: '/src' });
    saved = await download;
    equal(saved.suggestedFilename(), 'src.tar', 'name');
    const unpacked = join(scratch, 'unpacked');
    mkdirSync(unpacked, { recursive: true });
    execFileSync('tar', ['-xf', await saved.path(), '-C', unpacked]);
    execFileSync('diff', ['-r', join(folder, 'src'), join(unpacked, 'src')]);
});

test('page: keys choose workspaces, and Tab leaves the canvas for the mirror', async () => {
    page = await open();
    await page.tab.locator('#canvas').focus();
    await page.tab.keyboard.press('2');
    await page.until((state) => state.workspace === 'Trees', 'key 2 shows Trees');
    await page.tab.keyboard.press('1');
    await page.until((state) => state.workspace === 'Files', 'key 1 shows Files');
    await page.tab.keyboard.press('Tab');
    check(await page.tab.evaluate(() => document.activeElement.id !== 'canvas'), 'Tab stays on the canvas');
    await page.tab.locator('#tabs [role=tab]').first().focus();
    await page.tab.keyboard.press('ArrowRight');
    await page.tab.keyboard.press('Enter');
    await page.until((state) => state.workspace === 'Trees', 'Enter on the tab Trees shows Trees');
    await page.tab.locator('#tree [role=treeitem][tabindex="0"]').first().focus();
    await page.tab.keyboard.press('End');
    await page.tab.keyboard.press('Enter');
    const chosen = await page.tab.evaluate(() => document.activeElement.dataset.id);
    await page.until(
        (state, id) => state.navigator.rows.some((row) => row.id === id && row.selected),
        'Enter in the tree selects the row',
        5000,
        chosen,
    );
});

test('page: the console is a DOM input that runs the commands of the command line', async () => {
    page = await open();
    await page.act({ do: 'console', open: true });
    await page.tab.locator('#console-input').waitFor({ state: 'visible' });
    await page.tab.locator('#console-input').fill('cat /README.md');
    await page.tab.keyboard.press('Enter');
    await page.until(
        (state) => state.console.entries.length && !state.console.entries.at(-1).running,
        'the command ends',
    );
    const output = await page.tab
        .locator('#console-log > div')
        .last()
        .locator('pre')
        .first()
        .evaluate((element) => element.textContent);
    equal(output.trim(), readFileSync(join(root, 'assets/sample/README.md'), 'utf8').trim(), 'output');
    await page.tab.locator('#console-input').fill('stat /nothing-here');
    await page.tab.keyboard.press('Enter');
    await page.until(
        (state) => state.console.entries.length === 2 && !state.console.entries[1].running,
        'the command ends',
    );
    const failed = (await page.state()).console.entries[1];
    check(failed.status !== 0 && /no such file/.test(failed.errors), `the error is "${failed.errors}"`);
    await page.tab.keyboard.press('ArrowUp');
    await page.tab.keyboard.press('ArrowUp');
    equal(await page.tab.locator('#console-input').inputValue(), 'cat /README.md', 'line recalled');
    await page.tab.keyboard.press('Escape');
    await page.tab.locator('#console-input').waitFor({ state: 'hidden' });
});

test("page: the theme is the system's, follows it, and is remembered when chosen", async () => {
    page = await open({ theme: 'light' });
    equal((await page.state()).theme, 'light', 'theme at the start');
    await page.tab.emulateMedia({ colorScheme: 'dark' });
    await page.until((state) => state.theme === 'dark', 'the theme follows the system');
    await page.act({ do: 'theme', name: 'light' });
    await page.until((state) => state.theme === 'light', 'the theme is the chosen one');
    await page.tab.reload();
    await page.until((state) => state.state === 'open', 'the page is open again');
    equal((await page.state()).theme, 'light', 'theme after a reload');
});

test('page: what the inspector shows can be copied as text', async () => {
    page = await open();
    await select_tree('FS_TREE');
    const addr = await click_a_leaf();
    await page.settled();
    await page.tab.locator('#tool-copy').focus();
    await page.tab.keyboard.press('Enter');
    let text = '';
    for (let i = 0; i < 40 && !text; ++i) {
        await sleep(100);
        text = await page.tab.evaluate(() => navigator.clipboard.readText());
    }
    check(text.includes(addr) && /generation/i.test(text), `the clipboard holds "${text.slice(0, 200)}"`);
});

test("page: the canvas has a pixel for each of the screen's", async () => {
    page = await open({ size: [1280, 800], ratio: 2 });
    equal(await page.tab.$eval('#canvas', (canvas) => [canvas.width, canvas.height]), [2560, 1600], 'canvas');
    await page.tab.setViewportSize({ width: 1100, height: 700 });
    await page.tab.waitForFunction(
        () =>
            document.getElementById('canvas').width === 2200 &&
            document.getElementById('canvas').height === 1400,
    );
});

for (const [what, init, words] of [
    [
        'WebGL 2',
        () => {
            const original = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                return kind === 'webgl2' ? null : original.call(this, kind, ...rest);
            };
        },
        /WebGL 2/,
    ],
    [
        'shared memory',
        () => {
            delete window.SharedArrayBuffer;
        },
        /isolate/,
    ],
    [
        'WebAssembly',
        () => {
            delete window.WebAssembly;
        },
        /WebAssembly/,
    ],
]) {
    test(`page: a browser without ${what} is told so`, async () => {
        page = await open({ wait: false, init });
        await page.tab.locator('#problem').waitFor({ state: 'visible' });
        check(
            words.test(await page.text('#problem-title')),
            `the title is "${await page.text('#problem-title')}"`,
        );
    });
}

test('page: a server that does not isolate the page is named as the cause', async () => {
    page = await open({ wait: false, serviceWorkers: 'block' });
    await page.context.route('**/*', async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers() };
        delete headers['cross-origin-opener-policy'];
        delete headers['cross-origin-embedder-policy'];
        await route.fulfill({ response, headers });
    });
    await page.tab.goto(server.address);
    await page.tab.locator('#problem').waitFor({ state: 'visible' });
    check(/isolate/.test(await page.text('#problem-title')), 'the title names another cause');
    await page.context.unrouteAll({ behavior: 'ignoreErrors' }); // requests that are still on their way
});

for (const theme of ['dark', 'light']) {
    for (const size of [
        [1600, 1000],
        [1280, 800],
        [1024, 640],
    ]) {
        test(`page: pictures at ${size.join('x')}, ${theme}`, async () => {
            page = await open({ size, theme });
            await page.act({ do: 'path', path: '/README.md' });
            await page.settled();
            await page.tab.screenshot({ path: screenshot_path(`page-files-${size.join('x')}-${theme}.png`) });
            await select_tree('FS_TREE');
            await click_a_leaf();
            await page.settled();
            await sleep(400);
            const file = screenshot_path(`page-trees-${size.join('x')}-${theme}.png`);
            await page.tab.screenshot({ path: file });
            check(statSync(file).size > 20000, 'the picture is empty');
        });
    }
}

const good = await run_tests({
    before_each: async () => {
        page = undefined;
        if (!browser.isConnected()) browser = await launch(); // a crash is one failure, not all that follow
    },
    after_each: () => page?.close().catch(() => {}),
    failed: async (name) => {
        await page?.tab
            ?.screenshot({
                path: screenshot_path(`failed-${name.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 60)}.png`),
            })
            .catch(() => {});
    },
});
await browser.close();
server.close();
process.exit(good ? 0 : 1);
