// SPDX-License-Identifier: MIT
// isomorphic-git on a file system: a repository of many files, two branches, and back. Throws what is wrong.
// Runs in node and, given to a page as text, in a browser.
export async function git_workload(git, fs, files) {
    const dir = '/repository';
    const author = { name: 'A', email: 'a@example.invalid', timestamp: 1700000000, timezoneOffset: 0 };
    const same = (got, wanted, what) => {
        if (JSON.stringify(got) !== JSON.stringify(wanted))
            throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
    };
    const name = (i) => `src/m${i % 20}/file${i}.txt`;
    const text = (i) => `file ${i}\n${'lorem ipsum '.repeat(i % 30)}\n`;
    await fs.promises.mkdir(`${dir}/src`, { recursive: true });
    for (let m = 0; m < 20; ++m) await fs.promises.mkdir(`${dir}/src/m${m}`);
    for (let i = 0; i < files; ++i) await fs.promises.writeFile(`${dir}/${name(i)}`, text(i));
    await git.init({ fs, dir, defaultBranch: 'main' });
    const cache = {};
    await git.add({ fs, dir, filepath: '.', cache });
    const first = await git.commit({ fs, dir, message: 'all', author, cache });
    const status = await git.statusMatrix({ fs, dir, cache });
    same(status.length, files, 'files known to git');
    same(
        status.filter((row) => row.slice(1).some((one) => one !== 1)),
        [],
        'files that differ from the commit',
    );

    await git.branch({ fs, dir, ref: 'other', checkout: true });
    await fs.promises.writeFile(`${dir}/${name(0)}`, 'changed\n');
    await fs.promises.unlink(`${dir}/${name(1)}`);
    await git.add({ fs, dir, filepath: name(0), cache });
    await git.remove({ fs, dir, filepath: name(1), cache });
    const second = await git.commit({ fs, dir, message: 'changed', author, cache });
    await git.checkout({ fs, dir, ref: 'main', cache });
    same(await fs.promises.readFile(`${dir}/${name(0)}`, 'utf8'), text(0), 'on main');
    same(await fs.promises.readFile(`${dir}/${name(1)}`, 'utf8'), text(1), 'on main');
    await git.checkout({ fs, dir, ref: 'other', cache });
    same(await fs.promises.readFile(`${dir}/${name(0)}`, 'utf8'), 'changed\n', 'on the branch');
    const gone = await fs.promises.stat(`${dir}/${name(1)}`).catch((error) => error.code);
    same(gone, 'ENOENT', 'a file that the branch has not');
    const log = await git.log({ fs, dir });
    same(
        log.map(({ oid, commit }) => [oid, commit.message]),
        [
            [second, 'changed\n'],
            [first, 'all\n'],
        ],
        'log',
    );
    same((await git.listBranches({ fs, dir })).sort(), ['main', 'other'], 'branches');
    return { first, second };
}
