// SPDX-License-Identifier: MIT
// An image on a server that answers byte ranges: nothing of it is fetched but what is read
// (file_worker.js). Other servers are refused here, with what is missing.

// { url, name, size, tag }: what file_worker.js reads as if it were a file. `tag`: the server's mark of this
// version, '' when it gives none that can be seen. Errors say what the server lacks.
export async function find_remote_file(text) {
    const url = address_of(text);
    const foreign = new URL(url).origin !== location.origin;
    const why = foreign
        ? ' (a server of another origin must allow this page: Access-Control-Allow-Origin)'
        : '';
    let response;
    try {
        response = await fetch(url, { headers: { Range: 'bytes=0-0' }, cache: 'no-store' });
    } catch {
        throw new Error(`${url} can't be reached${why}`);
    }
    response.body?.cancel();
    if (response.status === 200) throw new Error(`the server of ${url} doesn't answer byte ranges`);
    if (response.status !== 206) throw new Error(`the server answered ${response.status} for ${url}`);
    return {
        url,
        name: decodeURIComponent(new URL(url).pathname.split('/').pop()) || url,
        size: size_told(response) ?? (await size_asked(url)),
        tag: version_of(response.headers.get('ETag'), response.headers.get('Last-Modified')),
    };
}

// Weak tags don't say that the bytes are the same. (file_worker.js asks the same of each answer.)
function version_of(etag, modified) {
    return etag && !etag.startsWith('W/') ? etag : (modified ?? '');
}

function address_of(text) {
    let url;
    try {
        url = new URL(text.trim(), location.href);
    } catch {
        throw new Error(`"${text}" is no address`);
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
        throw new Error(`${url.protocol} is no address of a web server`);
    return url.href;
}

// Servers of other origins may not show this header to the page.
function size_told(response) {
    const size = /^bytes 0-0\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1];
    return size === undefined ? undefined : Number(size);
}

async function size_asked(url) {
    const response = await fetch(url, { method: 'HEAD', cache: 'no-store' });
    const size = Number(response.headers.get('Content-Length') ?? NaN);
    if (!response.ok || response.headers.has('Content-Encoding') || !Number.isSafeInteger(size))
        throw new Error(`the server doesn't say how large ${url} is`);
    return size;
}
