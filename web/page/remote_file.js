// SPDX-License-Identifier: MIT
// An image on a server that answers byte ranges: nothing of it is fetched but what is read
// (file_worker.js). Other servers are refused here, with what is missing.

// { url, name, size, etag, modified }: what file_worker.js reads as if it were a file. The last two are the
// server's headers, null where the page may not see them. Errors say what the server lacks.
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
        name: name_in(url),
        size: size_told(response) ?? (await size_asked(url)),
        etag: response.headers.get('ETag'),
        modified: response.headers.get('Last-Modified'),
    };
}

function name_in(url) {
    const name = new URL(url).pathname.split('/').pop();
    try {
        return decodeURIComponent(name) || url;
    } catch {
        return name; // a '%' that stands for itself
    }
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
    if (size === undefined) return undefined;
    if (!Number.isSafeInteger(Number(size))) throw new Error(`the server claims ${size} bytes`);
    return Number(size);
}

async function size_asked(url) {
    const response = await fetch(url, { method: 'HEAD', cache: 'no-store' });
    const size = Number(response.headers.get('Content-Length') ?? NaN);
    if (!response.ok || response.headers.has('Content-Encoding') || !Number.isSafeInteger(size))
        throw new Error(`the server doesn't say how large ${url} is`);
    return size;
}
