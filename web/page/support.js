// SPDX-License-Identifier: MIT
// What the page can't do without, asked before anything is fetched; and the one place that tells the user
// that the page can't go on: cause first, then what to do.

// (module (func (try (do) (catch_all)))): a browser that knows WebAssembly's exceptions accepts it.
const EXCEPTIONS_PROBE = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11,
]);

// [title, text] of the first thing that is missing, or null.
export function missing() {
    if (typeof WebAssembly !== 'object' || !WebAssembly.validate(EXCEPTIONS_PROBE)) {
        return [
            'This browser lacks WebAssembly with exceptions',
            'GlassFS needs Chrome or Edge 95, Firefox 100, Safari 15.2 or newer. ' +
                'WebAssembly may also be switched off in the settings.',
        ];
    }
    if (!window.isSecureContext) {
        return [
            'This page was not loaded securely',
            'Browsers give shared memory only to pages from https or from localhost. ' +
                'Open it through one of the two.',
        ];
    }
    if (typeof SharedArrayBuffer === 'undefined' || !window.crossOriginIsolated) {
        return [
            'The server did not isolate this page',
            'GlassFS reads images on threads of its own, and browsers share memory between threads ' +
                'only when the server sends Cross-Origin-Opener-Policy: same-origin and ' +
                'Cross-Origin-Embedder-Policy: require-corp.',
        ];
    }
    const probe = document.createElement('canvas').getContext('webgl2');
    if (!probe) {
        return [
            'This browser has no WebGL 2',
            'GlassFS draws with WebGL 2. Hardware acceleration may be switched off in the settings, ' +
                'or the graphics driver may be blocked.',
        ];
    }
    probe.getExtension('WEBGL_lose_context')?.loseContext();
    return null;
}

export function show_problem(title, text, action = 'Reload the page', run = () => location.reload()) {
    const element = (id) => document.getElementById(id);
    if (!element('problem').hidden) return; // the first one is the cause, later ones follow from it
    element('problem-title').textContent = title;
    element('problem-text').textContent = text;
    element('problem-action').textContent = action;
    element('problem-action').onclick = run;
    element('problem').hidden = false;
    element('problem-action').focus();
}
