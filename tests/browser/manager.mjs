// SPDX-License-Identifier: MIT
// The volume manager and work on files, in Chromium: through the dialogs and lists of the mirror, with real
// files dropped on the page. What comes out is judged by btrfs check and by the kernel.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, run_tests, scratch, screenshot_path, serve, sha256, test } from './harness.mjs';
import { launch, Page } from './chromium.mjs';

const server = await serve();
const browser = await launch();
const MIB = 1 << 20;
const tools = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
let page;

const run_tool = (name, ...words) =>
    execFileSync(name, words, { env: tools, stdio: ['ignore', 'pipe', 'pipe'] }).toString();

function check_by_linux(file) {
    check(/no error found/.test(run_tool('btrfs', 'check', file)), 'btrfs check');
}

// The content of an image as the kernel mounts it: path -> sha256, or "dir".
function by_the_kernel(file) {
    const folder = `${file}.mount`;
    mkdirSync(folder);
    run_tool('mount', '-o', 'loop,ro', file, folder);
    try {
        const found = {};
        for (const path of readdirSync(folder, { recursive: true })) {
            const full = join(folder, path);
            found[path] = statSync(full).isDirectory() ? 'dir' : sha256(readFileSync(full));
        }
        return found;
    } finally {
        run_tool('umount', folder);
    }
}

const press = (id) => page.act({ do: 'press', id });
const dialog_closed = () => page.until(({ dialog }) => dialog === null, 'the dialog is closed');
const opened = (label) =>
    page.until(
        (state, wanted) => state.state === 'open' && state.volume?.label === wanted,
        `the volume ${label} is open`,
        60000,
        label,
    );
const command_done = () =>
    page.until(
        ({ console: { entries } }) => entries.at(-1)?.status === 0 && !entries.at(-1).running,
        'the command has run',
    );
const field = (id) => page.tab.locator(`.text-field[data-field="${id}"]`);

async function new_volume(name, changes = {}) {
    await page.activate('#tool-new');
    await page.until(({ dialog }) => dialog?.id === 'new-volume', 'the dialog is there');
    await field('name').fill(name);
    for (const [id, value] of Object.entries(changes)) await page.act({ do: 'field', id, value });
    await page.until(({ dialog }) => dialog?.buttons[1].enabled, 'nothing is wrong');
    await press('create');
    await opened(name);
    await page.until(
        ({ volumes, in_memory }) => in_memory || volumes.rows.some(({ where }) => where === 'here'),
        'it is listed',
    );
}

// Asks for something about a file, fills in the name, and waits until it has been done.
async function by_name(what, of, name) {
    await page.act({ do: 'ask', what, of });
    await page.until(({ dialog }, wanted) => dialog?.id === wanted, `the dialog ${what}`, 30000, what);
    await field('name').fill(name);
    await field('name').press('Enter');
    await dialog_closed();
}

// Real files and folders of this computer, dropped in the middle of the page.
async function drop(...paths) {
    const session = await page.context.newCDPSession(page.tab);
    const { width, height } = page.tab.viewportSize();
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'])
        await session.send('Input.dispatchDragEvent', { type, x: width * 0.4, y: height * 0.55, data });
    await session.detach();
}
const job_done = (what) =>
    page.until(
        ({ jobs }, title) => jobs.some((job) => job.title === title && job.done),
        `the job ${what} is done`,
        180000,
        what,
    );
const job = async (title) => (await page.state()).jobs.findLast((one) => one.title === title);

async function save_download(act) {
    const [download] = await Promise.all([page.tab.waitForEvent('download', { timeout: 60000 }), act()]);
    const file = join(scratch, `${createHash('sha1').update(String(Math.random())).digest('hex')}.img`);
    await download.saveAs(file);
    return { file, name: download.suggestedFilename() };
}

function make_tree(name, count) {
    const top = join(scratch, name);
    const wanted = { [name]: 'dir' };
    mkdirSync(top);
    for (let i = 0; i < count; ++i) {
        const folder = `part-${i % 7}`;
        mkdirSync(join(top, folder), { recursive: true });
        const content = `file ${i}\n`.repeat((i % 50) + 1);
        writeFileSync(join(top, folder, `f${i}.txt`), content);
        wanted[`${name}/${folder}`] = 'dir';
        wanted[`${name}/${folder}/f${i}.txt`] = sha256(content);
    }
    return { top, wanted };
}

test('manager: a volume is made by the dialog, which says what is wrong before', async () => {
    page = await Page.open(browser, server.address);
    await page.activate('#tool-new');
    await page.until(({ dialog }) => dialog?.id === 'new-volume', 'the dialog is there');
    equal(await page.tab.locator('#dialog-title').textContent(), 'New volume', 'title in the mirror');
    await field('size').fill('80 MiB');
    await page.until(({ dialog }) => dialog.fields[1].error === 'At least 81 MiB.', 'the minimum is named');
    check(await page.tab.locator('#dialog-buttons button').nth(1).isDisabled(), 'Create is disabled');
    await page.tab.screenshot({ path: screenshot_path('dialog-new-volume.png') });
    await field('size').fill('200 MiB');
    await page.tab
        .locator('#dialog-choices label[data-field=node] select')
        .evaluate((select) => {
            select.value = '4 KiB';
            select.onchange();
        });
    for (const [id, value] of [
        ['checksum', 'sha256'],
        ['devices', '2'],
        ['data', 'raid1'],
    ])
        await page.act({ do: 'field', id, value });
    await field('name').fill('made');
    await page.until(({ dialog }) => dialog.buttons[1].enabled, 'nothing is wrong any more');
    await field('name').press('Enter');
    await opened('made');
    const { volume, in_memory } = await page.state();
    equal(
        [volume.checksum_type, volume.block_size, volume.devices.length, volume.total, in_memory],
        ['sha256', 4096, 2, String(400 * MIB), false],
        'volume',
    );
    await page.until(
        ({ volumes }) => volumes.asked && volumes.rows.length === 1,
        'the browser was asked once',
    );
    equal((await page.state()).volumes.rows[0].where, 'here', 'where it is open');
    await page.act({ do: 'volumes', open: true });
    await page.settled();
    await page.tab.screenshot({ path: screenshot_path('volumes.png') });
    equal(page.errors, [], 'errors of the page');
});

test('manager: volumes are renamed, duplicated, closed, opened and deleted in the list', async () => {
    page = await Page.open(browser, server.address);
    await new_volume('first');
    await page.act({ do: 'command', line: 'write /a.txt "kept in both"' });
    await command_done();
    const id = (await page.state()).volumes.rows[0].id;
    await by_name('rename-volume', id, 'second');
    await page.until(({ volumes }) => volumes.rows[0].name === 'second', 'it has the new name');
    await by_name('duplicate-volume', id, 'third');
    await page.until(
        ({ volumes, state }) =>
            state === 'open' && volumes.rows.find(({ name }) => name === 'third')?.where === 'here',
        'the copy is open',
        60000,
    );
    equal((await page.state()).volumes.rows.find((row) => row.id === id).where, 'closed', 'the first one');
    await page.act({ do: 'command', line: 'cat /a.txt' });
    await command_done();
    equal((await page.state()).console.entries.at(-1).output, 'kept in both', 'the file in the copy');
    const third = (await page.state()).volumes.rows.find(({ name }) => name === 'third');
    await page.act({ do: 'volume', verb: 'delete', id: third.id });
    await page.until(({ dialog }) => dialog?.id === 'delete-volume', 'it asks first');
    await press('cancel');
    await dialog_closed();
    equal((await page.state()).volumes.rows.length, 2, 'volumes when it was not meant');
    await page.act({ do: 'volume', verb: 'delete', id: third.id });
    await page.until(({ dialog }) => dialog?.id === 'delete-volume', 'it asks again');
    await press('delete');
    await page.until(({ volumes }) => volumes.rows.length === 1, 'it is gone');
    await page.act({ do: 'volume', verb: 'open', id });
    await opened('first');
});

test('manager: files by dialogs, each an operation, in an exported image that Linux mounts', async () => {
    page = await Page.open(browser, server.address);
    await new_volume('worked', { node: '4 KiB' });
    await by_name('new-folder', '/', "it's; odd");
    await by_name('new-file', "/it's; odd", 'note.txt');
    await page.act({ do: 'ask', what: 'edit', of: "/it's; odd/note.txt" });
    await page.until(({ dialog }) => dialog?.id === 'edit', 'the text is there');
    const text = 'Grüße\n\tfrom a real textarea\n'.repeat(300);
    await field('text').fill(text);
    await page.tab.screenshot({ path: screenshot_path('dialog-edit.png') });
    await field('text').press('Control+s');
    await dialog_closed();
    await by_name('rename', "/it's; odd/note.txt", 'kept.txt');
    await by_name('new-file', '/', 'gone');
    await page.act({ do: 'ask', what: 'delete', of: '/gone' });
    await page.until(({ dialog }) => dialog?.id === 'delete', 'it asks first');
    await press('delete');
    await dialog_closed();
    const bytes = Buffer.byteLength(text).toLocaleString('en');
    const odd = String.raw`/it\'s\;\ odd`;
    equal(
        (await page.state()).timeline.operations.map(({ name }) => name),
        [
            `mkdir ${odd}`,
            `create ${odd}/note.txt`,
            `write ${odd}/note.txt, ${bytes} bytes`,
            `mv -n -T ${odd}/note.txt ${odd}/kept.txt`,
            'create /gone',
            'rm /gone',
        ],
        'operations',
    );
    const { file, name } = await save_download(() => page.act({ do: 'export' }));
    equal([name, statSync(file).size], ['worked.img', 128 * MIB], 'image');
    check_by_linux(file);
    equal(
        by_the_kernel(file),
        { "it's; odd": 'dir', "it's; odd/kept.txt": sha256(text) },
        'what the kernel sees',
    );
    const extracted = await save_download(() => page.act({ do: 'extract', path: "/it's; odd/kept.txt" }));
    equal(readFileSync(extracted.file, 'utf8'), text, 'the file, extracted from the live volume');
});

test('manager: 500 files are dropped as a folder, and the closed volume is exported', async () => {
    page = await Page.open(browser, server.address);
    await new_volume('filled');
    const { top, wanted } = make_tree('tree', 500);
    await drop(top);
    await job_done('tree');
    const done = await job('tree');
    equal(
        [done.error, done.files_done, done.files_total, done.files_failed],
        ['', 500, 500, 0],
        'the copy',
    );
    const id = (await page.state()).volumes.rows[0].id;
    await page.act({ do: 'volume', verb: 'close', id });
    await page.until(({ volumes }) => volumes.rows[0].where === 'closed', 'it is closed');
    const { file } = await save_download(() => page.act({ do: 'volume', verb: 'export', id }));
    check_by_linux(file);
    const sorted = (tree) => Object.entries(tree).sort();
    equal(sorted(by_the_kernel(file)), sorted(wanted), 'what the kernel sees');
});

test('manager: a cancelled drop keeps what is whole; a full volume says so once and can delete', async () => {
    page = await Page.open(browser, server.address);
    await new_volume('roomy', { size: '1 GiB' });
    const top = join(scratch, 'large');
    mkdirSync(top);
    for (let i = 0; i < 60; ++i) writeFileSync(join(top, `m${i}`), Buffer.alloc(2 * MIB, i + 1));
    await drop(top);
    await page.until(({ jobs }) => jobs.some(({ files_done }) => files_done >= 2), 'it has begun');
    await page.act({ do: 'cancel' });
    await job_done('large');
    const cancelled = await job('large');
    check(/cancelled/.test(cancelled.error), `it says "${cancelled.error}"`);
    check(cancelled.files_done < 60, `${cancelled.files_done} files were copied`);
    await new_volume('small', { size: '96 MiB' });
    await drop(top);
    await page.until(({ dialog }) => dialog?.title === 'Copying has stopped', 'it is full', 60000);
    const { dialog } = await page.state();
    const said = /no space left: the volume is full; \d+ of 60 files were copied and stay/;
    check(said.test(dialog.text), dialog.text);
    await page.tab.screenshot({ path: screenshot_path('dialog-full.png') });
    await press('cancel');
    await page.act({ do: 'command', line: 'rm -r /large; sync; write /after ok; sync' });
    await command_done();
    const { file } = await save_download(() => page.act({ do: 'export' }));
    check_by_linux(file);
    equal(by_the_kernel(file), { after: sha256('ok') }, 'what the kernel sees');
});

test('manager: an image dropped on a volume asks; packed ones open, or say which can', async () => {
    page = await Page.open(browser, server.address);
    await new_volume('asking');
    await by_name('new-folder', '/', 'inside');
    const { file } = await save_download(() => page.act({ do: 'export' }));
    const image = join(scratch, 'asking.img');
    execFileSync('mv', [file, image]);
    await drop(image);
    await page.until(({ dialog }) => dialog?.id === 'drop', 'it asks');
    await press('copy');
    await job_done('asking.img');
    execFileSync('gzip', ['-kf', image]);
    execFileSync('zstd', ['-qf', image, '-o', `${image}.zst`]);
    for (const packed of [`${image}.gz`, `${image}.zst`]) {
        check(existsSync(packed), `${packed} is there`);
        await page.open_files([packed]);
        await page.settled();
        const state = await page.state();
        equal([state.state, state.volume?.label], ['open', 'asking'], `${packed} (${state.error})`);
        equal(
            state.navigator.rows.map(({ name }) => name),
            ['inside'],
            'files',
        );
    }
    const xz = join(scratch, 'asking.img.xz');
    writeFileSync(xz, Buffer.from('fd377a585a0000046922de36', 'hex'));
    await page.open_files([xz]);
    const refused = await page.state();
    equal(refused.state, 'failed', 'state');
    check(/xz/.test(refused.error) && /gzip and zstd/.test(refused.error), refused.error);
});

test('manager: without storage a volume runs in memory, and its image can be kept', async () => {
    const init = () => {
        Object.defineProperty(IDBFactory.prototype, 'open', {
            value: () => {
                throw new DOMException('storage is off', 'SecurityError');
            },
        });
    };
    page = await Page.open(browser, server.address, { init });
    await page.until(({ volumes }) => /storage is off/.test(volumes.line), 'nothing is kept');
    await new_volume('fleeting');
    const state = await page.state();
    const said = 'Running in memory: closing loses it. Export image keeps it.';
    equal([state.in_memory, state.headline.reason], [true, said], 'state');
    const { file } = await save_download(() => page.act({ do: 'export' }));
    check_by_linux(file);
});

const good = await run_tests({ after_each: () => page?.close().catch(() => {}) });
await browser.close();
server.close();
process.exit(good ? 0 : 1);
