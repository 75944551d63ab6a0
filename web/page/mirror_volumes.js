// SPDX-License-Identifier: MIT
// The mirror's dialog, list of volumes and actions on files. A dialog's text fields are DOM controls already
// (text_fields.js); its choices and buttons are here. Everything sends back the action that it was given.
import { element, set_attribute, set_text, show_rows } from './mirror_elements.js';

const by_id = (id) => document.getElementById(id);

function show_buttons(parent, actions, run) {
    show_rows(
        parent,
        actions,
        () => {
            const button = element('button', { type: 'button' });
            button.onclick = () => run(button.action);
            return button;
        },
        (button, { label, action, enabled = true }) => {
            set_text(button, label);
            button.action = action;
            button.disabled = !enabled;
        },
    );
}

export function show_file_actions(actions, run) {
    show_buttons(by_id('file-actions'), actions, run);
}

export function show_volumes({ state, volumes }, run) {
    const { rows = [], line = '', error = '', tasks = [], open } = volumes ?? {};
    by_id('volumes').hidden = state === 'open' && !open;
    set_text(by_id('volumes-line'), line);
    set_text(by_id('volumes-error'), error);
    const build = () => element('li', {}, element('span', {}), ' ', element('span', {}), element('span', {}));
    show_rows(by_id('volume-rows'), rows, build, (item, row) => {
        set_text(item.children[0], row.name);
        set_text(item.children[1], row.line);
        set_attribute(item, 'data-id', row.id);
        set_attribute(item, 'data-where', row.where);
        show_buttons(item.children[2], row.actions, run);
    });
    show_rows(by_id('volume-tasks'), tasks, build, (item, task) => {
        set_text(item.children[0], task.title);
        set_text(item.children[1], task.of ? `${task.done} of ${task.of} bytes` : `${task.done}`);
        show_buttons(item.children[2], [{ label: 'Cancel', action: task.action }], run);
    });
}

function build_choice() {
    const select = element('select', {});
    return element('label', {}, element('span', {}), select, element('span', {}));
}

export function show_dialog(dialog, run) {
    by_id('dialog').hidden = !dialog;
    if (!dialog) return;
    set_attribute(by_id('dialog'), 'data-id', dialog.id);
    set_text(by_id('dialog-title'), dialog.title);
    set_text(by_id('dialog-text'), dialog.text);
    set_text(by_id('dialog-error'), dialog.error);
    show_rows(by_id('dialog-choices'), dialog.fields, build_choice, (label, field) => {
        const [name, select, note] = label.children;
        const choice = field.kind === 'choice';
        set_text(name, field.label);
        select.hidden = !choice;
        set_attribute(label, 'data-field', field.id);
        set_text(note, field.error || field.hint);
        show_rows(
            select,
            choice ? field.choices : [],
            () => element('option', {}),
            (option, value) => set_text(option, value),
        );
        if (choice && select.value !== field.value) select.value = field.value;
        select.onchange = () => run({ do: 'field', id: field.id, value: select.value });
    });
    show_buttons(
        by_id('dialog-buttons'),
        dialog.buttons.map(({ id, label, enabled }) => ({ label, enabled, action: { do: 'press', id } })),
        run,
    );
}
