// SPDX-License-Identifier: MIT
// Stands between the page and its server, for two things that the page can't do by itself:
//
// - It adds the headers that isolate the page, which shared memory needs, where the server doesn't send them:
//   any host of plain files will do.
// - It keeps the whole site, so that the page and the volumes in it work without a network.
//
// What the server answers goes first; what is kept is only for when it doesn't answer. The kept files are of
// one version: they are fetched together when this file changes, and it changes with any of them
// (assemble-site writes the next two lines).
const VERSION = '';
const FILES = [];

const CACHE = `glassfs-${VERSION}`;
const ISOLATION = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': 'same-origin',
};

async function keep_site() {
    const cache = await caches.open(CACHE);
    // Asks the server about each file, so that none is of an older version.
    await cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })));
}

async function forget_older() {
    for (const name of await caches.keys())
        if (name.startsWith('glassfs-') && name !== CACHE) await caches.delete(name);
    await self.clients.claim();
}

function isolated(response) {
    if (response.type !== 'basic' && response.type !== 'default') return response;
    if (Object.keys(ISOLATION).every((name) => response.headers.has(name))) return response;
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

async function answer(request) {
    try {
        return isolated(await fetch(request));
    } catch (error) {
        const cache = await caches.open(CACHE);
        const wanted = request.mode === 'navigate' ? 'index.html' : request;
        const kept = await cache.match(wanted, { ignoreSearch: true });
        if (!kept) throw error;
        return isolated(kept);
    }
}

self.addEventListener('install', (event) => {
    self.skipWaiting();
    event.waitUntil(keep_site());
});
self.addEventListener('activate', (event) => event.waitUntil(forget_older()));
self.addEventListener('fetch', (event) => {
    const { request } = event;
    if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
    event.respondWith(answer(request));
});
