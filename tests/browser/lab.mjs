// SPDX-License-Identifier: MIT
// Space, the Lab, the tours and links to a picture, in Chromium.
import { check, equal, run_tests, screenshot_path, serve, test } from './harness.mjs';
import { launch, Page } from './chromium.mjs';

const server = await serve();
const browser = await launch();
const GIB = 1024 ** 3;

const pages = [];

const act = (page, action) => page.act(action);
const rest = (page, what) => page.until((state) => state.lab && !state.lab.running, what, 120000);
const shot = (page, name) => page.tab.screenshot({ path: screenshot_path(`${name}.png`) });

async function open_at(width, height, address = server.address) {
    const page = await Page.open(browser, address);
    pages.push(page);
    await page.tab.setViewportSize({ width, height });
    return page;
}

async function command(page, line) {
    await act(page, { do: 'command', line });
    await page.until(
        (state, wanted) => {
            const last = state.console.entries.at(-1);
            return last?.line === wanted && !last.running;
        },
        `${line} is done`,
        60000,
        line,
    );
    const { status, errors } = (await page.state()).console.entries.at(-1);
    equal(status, 0, `${line}: ${errors}`);
}

async function fresh(page, size = 8 * GIB) {
    await act(page, { do: 'new', name: 'demo', size: String(size), node_size: 4096, seed: 5 });
    await page.until((state) => state.state === 'open' && state.volume?.label === 'demo', 'demo is open');
}

test('lab: A looks at every dev extent, B at one, and both find the same places', async () => {
    const page = await open_at(1600, 1000);
    await act(page, { do: 'workspace', name: 'Lab' });
    const plan = { device: String(64 * 1024 * GIB), filled: String(1024 * GIB), step: String(GIB), steps: 1 };
    await act(page, { do: 'lab', ...plan });
    await rest(page, 'the run is over');
    const { lab, headline } = await page.state();
    equal(lab.error, '', 'error');
    equal(lab.same_placements, true, 'same placements');
    equal(lab.sides[0].last_visited, String(Number(lab.sides[0].dev_extents) - 1), 'A looked at');
    equal(lab.sides[1].last_visited, '1', 'B looked at');
    check(headline.title.startsWith('A looked at 1,0'), headline.title);
    await shot(page, 'lab');
    await act(page, { do: 'theme', name: 'light' });
    await page.until((state) => state.theme === 'light', 'light');
    await shot(page, 'lab-light');
});

test('lab: a run of 1 PiB is cancelled at once, and what there is stays', async () => {
    const page = await open_at(1280, 800);
    await act(page, { do: 'workspace', name: 'Lab' });
    const plan = { device: String(1024 * 1024 * GIB), step: String(1024 * GIB), baseline: '0' };
    await act(page, { do: 'lab', ...plan });
    await page.until((state) => Number(state.lab?.sides[1].bytes) > 0, 'it runs', 60000);
    await act(page, { do: 'lab_cancel' });
    await rest(page, 'it has ended');
    const { lab } = await page.state();
    equal(lab.cancelled, true, 'cancelled');
    check(Number(lab.sides[1].bytes) > 0, 'something was allocated');
});

test('space: a click on a dev extent leads to its item, the hint moves with each chunk', async () => {
    const page = await open_at(1600, 1000);
    await fresh(page);
    await command(page, 'fallocate -l 1G /one');
    await command(page, 'sync');
    await command(page, 'fallocate -l 2G /two');
    await act(page, { do: 'workspace', name: 'Space' });
    await page.until((state) => state.stage?.rows.length > 4, 'dev extents are listed');
    await act(page, { do: 'console', open: false });
    await shot(page, 'space');
    const row = (await page.state()).stage.rows[0];
    equal(row.name, 'Device 1 at 1048576', 'the first dev extent');
    await act(page, row.action);
    await page.until((state) => state.selection.kind === 'block', 'its item is selected');
    const { inspector } = await page.state();
    const item = inspector.items.find((one) => one.selected);
    equal(item.key, '1 DEV_EXTENT 1048576', 'key');
    await act(page, { do: 'theme', name: 'light' });
    await page.tab.setViewportSize({ width: 1024, height: 640 });
    await page.until((state) => state.theme === 'light', 'light');
    await shot(page, 'space-small-light');
});

test('tour: copy on write goes through its six steps', async () => {
    const page = await open_at(1600, 1000);
    await act(page, { do: 'tour', id: 'copy-on-write' });
    const pills = [];
    for (let step = 0; step < 6; ++step) {
        await page.until(
            (state, wanted) => state.tour?.step === wanted && state.tour.ready,
            `step ${step} is ready`,
            60000,
            step,
        );
        await page.settled();
        const state = await page.state();
        equal(state.tour.steps, 6, 'steps');
        pills.push(state.headline.kind);
        if (step === 1) await shot(page, 'tour-copy');
        await act(page, { do: 'tour_next' });
    }
    await page.until((state) => state.tour === null, 'the tour is over');
    equal(pills.slice(1, 5), ['COPY', 'INSERT', 'COMMIT', 'WRITE'], 'what was shown');
});

test('share: a link gives the same picture in another browser', async () => {
    const page = await open_at(1280, 800);
    await fresh(page, GIB);
    await command(page, 'mkdir /photos');
    await command(page, 'repeat 20 { write /photos/p$i "picture" }');
    await act(page, { do: 'workspace', name: 'Trees' });
    const { timeline } = await page.state();
    const step = timeline.steps.findLast((one) => one.letter === 'W');
    await act(page, { do: 'go_to', position: step.position });
    await page.until(
        (state, at) => state.timeline.position === at && !state.stats.busy,
        'the step is shown',
        30000,
        step.position,
    );
    const here = await page.state();
    check(here.share.startsWith('g1.'), `the link's text: ${here.share}`);
    const other = await open_at(1280, 800, `${server.address}#${here.share}`);
    await other.until(
        (state, wanted) => state.share === wanted && !state.stats.busy && state.inspector?.title,
        'the same picture',
        60000,
        here.share,
    );
    const there = await other.state();
    equal(there.selection, here.selection, 'selection');
    equal(there.headline, here.headline, 'headline');
    equal(there.inspector.hex, here.inspector.hex, 'bytes');
    equal(there.inspector.items, here.inspector.items, 'items');
});

const after_each = async () => {
    for (const page of pages.splice(0)) await page.close().catch(() => {});
};
const good = await run_tests({ after_each });
await browser.close();
server.close();
process.exit(good ? 0 : 1);
