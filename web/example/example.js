// SPDX-License-Identifier: MIT
// Notes as files of a volume that this browser keeps: each change is saved, snapshots bring old ones back.
import { open } from '../glassfs/api/browser.js';

const element = (id) => document.getElementById(id);
const DIR = '/notes';
let fs,
    current = null;

const say = (text) => {
    element('outcome').textContent = text;
};
const attempt = (run) => async (event) => {
    event?.preventDefault();
    try {
        await run(event);
    } catch (error) {
        say(error.message);
    }
};

function item(text, run) {
    const button = document.createElement('button');
    button.textContent = text;
    button.onclick = attempt(run);
    const row = document.createElement('li');
    row.append(button);
    return row;
}

async function show() {
    const names = (await fs.readdir(DIR)).sort();
    element('notes').replaceChildren(...names.map((name) => item(name, () => show_note(name))));
    const snapshots = (await fs.subvolumes()).filter(({ readOnly }) => readOnly);
    element('snapshots').replaceChildren(
        ...snapshots.map(({ id, path }) => item(`Back to ${path}`, () => roll_back(id, path))),
    );
}

async function show_note(name) {
    current = name;
    element('text').value = name === null ? '' : await fs.readFile(`${DIR}/${name}`, 'utf8');
    element('text-title').textContent = name ?? 'No note is open';
    element('text').disabled = element('delete').disabled = name === null;
}

async function roll_back(id, path) {
    await fs.rollback(id, { subvolume: DIR });
    await fs.sync();
    await show_note(null);
    await show();
    say(`The notes are as they were in ${path}.`);
}

async function begin() {
    fs = await open({
        name: 'notes-example',
        create: true,
        onClosed: () => say('Another tab has the notes now. Reload to take them back.'),
    });
    const known = await fs.readdir('/');
    if (!known.includes('notes')) await fs.subvolume(DIR);
    element('volume').textContent = `Volume ${fs.info.name}, kept in ${fs.info.store}`;
    element('new').onsubmit = attempt(async () => {
        const name = element('name').value.replaceAll('/', '_');
        await fs.writeFile(`${DIR}/${name}`, '', { flag: 'wx' });
        await fs.sync();
        element('name').value = '';
        await show();
        await show_note(name);
    });
    element('text').onchange = attempt(async () => {
        await fs.writeFile(`${DIR}/${current}`, element('text').value);
        await fs.sync();
        say(`${current} is saved.`);
    });
    element('delete').onclick = attempt(async () => {
        await fs.unlink(`${DIR}/${current}`);
        await fs.sync();
        await show_note(null);
        await show();
    });
    element('snapshot').onclick = attempt(async () => {
        await fs.snapshot(`/${new Date().toISOString()}`, { source: DIR });
        await show();
    });
    element('check').onclick = attempt(async () => {
        const { clean, blocksRead } = await fs.check();
        say(`${clean ? 'Clean' : 'Problems found'}: ${blocksRead} tree blocks read.`);
    });
    element('export').onclick = attempt(async () => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(await fs.export());
        link.download = 'notes.btrfs';
        link.click();
    });
    await show();
}

begin().catch((error) => {
    element('volume').textContent = error.message;
});
