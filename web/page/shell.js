// SPDX-License-Identifier: MIT
// Starts the page: asks whether the browser can do it, loads the WebAssembly program, and is what the
// program knows as Module.page (platform_web.cpp, download.cpp). Each subject has a file of its own.
import { ConsoleInput } from './console_input.js';
import { Core } from './core.js';
import { Downloads } from './download.js';
import { Files } from './files.js';
import { Kept } from './kept.js';
import { Links } from './links.js';
import { Mirror } from './mirror.js';
import { isolate, isolation_works, keep_for_offline } from './service.js';
import { missing, show_problem } from './support.js';
import { copy_text, Theme, use_font, watch_pixel_ratio } from './system.js';
import { TextFields } from './text_fields.js';
import { Volumes } from './volumes.js';

const PROGRAM = new URL('../glassfs.js', import.meta.url).href;
const SAMPLE = new URL('../sample.packed.gz', import.meta.url).href;
const canvas = document.getElementById('canvas');

function build_page(module) {
    const core = new Core(module);
    const theme = new Theme(core);
    const files = new Files(core);
    const downloads = new Downloads(core);
    const console_input = new ConsoleInput(core);
    const text_fields = new TextFields(core);
    const volumes = new Volumes(core, ({ name }) => {
        core.open_failed('another tab or window has taken this volume over', name);
        kept.push();
    });
    const kept = new Kept(core, volumes, files);
    files.kept = kept;
    const links = new Links(core, files);
    const mirror = new Mirror(core, { open_image: () => files.ask() });
    return {
        core,
        volumes,
        state: null, // the last one published, parsed: for tests
        copy_text,
        ask_for_image: () => files.ask(),
        // What a link names is opened in place of the sample, once.
        open_sample: () => {
            if (!links.open_first()) files.open_sample(SAMPLE);
            kept.push();
        },
        address: () => links.address(),
        request_kept: (number, json) => kept.request(number, json),
        ask_for_files: (into) => files.ask_for_files(into),
        place_text: (...place) => text_fields.place(...place),
        set_text: (id, value) => text_fields.set(id, value),
        end_text_places: () => text_fields.end(),
        prefers_light: () => theme.prefers_light(),
        place_console_input: (...place) => console_input.place(...place),
        set_console_text: (text) => console_input.set_text(text),
        use_mono_font: (bytes) => use_font('GlassFS Mono', bytes),
        publish_state(json) {
            if (!this.state) keep_for_offline();
            this.state = JSON.parse(json);
            theme.drawn(this.state.theme);
            console_input.state_changed(this.state.console);
            mirror.show(this.state);
            files.state_changed(this.state);
            document.body.classList.add('live');
        },
        store_opened: (...a) => core.store_opened(...a),
        download_start: (...a) => downloads.start(...a),
        download_piece: (...a) => downloads.piece(...a),
        download_finish: (...a) => downloads.finish(...a),
        download_end: (...a) => downloads.end(...a),
    };
}

// SDL takes every key that reaches the canvas and stops what the browser would do with it. These belong to
// the browser: Tab leaves the canvas for the mirror; reload, zoom and the like work as everywhere.
function leave_keys_to_the_browser() {
    addEventListener(
        'keydown',
        (event) => {
            const browsers =
                event.key === 'Tab' ||
                event.key === 'F5' ||
                event.key === 'F11' ||
                event.key === 'F12' ||
                ((event.ctrlKey || event.metaKey) &&
                    ['r', 'l', 't', 'w', 'n', '+', '-', '0', 'p'].includes(event.key));
            if (event.target === canvas && browsers) event.stopImmediatePropagation();
        },
        { capture: true },
    );
    canvas.addEventListener('pointerdown', () => canvas.focus());
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
}

async function start() {
    const lacking = missing();
    if (lacking) return (await isolate()) || show_problem(...lacking);
    isolation_works();
    canvas.hidden = false;
    const module = {
        canvas,
        locateFile: (name) => new URL(`../${name}`, import.meta.url).href,
        print: (line) => console.log(line),
        printErr: (line) => console.warn(line),
        onAbort: (what) =>
            show_problem(
                'GlassFS has stopped',
                `${what}. What was not synced is lost; an image that was opened is as it was.`,
            ),
        preRun: [
            () => {
                module.page = build_page(module);
                watch_pixel_ratio(module.page.core);
            },
        ],
    };
    window.Module = module;
    canvas.addEventListener('webglcontextlost', () =>
        show_problem(
            'The browser took the graphics context away',
            'This happens when the graphics driver restarts or many pages use it.',
        ),
    );
    leave_keys_to_the_browser();
    const script = document.createElement('script');
    script.src = PROGRAM;
    script.onerror = () =>
        show_problem(
            'The program could not be loaded',
            'Its script did not arrive: the connection or the server failed.',
        );
    document.head.append(script);
}

start();
