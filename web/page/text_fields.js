// SPDX-License-Identifier: MIT
// The text fields of a dialog: real DOM controls over the canvas, so that paste, input methods and the
// keyboards of phones work. The canvas says in each frame where they are, and draws everything around them.
const SEND_MS = 200; // several lines are sent when the typing pauses

export class TextFields {
    #fields = new Map(); // id -> { element, placed, timer }
    #canvas = document.getElementById('canvas');

    constructor(core) {
        this.core = core;
    }

    place(id, label, several_lines, x, y, width, height, scale) {
        let field = this.#fields.get(id);
        if (!field) {
            field = { element: this.#make(id, label, several_lines), timer: 0 };
            this.#fields.set(id, field);
            document.body.append(field.element);
            // The first one of a dialog gets what is typed.
            if (this.#fields.size === 1) this.#first(field.element);
        }
        field.placed = true;
        const place = { left: x, top: y, width, height, fontSize: 13 * scale };
        for (const [name, value] of Object.entries(place)) {
            const text = `${value}px`;
            if (field.element.style[name] !== text) field.element.style[name] = text;
        }
    }

    set(id, value) {
        const field = this.#fields.get(id);
        if (field && field.element.value !== value) field.element.value = value;
        if (field?.selects) field.element.select();
        if (field) field.selects = false;
    }

    // Those that were not placed since the last call go.
    end() {
        for (const [id, field] of this.#fields) {
            if (!field.placed) {
                clearTimeout(field.timer);
                field.element.remove();
                this.#fields.delete(id);
                if (!this.#fields.size) this.#canvas.focus();
            }
            field.placed = false;
        }
    }

    #first(element) {
        element.focus();
        queueMicrotask(() => element.tagName === 'INPUT' && element.select());
    }

    #make(id, label, several_lines) {
        const element = document.createElement(several_lines ? 'textarea' : 'input');
        if (!several_lines) element.type = 'text';
        element.className = several_lines ? 'text-field lines' : 'text-field';
        element.dataset.field = id;
        element.setAttribute('aria-label', label);
        Object.assign(element, { autocomplete: 'off', spellcheck: false });
        element.addEventListener('input', () => {
            const field = this.#fields.get(id);
            clearTimeout(field.timer);
            if (several_lines) field.timer = setTimeout(() => this.#send(id), SEND_MS);
            else this.#send(id);
        });
        element.addEventListener('blur', () => this.#flush(id));
        element.addEventListener('keydown', (event) => this.#key(event, id, several_lines));
        // SDL listens on the window as well: what is typed here is not for the canvas.
        for (const kind of ['keydown', 'keyup', 'keypress'])
            element.addEventListener(kind, (event) => event.stopPropagation());
        return element;
    }

    #send(id) {
        const field = this.#fields.get(id);
        if (!field) return;
        field.timer = 0;
        const { value } = field.element;
        this.core.text_typed(id, value);
        this.core.action({ do: 'field', id, value });
    }
    #flush(id) {
        const field = this.#fields.get(id);
        if (!field?.timer) return;
        clearTimeout(field.timer);
        this.#send(id);
    }

    #key(event, id, several_lines) {
        if (event.isComposing) return;
        const saves = (event.ctrlKey || event.metaKey) && ['s', 'Enter'].includes(event.key);
        if (event.key === 'Escape') this.core.action({ do: 'press', id: 'cancel' });
        else if (saves || (event.key === 'Enter' && !several_lines)) {
            this.#flush(id);
            this.core.action({ do: 'press', id: 'primary' });
        } else return;
        event.preventDefault();
    }
}
