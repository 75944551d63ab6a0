// SPDX-License-Identifier: MIT
// ZenFS's own tests (of its npm package) with glassfs as the file system under ZenFS, in memory and in an
// image file, and with ZenFS's own file system in memory: what fails there too is theirs.
//
// Run by hand, not by the suite: with this adapter some of its tests of symlinks, times and lchmod fail.
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, glassfs, judge, own_modules, root, run_tests, scratch, test } from './harness.mjs';

const here = join(root, 'tests/api');
const suites = join(own_modules, '@zenfs/core/tests/fs');
const names = readdirSync(suites).filter((name) => name.endsWith('.test.ts'));

// { "file: test": "ok" | "not ok" | "skipped" } of one file, from TAP.
function outcomes_of(tap, file) {
    const out = {};
    const above = [];
    for (const line of tap.split('\n')) {
        const found = /^( *)(ok|not ok) \d+ - (.*?)(?: # (SKIP|TODO).*)?$/.exec(line);
        const begun = /^( *)# Subtest: (.*)$/.exec(line);
        if (begun) above[begun[1].length / 4] = begun[2];
        if (!found) continue;
        const depth = found[1].length / 4;
        const name = [file, ...above.slice(0, depth), found[3]].join(': ');
        out[name] = found[4] ? 'skipped' : found[2];
    }
    return out;
}

function run_file(file, env) {
    const words = ['--import', 'tsx', '--test-reporter=tap', join(suites, file)];
    const child = spawn(process.execPath, words, { cwd: here, env: { ...process.env, ...env } });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += data));
    return new Promise((done) =>
        child.on('close', (code) => done({ code, outcomes: outcomes_of(printed, file), printed })),
    );
}

async function run_all(env) {
    const all = {};
    const todo = [...names];
    const lane = async () => {
        for (let file = todo.shift(); file; file = todo.shift()) {
            const { code, outcomes, printed } = await run_file(file, env);
            if (Object.keys(outcomes).length === 0)
                outcomes[`${file}: no outcome`] = `code ${code}: ${printed.slice(-400)}`;
            Object.assign(all, outcomes);
        }
    };
    await Promise.all([lane(), lane()]);
    return all;
}

const count = (outcomes, wanted) => Object.values(outcomes).filter((one) => one === wanted).length;
const summary = (all) =>
    ['ok', 'not ok', 'skipped'].map((outcome) => `${count(all, outcome)} ${outcome}`).join(', ');
const own = run_all({ SETUP: join(suites, '../setup/memory.ts') });

async function compare(outcomes) {
    const theirs = await own;
    const worse = Object.entries(outcomes)
        .filter(([name, outcome]) => outcome !== 'ok' && outcome !== 'skipped' && theirs[name] !== outcome)
        .map(([name, outcome]) => `${name}: ${outcome}`);
    equal(worse, [], 'tests that pass on ZenFS in memory, and not here');
    console.log(`${summary(outcomes)}; ZenFS in memory: ${summary(theirs)}`);
    check(count(outcomes, 'ok') > 100, 'hardly a test has run');
}

test("ZenFS's tests on a volume in memory", async () => {
    await compare(await run_all({ SETUP: join(here, 'zenfs/setup.mjs') }));
});

test("ZenFS's tests on image files, which are clean afterwards", async () => {
    const image = join(scratch, 'zenfs.img');
    await compare(await run_all({ SETUP: join(here, 'zenfs/setup.mjs'), GLASSFS_IMAGE: image }));
    const left = readdirSync(scratch).filter((name) => name.startsWith('zenfs.img.'));
    check(left.length > 0, 'no image');
    for (const name of left) {
        judge(join(scratch, name), glassfs);
        rmSync(join(scratch, name));
    }
});

if (!(await run_tests())) process.exitCode = 1;
