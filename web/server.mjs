// SPDX-License-Identifier: MIT
//
// Serves a folder on localhost with cross-origin isolation, which shared memory in the page needs (COOP and
// COEP). No packages. A file's Brotli or gzip copy beside it (assemble-site) is sent where the browser
// takes it; ranges are of the plain file. node server.mjs FOLDER [PORT]: PORT, or the first free one from
// 8080.
import { createReadStream, promises as fs } from "node:fs";
import http from "node:http";
import path from "node:path";

const root = path.resolve(process.argv[2] ?? ".");
const wanted = Number(process.argv[3] ?? process.env.PORT ?? 0);

const types = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
};

const headers = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
};

// The file that a URL names, or null: never outside of the folder.
function locate(url) {
    let name;
    try {
        name = decodeURIComponent(new URL(url, "http://localhost").pathname);
    } catch {
        return null;
    }
    if (name.includes("\0")) return null;
    const file = path.join(root, name.endsWith("/") ? name + "index.html" : name);
    return file.startsWith(root + path.sep) ? file : null;
}

async function stat(file) {
    const found = await fs.stat(file).catch(() => null);
    return found?.isFile() ? found : null;
}

// The copy to send: [file, stat, content encoding or null].
async function choose(file, request) {
    const accepted = request.headers["accept-encoding"] ?? "";
    if (!request.headers.range && !file.endsWith(".gz")) {
        for (const [encoding, ending] of [["br", ".br"], ["gzip", ".gz"]]) {
            if (!new RegExp(`\\b${encoding}\\b`).test(accepted)) continue;
            const found = await stat(file + ending);
            if (found) return [file + ending, found, encoding];
        }
    }
    return [file, await stat(file), null];
}

// A single range as [first, last], undefined if there is none to obey, null if it can't be met.
function range(text, size) {
    const match = /^bytes=(\d*)-(\d*)$/.exec(text ?? "");
    if (!match || (!match[1] && !match[2])) return undefined;
    const first = match[1] ? Number(match[1]) : Math.max(0, size - Number(match[2]));
    const last = match[1] && match[2] ? Math.min(Number(match[2]), size - 1) : size - 1;
    return first <= last && first < size ? [first, last] : null;
}

async function answer(request, response) {
    const refuse = (status, extra = {}) => {
        response.writeHead(status, { ...headers, "Content-Type": "text/plain", ...extra });
        response.end(http.STATUS_CODES[status] + "\n");
    };
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, { Allow: "GET, HEAD" });
    const name = locate(request.url);
    if (!name) return refuse(404);
    const [file, found, encoding] = await choose(name, request);
    if (!found) return refuse(404);

    const etag = `"${found.size.toString(16)}-${Math.trunc(found.mtimeMs).toString(16)}${encoding ?? ""}"`;
    const fields = {
        ...headers, "Content-Type": types[path.extname(name)] ?? "application/octet-stream",
        "ETag": etag, "Vary": "Accept-Encoding", "Accept-Ranges": "bytes",
    };
    if (encoding) fields["Content-Encoding"] = encoding;
    if (request.headers["if-none-match"] === etag) {
        response.writeHead(304, fields);
        return response.end();
    }
    const part = range(request.headers.range, found.size);
    if (part === null) return refuse(416, { "Content-Range": `bytes */${found.size}` });
    const [first, last] = part ?? [0, found.size - 1];
    fields["Content-Length"] = last - first + 1;
    if (part) fields["Content-Range"] = `bytes ${first}-${last}/${found.size}`;
    response.writeHead(part ? 206 : 200, fields);
    if (request.method === "HEAD" || found.size === 0) return response.end();
    createReadStream(file, { start: first, end: last }).on("error", () => response.destroy()).pipe(response);
}

const server = http.createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
});

let port = wanted || 8080;
server.on("error", (error) => {
    if (error.code === "EADDRINUSE" && !wanted && port < 8180) {
        server.listen(++port, "localhost");
        return;
    }
    console.error(`GlassFS: port ${port}: ${error.message}`);
    process.exit(1);
});
server.on("listening", () => console.log(`GlassFS: http://localhost:${server.address().port}/`));
server.listen(port, "localhost");
