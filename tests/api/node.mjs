// SPDX-License-Identifier: MIT
// The package in node: as node's own fs answers, volumes in memory and in image files that Linux accepts, and
// isomorphic-git.
import { createHash } from 'node:crypto';
import {
    promises as host,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    readdirSync,
    statSync,
    writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
    check,
    equal,
    glassfs,
    judge,
    load_package,
    mounted,
    require_here,
    run_tests,
    scratch,
    test,
} from './harness.mjs';
import { answers } from './as_node.mjs';
import { git_workload } from './git.mjs';

const { open } = await load_package();
const git = require_here('isomorphic-git');

const code_of = (promise) =>
    promise.then(
        () => 'done',
        (error) => error.code,
    );
const mount_point = (name) => {
    const folder = join(scratch, `${name}.mnt`);
    mkdirSync(folder);
    return folder;
};
function as_kernel_shows(image, name, look) {
    const why = mounted(image, mount_point(name), look);
    if (why && process.env.CI) throw new Error(`no kernel mount: ${why}`);
    if (why) console.log(`no kernel mount: ${why}`);
}

test('calls give what node gives', async () => {
    process.umask(0o022);
    const top = mkdtempSync(join(scratch, 'as-node-'));
    const wanted = await answers(host, top);
    const fs = await open({ store: 'memory' });
    await fs.mkdir('/top');
    const got = await answers(fs, '/top');
    for (const [i, answer] of wanted.entries()) equal(got[i], answer, answer[0]);
    check((await fs.check()).clean, 'check finds something');
    await fs.close();
});

test('callbacks', async () => {
    const fs = await open();
    const result = (name, ...rest) => new Promise((done) => fs[name](...rest, (...given) => done(given)));
    equal(await result('mkdir', '/a'), [null, null], 'mkdir');
    equal(await result('writeFile', '/a/b', 'text', 'utf8'), [null, null], 'writeFile');
    equal(await result('readFile', '/a/b', 'utf8'), [null, 'text'], 'readFile');
    const [error] = await result('stat', '/none');
    equal(error.code, 'ENOENT', 'an error');
    await fs.close();
});

test('an image file: durable after sync, checked, mounted by Linux', async () => {
    const image = join(scratch, 'files.img');
    equal(await code_of(open({ name: image })), 'ENOENT', 'without create');
    const fs = await open({ name: image, create: true, size: 2 ** 30, uid: 7, gid: 8 });
    await fs.mkdir('/deep/er', { recursive: true });
    const noise = new Uint8Array(3 << 20).map((_, i) => (i * 2654435761) >>> 13);
    await fs.writeFile('/deep/noise', noise);
    await fs.writeFile('/deep/er/small', 'small');
    await fs.symlink('../noise', '/deep/er/link');
    await fs.utimes('/deep/er/small', 1, 1234567890.5);
    await fs.sync();
    const log = await fs.open('/log', 'a');
    for (let i = 0; i < 50; ++i) {
        await log.write(`${i}\n`);
        await log.sync();
    }
    // As a process that dies here leaves it.
    await host.copyFile(image, `${image}.copy`);
    await log.write('not synced');
    await log.close();
    await fs.close();
    for (const file of [`${image}.copy`, image]) judge(file, glassfs);
    as_kernel_shows(`${image}.copy`, 'copy', (top) => {
        equal(readFileSync(join(top, 'log'), 'utf8').split('\n').length, 51, 'lines that were synced');
        check(readFileSync(join(top, 'deep/er/link')).equals(noise), 'data differs');
    });
    as_kernel_shows(image, 'files', (top) => {
        check(readFileSync(join(top, 'log'), 'utf8').endsWith('49\nnot synced'), 'the log after close');
        const { mtimeMs, uid, gid, mode } = statSync(join(top, 'deep/er/small'));
        equal([mtimeMs, uid, gid, mode], [1234567890500, 7, 8, 0o100644], 'attributes');
    });
    const again = await open({ name: image });
    equal(await again.readFile('/deep/er/small', 'utf8'), 'small', 'opened again');
    check(Buffer.isBuffer(await again.readFile('/log')), 'not a Buffer');
    await again.close();
});

test('a change is committed by itself after the time that was asked for', async () => {
    const image = join(scratch, 'later.img');
    const fs = await open({ name: image, create: true, size: 256 << 20, commit: 1 });
    await fs.writeFile('/file', 'text');
    const hash = () =>
        createHash('sha256').update(readFileSync(image).subarray(65536, 69632)).digest('hex');
    for (const before = hash(); hash() === before; ) await new Promise((done) => setTimeout(done, 1));
    await host.copyFile(image, `${image}.copy`);
    await fs.close();
    const copy = await open({ name: `${image}.copy` });
    equal(await copy.readFile('/file', 'utf8'), 'text', 'what was committed');
    await copy.close();
});

test('snapshots, clones and rollback', async () => {
    const image = join(scratch, 'snapshots.img');
    const fs = await open({ name: image, create: true, size: 2 ** 30 });
    const big = new Uint8Array(1 << 20).fill(3);
    await fs.subvolume('/project');
    await fs.writeFile('/project/file', 'one');
    await fs.writeFile('/project/big', big);
    await fs.snapshot('/first', { source: '/project' });
    await fs.writeFile('/project/file', 'two');
    await fs.clone('/project', '/cloned');
    equal(await code_of(fs.writeFile('/first/file', 'x')), 'EROFS', 'writing to a read-only snapshot');
    await fs.rollback('/first', { subvolume: '/project' });
    equal(await fs.readFile('/project/file', 'utf8'), 'one', 'rolled back');
    await fs.writeFile('/project/file', 'two and a half');
    const { id } = (await fs.subvolumes()).find(({ path }) => path === 'first');
    await fs.rollback(id, { subvolume: '/project' });
    equal(await fs.readFile('/project/file', 'utf8'), 'one', 'rolled back by id');
    await fs.writeFile('/project/file', 'three');
    equal(await fs.readFile('/first/file', 'utf8'), 'one', 'the snapshot');
    equal(await fs.readFile('/cloned/file', 'utf8'), 'two', 'the clone');

    await fs.writeFile('/root', 'before');
    await fs.snapshot('/all');
    await fs.writeFile('/root', 'after');
    await fs.rollback('/all');
    equal(await fs.readFile('/root', 'utf8'), 'before', 'the root, rolled back');
    await fs.writeFile('/root', 'again');
    await fs.rollback('all');
    equal(await fs.readFile('/root', 'utf8'), 'before', 'the root, rolled back once more');
    equal(
        (await fs.subvolumes()).map(({ path, readOnly }) => [path, readOnly]).sort(),
        [
            ['', false],
            ['all', true],
            ['first', true],
            ['project', false],
        ],
        'subvolumes',
    );
    check((await fs.check()).clean, 'check finds something');
    await fs.close();
    judge(image, glassfs);
    as_kernel_shows(image, 'snapshots', (top) => {
        equal(readFileSync(join(top, 'root'), 'utf8'), 'before', 'the root as Linux mounts it');
        equal(readFileSync(join(top, 'cloned/big')).equals(big), true, 'a clone');
    });
});

test('export is an image', async () => {
    const fs = await open({ store: 'memory', size: 256 << 20 });
    await fs.writeFile('/file', 'exported');
    const image = join(scratch, 'exported.img');
    writeFileSync(image, Buffer.from(await (await fs.export()).arrayBuffer()));
    await fs.close();
    judge(image, glassfs);
    as_kernel_shows(image, 'exported', (top) =>
        equal(readFileSync(join(top, 'file'), 'utf8'), 'exported', 'the file'),
    );
});

test('a volume of mkfs.btrfs', async () => {
    const { make_btrfs } = await import('../browser/harness.mjs');
    const folder = mkdtempSync(join(scratch, 'content-'));
    writeFileSync(join(folder, 'file'), 'by Linux');
    const image = make_btrfs('linux.img', 256 << 20, folder);
    const fs = await open({ name: image });
    equal(await fs.readFile('/file', 'utf8'), 'by Linux', 'the file');
    await fs.writeFile('/other', 'by glassfs');
    await fs.close();
    judge(image, glassfs);
});

test('isomorphic-git, 1,000 files', async () => {
    const image = join(scratch, 'git.img');
    for (const options of [{ store: 'memory' }, { name: image, create: true, size: 2 ** 30 }]) {
        const fs = await open(options);
        await git_workload(git, fs, 1000);
        check((await fs.check()).clean, 'check finds something');
        await fs.close();
    }
    judge(image, glassfs);
    as_kernel_shows(image, 'git', (top) =>
        equal(readdirSync(join(top, 'repository/src/m3')).length, 50, 'files of a directory'),
    );
});

if (!(await run_tests())) process.exitCode = 1;
