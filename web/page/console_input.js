// SPDX-License-Identifier: MIT
// The console's input line: a real DOM input over the canvas, so that paste, input methods and the
// keyboards of phones work. The canvas draws everything around it.

const HISTORY_MAX = 200;

export class ConsoleInput {
    #input = document.getElementById('console-input');
    #canvas = document.getElementById('canvas');
    #history = [];
    #recalled = 0; // index in the history; its length: the line being typed
    #draft = '';
    #completions = []; // whole lines, for what stands in the input now
    #shown = false;

    constructor(core) {
        this.core = core;
        this.#input.addEventListener('input', () => core.console_input(this.#input.value));
        this.#input.addEventListener('keydown', (event) => this.#key(event));
        // SDL listens on the window as well: what is typed here is not for the canvas.
        for (const kind of ['keydown', 'keyup', 'keypress']) {
            this.#input.addEventListener(kind, (event) => event.stopPropagation());
        }
    }

    place(visible, x, y, width, height) {
        this.#input.hidden = !visible;
        if (visible) {
            // 13 px in a line of 24, at whatever scale the canvas is drawn.
            Object.assign(this.#input.style, {
                left: `${x}px`,
                top: `${y}px`,
                width: `${width}px`,
                height: `${height}px`,
                fontSize: `${(13 * height) / 24}px`,
            });
        }
        if (visible && !this.#shown) this.#input.focus();
        if (!visible && this.#shown) this.#canvas.focus();
        this.#shown = visible;
    }

    // The canvas has changed the line.
    set_text(text) {
        this.#input.value = text;
        if (this.#shown) this.#input.focus();
    }

    state_changed(console_state) {
        this.#completions = console_state?.completions ?? [];
        this.#input.setAttribute('aria-label', `Console command, ${console_state?.prompt ?? ''}`);
    }

    // Tab takes the completion that the canvas shows; without one it moves the focus, as everywhere.
    #complete() {
        const better = this.#completions.find(
            (line) => line !== this.#input.value && line.startsWith(this.#input.value),
        );
        if (!this.#input.value || !better) return false;
        this.#set(better);
        return true;
    }

    #set(value) {
        this.#input.value = value;
        this.core.console_input(value);
    }

    #run() {
        const line = this.#input.value.trim();
        if (!line) return;
        if (this.#history.at(-1) !== line) this.#history.push(line);
        if (this.#history.length > HISTORY_MAX) this.#history.shift();
        this.#recalled = this.#history.length;
        this.#set('');
        this.core.action({ do: 'command', line });
    }

    #recall(step) {
        const to = this.#recalled + step;
        if (to < 0 || to > this.#history.length) return;
        if (this.#recalled === this.#history.length) this.#draft = this.#input.value;
        this.#recalled = to;
        this.#set(to === this.#history.length ? this.#draft : this.#history[to]);
    }

    #key(event) {
        if (event.isComposing) return;
        if (event.key === 'Enter') this.#run();
        else if (event.key === 'Tab' && !event.shiftKey) {
            if (!this.#complete()) return;
        } else if (event.key === 'ArrowUp') this.#recall(-1);
        else if (event.key === 'ArrowDown') this.#recall(+1);
        else if (event.key === 'Escape' || (event.key === '`' && !this.#input.value))
            this.core.action({ do: 'console', open: false });
        else if (
            event.key === 'c' &&
            event.ctrlKey &&
            this.#input.selectionStart === this.#input.selectionEnd
        )
            this.core.action({ do: 'cancel' });
        else return;
        event.preventDefault();
    }
}
