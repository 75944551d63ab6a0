// SPDX-License-Identifier: MIT
// Brings the page's volumes and the test program (store_program.cpp) together, for a test to drive from
// outside: window.volumes, and window.test(id of an open volume, what to do, numbers).
import { Core } from './page/core.js';
import { Volumes } from './page/volumes.js';

const jobs = new Map();
let last_job = 0;

const module = {
    locateFile: (name) => new URL(name, import.meta.url).href,
    page: {
        store_opened: (...a) => window.core.store_opened(...a),
        // The driver hears of it even if the browser is killed right after.
        test_said(id, text, over) {
            const job = jobs.get(id);
            if (!over) {
                job.said.push(text);
                job.hear?.(text);
            } else if (text) job.failed(new Error(text));
            else job.done(job.said);
        },
    },
    onRuntimeInitialized() {
        window.core = new Core(module);
        window.taken = [];
        window.volumes = new Volumes(window.core, (record) => window.taken.push(record.id));
        window.contract = [];
        for (let at; (at = module._glassfs_test_contract_name(window.contract.length));)
            window.contract.push(module.UTF8ToString(at));
        window.contract_bytes = module._glassfs_test_contract_bytes();
        window.ready = true;
    },
};

// Resolves with what the job has said, a list of texts; rejects with its complaint.
window.test = (id, what, numbers = [], hear = null) =>
    new Promise((done, failed) => {
        const job = ++last_job;
        jobs.set(job, { said: [], hear, done, failed });
        const at = module.stringToNewUTF8(what);
        const [a, b, c] = [...numbers, 0, 0, 0];
        module._glassfs_test(job, window.volumes.mailbox_of(id), at, a, b, c);
        module._free(at);
    });

window.Module = module;
const script = document.createElement('script');
script.src = 'glassfs_store_test.js';
document.head.append(script);
