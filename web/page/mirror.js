// SPDX-License-Identifier: MIT
// The DOM mirror: what the canvas shows as elements with roles, for assistive technology, the keyboard and
// tests. The program publishes its state as JSON (ui/model/page_state.h), visible rows only; here it
// becomes DOM, changed in place so that the focus and a screen reader's position stay. Whatever has an
// action can be activated and then sends that action back: the mirror never decides anything.

import { element, set_attribute, set_text, show_rows } from './mirror_elements.js';
import { show_dialog, show_file_actions, show_volumes } from './mirror_volumes.js';

const ANNOUNCE_EVERY_MS = 1000; // a screen reader can't follow more

const by_id = (id) => document.getElementById(id);

// A group with one Tab stop: arrows move inside of it, Enter and Space activate.
class Group {
    constructor(parent, selector, run) {
        this.parent = parent;
        this.selector = selector;
        parent.addEventListener('click', (event) => {
            const row = event.target.closest?.(selector);
            if (row?.action) run(row.action);
        });
        parent.addEventListener('keydown', (event) => this.#key(event));
        parent.addEventListener('focusin', (event) => this.#stop_at(event.target.closest(selector)));
    }
    rows() {
        return [...this.parent.querySelectorAll(this.selector)];
    }

    // After the rows have changed: exactly one of them is the Tab stop.
    settle() {
        const rows = this.rows();
        if (rows.length && !rows.some((row) => row.tabIndex === 0)) rows[0].tabIndex = 0;
    }
    #stop_at(row) {
        if (!row) return;
        for (const other of this.rows()) other.tabIndex = other === row ? 0 : -1;
    }
    #key(event) {
        const rows = this.rows();
        const now = rows.indexOf(event.target);
        if (now < 0) return;
        const to = {
            ArrowDown: now + 1,
            ArrowRight: now + 1,
            ArrowUp: now - 1,
            ArrowLeft: now - 1,
            Home: 0,
            End: rows.length - 1,
        }[event.key];
        if (event.key === 'Enter' || event.key === ' ') event.target.click();
        else if (to !== undefined) rows[Math.max(0, Math.min(rows.length - 1, to))].focus();
        else return;
        event.preventDefault();
        event.stopPropagation();
    }
}

function row_of_cells(cells) {
    const row = element('div', { role: 'row', tabindex: '-1' });
    for (let i = 0; i < cells; ++i) row.append(element('span', { role: 'gridcell' }));
    return row;
}
function fill_cells(row, cells) {
    cells.forEach((cell, i) => set_text(row.children[i], cell ?? ''));
}

export class Mirror {
    #announced_at = 0;
    #announce_timer = 0;
    #groups;

    constructor(core, { open_image }) {
        this.core = core;
        const run = (action) => core.action(action);
        this.#groups = [
            new Group(by_id('tabs'), '[role=tab]:not([aria-disabled=true])', run),
            new Group(by_id('tree'), '[role=treeitem]', run),
            new Group(by_id('stage-rows'), 'li', run),
            new Group(by_id('fields'), '[role=row]', run),
            new Group(by_id('items'), '[role=row]', run),
            new Group(by_id('hex'), '[role=row]', run),
            new Group(by_id('steps'), 'li', run),
        ];
        by_id('tabs').replaceChildren();
        by_id('tool-open').onclick = open_image;
        by_id('tool-extract').onclick = () => run({ do: 'extract', path: this.state.selection.path || '/' });
        by_id('tool-copy').onclick = () => run({ do: 'copy', what: 'inspector' });
        by_id('tool-superblock').onclick = () => run({ do: 'superblock' });
        by_id('tool-theme').onclick = () =>
            run({ do: 'theme', name: this.state.theme === 'dark' ? 'light' : 'dark' });
        this.run = run;
        by_id('tool-new').onclick = () => run({ do: 'ask', what: 'new-volume' });
        by_id('tool-address').onclick = () => run({ do: 'ask', what: 'open-address' });
        by_id('tool-volumes').onclick = () => run({ do: 'volumes', open: !this.state.volumes.open });
        by_id('tool-export').onclick = () => run({ do: 'export' });
        by_id('tool-console').onclick = () => run({ do: 'console', open: !this.state.console.open });
    }

    show(state) {
        this.state = state;
        this.#headline(state);
        this.#toolbar(state);
        this.#tabs(state.tabs ?? []);
        this.#navigator(state.navigator ?? {});
        this.#stage(state.stage ?? {});
        this.#inspector(state.inspector ?? {});
        this.#console(state);
        show_file_actions(state.files ?? [], this.run);
        show_volumes(state, this.run);
        show_dialog(state.dialog, this.run);
        for (const group of this.#groups) group.settle();
    }

    // The live region speaks at most once a second, and always ends with what is true last.
    #headline(state) {
        const write = () => {
            this.#announced_at = performance.now();
            this.#announce_timer = 0;
            const { kind, title, reason } = this.state.headline ?? {};
            set_text(by_id('headline-kind'), kind ?? '');
            set_text(by_id('headline-title'), title ?? '');
            set_text(by_id('headline-reason'), reason ?? '');
        };
        if (this.#announce_timer) return;
        const wait = this.#announced_at + ANNOUNCE_EVERY_MS - performance.now();
        const shown = by_id('headline-title').textContent;
        if (wait <= 0 || shown === state.headline?.title) write();
        else this.#announce_timer = setTimeout(write, wait);
    }

    #toolbar(state) {
        const open = state.state === 'open';
        const volume = state.volume;
        set_text(
            by_id('volume'),
            open && volume
                ? `${volume.label || volume.name}, ${volume.format}, generation ${volume.generation}`
                : state.state === 'failed'
                  ? state.error
                  : state.state,
        );
        set_attribute(by_id('volume'), 'data-state', state.state);
        by_id('tool-extract').hidden = !open;
        by_id('tool-superblock').hidden = !open;
        by_id('tool-copy').hidden = !open;
        by_id('tool-theme').hidden = false;
        by_id('tool-console').hidden = false;
        by_id('tool-new').hidden = false;
        by_id('tool-address').hidden = false;
        by_id('tool-volumes').hidden = false;
        by_id('tool-export').hidden = !open;
        set_text(by_id('tool-theme'), state.theme === 'dark' ? 'Light theme' : 'Dark theme');
        set_text(by_id('tool-extract'), `Extract ${state.selection?.path || '/'}`);
        set_attribute(by_id('tool-console'), 'aria-expanded', Boolean(state.console?.open));
    }

    #tabs(tabs) {
        show_rows(
            by_id('tabs'),
            tabs,
            () => element('button', { role: 'tab', type: 'button', tabindex: '-1' }),
            (tab, { name, selected, enabled }) => {
                set_text(tab, name);
                tab.action = { do: 'workspace', name };
                set_attribute(tab, 'aria-selected', selected);
                set_attribute(tab, 'aria-disabled', enabled ? null : true);
            },
        );
    }

    #navigator({ title, rows }) {
        set_text(by_id('navigator-title'), title ?? '');
        const build = () =>
            element('li', { role: 'treeitem', tabindex: '-1' }, element('span', {}), element('span', {}));
        show_rows(by_id('tree'), rows ?? [], build, (item, row) => {
            set_text(item.children[0], row.name);
            set_text(item.children[1], row.value ?? '');
            item.action = row.action;
            set_attribute(item, 'data-id', row.id);
            set_attribute(item, 'aria-level', (row.depth ?? 0) + 1);
            set_attribute(item, 'aria-selected', Boolean(row.selected));
            set_attribute(item, 'aria-expanded', row.kind === 'dir' ? Boolean(row.open) : null);
        });
    }

    #stage({ title, rows }) {
        set_text(by_id('stage-title'), title ?? '');
        const build = () =>
            element('li', { role: 'button', tabindex: '-1' }, element('span', {}), ' ', element('span', {}));
        show_rows(by_id('stage-rows'), rows ?? [], build, (item, row) => {
            set_text(item.children[0], row.name);
            set_text(item.children[1], row.value ?? '');
            set_attribute(item, 'data-name', row.name);
            item.action = row.action;
        });
    }

    #inspector({ title, subtitle, fields, items, hex, path, copies, text }) {
        set_text(by_id('inspector-title'), title ?? 'Inspector');
        set_text(by_id('inspector-subtitle'), subtitle ?? '');
        show_rows(
            by_id('fields'),
            fields ?? [],
            () => row_of_cells(4),
            (row, field) => {
                fill_cells(row, [
                    field.name,
                    field.value,
                    field.meaning,
                    field.size > 0 ? `bytes ${field.offset} to ${field.offset + field.size - 1}` : '',
                ]);
                set_attribute(row, 'data-name', field.name);
                set_attribute(row, 'data-offset', field.offset);
                set_attribute(row, 'data-size', field.size);
                set_attribute(row, 'data-depth', field.depth);
                set_attribute(row, 'aria-selected', field.selected ? true : null);
                row.action = field.action;
            },
        );
        show_rows(
            by_id('items'),
            items ?? [],
            () => row_of_cells(4),
            (row, item) => {
                fill_cells(row, [String(item.slot), item.key, item.summary, String(item.size ?? '')]);
                set_attribute(row, 'data-slot', item.slot);
                set_attribute(row, 'aria-selected', item.selected ? true : null);
                row.action = item.action;
            },
        );
        show_rows(
            by_id('hex'),
            hex ?? [],
            () => row_of_cells(3),
            (row, line) => {
                fill_cells(row, [String(line.offset), line.bytes, line.text]);
                row.action = line.action;
            },
        );
        show_rows(
            by_id('steps'),
            path ?? [],
            () => element('li', { tabindex: '-1' }),
            (item, step) => {
                set_text(item, `${step.what}: ${step.place}`);
                item.action = step.action;
            },
        );
        show_rows(
            by_id('copies'),
            copies ?? [],
            () => element('li', {}),
            (item, copy) => {
                set_text(
                    item,
                    typeof copy === 'string'
                        ? copy
                        : Object.entries(copy)
                              .map(([k, v]) => `${k} ${v}`)
                              .join(', '),
                );
            },
        );
        set_text(by_id('preview'), text ?? '');
    }

    #console({ console: shown, jobs }) {
        const build = () =>
            element('div', {}, element('code', {}), element('pre', {}), element('pre', { class: 'errors' }));
        show_rows(by_id('console-log'), shown?.entries ?? [], build, (row, entry) => {
            set_text(row.children[0], entry.line);
            set_text(row.children[1], entry.output);
            set_text(row.children[2], entry.errors);
            set_attribute(row, 'data-status', entry.running ? 'running' : entry.status);
        });
        show_rows(
            by_id('jobs'),
            jobs ?? [],
            () => element('li', {}),
            (row, job) => {
                const state = job.error
                    ? `failed: ${job.error}`
                    : job.done
                      ? 'done'
                      : job.files_total
                        ? `${job.files_done} of ${job.files_total} files, ${job.bytes_done} bytes`
                        : `${job.bytes_done} of ${job.bytes_total} bytes`;
                set_text(row, `${job.title}: ${state}`);
                set_attribute(row, 'data-done', Boolean(job.done));
            },
        );
    }
}
