// SPDX-License-Identifier: MIT
// The clipboard, the theme and the pixel ratio: what the page shares with the rest of the user's system.

const THEME_KEY = 'glassfs-theme';

// The modern way needs permission in some browsers; the old one only a gesture that is still fresh.
export async function copy_text(text) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const area = Object.assign(document.createElement('textarea'), {
            value: text,
            className: 'mirror-only',
        });
        const before = document.activeElement;
        document.body.append(area);
        area.select();
        document.execCommand('copy');
        area.remove();
        before?.focus();
    }
}

// A font that the program carries, for the few pieces of DOM that lie over the canvas.
export function use_font(name, bytes) {
    new FontFace(name, bytes).load().then(
        (font) => document.fonts.add(font),
        () => {
            /* the fallback serves */
        },
    );
}

// Dark or light: what the user chose here; else what the system prefers, and its changes are followed.
export class Theme {
    #light = matchMedia('(prefers-color-scheme: light)');
    #chosen = null;
    #drawn = null;

    constructor(core) {
        try {
            this.#chosen = localStorage.getItem(THEME_KEY);
        } catch {
            /* no storage: not remembered */
        }
        this.#light.addEventListener('change', () => {
            if (!this.#chosen) core.action({ do: 'theme', name: this.#light.matches ? 'light' : 'dark' });
        });
    }

    prefers_light() {
        return this.#chosen ? this.#chosen === 'light' : this.#light.matches;
    }

    // The canvas is drawn in this theme now. A change that the system didn't ask for is the user's choice.
    drawn(theme) {
        if (theme === this.#drawn) return;
        const systems = this.#light.matches ? 'light' : 'dark';
        if (this.#drawn !== null) {
            this.#chosen = theme === systems ? null : theme;
            try {
                if (this.#chosen) localStorage.setItem(THEME_KEY, this.#chosen);
                else localStorage.removeItem(THEME_KEY);
            } catch {
                /* no storage */
            }
        }
        this.#drawn = theme;
        document.documentElement.dataset.theme = theme;
    }
}

// The window moved to another screen, or the user zoomed: SDL measures the canvas again at a resize.
export function watch_pixel_ratio(core) {
    const watch = () => {
        matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
            'change',
            () => {
                dispatchEvent(new Event('resize'));
                core.wake();
                watch();
            },
            { once: true },
        );
    };
    watch();
    matchMedia('(prefers-reduced-motion: reduce)').addEventListener('change', () => core.wake());
    addEventListener('resize', () => core.wake());
    document.addEventListener('visibilitychange', () => core.wake());
}
