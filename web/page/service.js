// SPDX-License-Identifier: MIT
// The page's side of ../service_worker.js.

const SCRIPT = new URL('../service_worker.js', import.meta.url);
const TRIED = 'glassfs-isolating';

const available = () => 'serviceWorker' in navigator;

// Keeps the site for when there is no network. Called once the page has what it needs itself.
export function keep_for_offline() {
    if (!available()) return;
    navigator.serviceWorker
        .register(SCRIPT)
        .catch((error) => console.warn(`the site is not kept for offline use: ${error.message}`));
}

// For a page that its server didn't isolate. Resolves with true when it is about to be loaded again,
// isolated; with false when that can't help, or hasn't helped.
export async function isolate() {
    if (!available() || window.crossOriginIsolated) return false;
    try {
        if (sessionStorage.getItem(TRIED)) return false;
        const registration = await navigator.serviceWorker.register(SCRIPT);
        if (!registration) return false;
        const worker = registration.installing ?? registration.waiting ?? registration.active;
        const over = await new Promise((done) => {
            const look = () => {
                if (['activated', 'redundant'].includes(worker.state)) done(worker.state);
            };
            worker.addEventListener('statechange', look);
            look();
        });
        if (over !== 'activated') return false;
        sessionStorage.setItem(TRIED, 'yes');
    } catch {
        return false; // private windows and settings may forbid either
    }
    location.reload();
    return true;
}

// The page is isolated: should that ever be lost, it may be tried again.
export function isolation_works() {
    try {
        sessionStorage.removeItem(TRIED);
    } catch {
        /* no storage */
    }
}
