// SPDX-License-Identifier: MIT
// What callers of fs may give, as what files.js takes; the errors for the rest are node's.
import { constants as c } from './constants.js';
import { coded } from './errors.js';

const FLAGS = {
    r: c.O_RDONLY,
    rs: c.O_RDONLY | c.O_SYNC,
    sr: c.O_RDONLY | c.O_SYNC,
    'r+': c.O_RDWR,
    'rs+': c.O_RDWR | c.O_SYNC,
    'sr+': c.O_RDWR | c.O_SYNC,
    w: c.O_TRUNC | c.O_CREAT | c.O_WRONLY,
    wx: c.O_TRUNC | c.O_CREAT | c.O_WRONLY | c.O_EXCL,
    xw: c.O_TRUNC | c.O_CREAT | c.O_WRONLY | c.O_EXCL,
    'w+': c.O_TRUNC | c.O_CREAT | c.O_RDWR,
    'wx+': c.O_TRUNC | c.O_CREAT | c.O_RDWR | c.O_EXCL,
    'xw+': c.O_TRUNC | c.O_CREAT | c.O_RDWR | c.O_EXCL,
    a: c.O_APPEND | c.O_CREAT | c.O_WRONLY,
    ax: c.O_APPEND | c.O_CREAT | c.O_WRONLY | c.O_EXCL,
    xa: c.O_APPEND | c.O_CREAT | c.O_WRONLY | c.O_EXCL,
    as: c.O_APPEND | c.O_CREAT | c.O_WRONLY | c.O_SYNC,
    sa: c.O_APPEND | c.O_CREAT | c.O_WRONLY | c.O_SYNC,
    'a+': c.O_APPEND | c.O_CREAT | c.O_RDWR,
    'ax+': c.O_APPEND | c.O_CREAT | c.O_RDWR | c.O_EXCL,
    'xa+': c.O_APPEND | c.O_CREAT | c.O_RDWR | c.O_EXCL,
    'as+': c.O_APPEND | c.O_CREAT | c.O_RDWR | c.O_SYNC,
    'sa+': c.O_APPEND | c.O_CREAT | c.O_RDWR | c.O_SYNC,
};

const encoder = new TextEncoder();

const shown = (value) => (typeof value === 'string' ? `'${value}'` : String(value));
const wrong_type = (name, expected, value) =>
    coded(
        TypeError,
        'ERR_INVALID_ARG_TYPE',
        `The "${name}" argument must be ${expected}. Received ` +
            (value == null
                ? String(value)
                : `${typeof value === 'object' ? 'an object' : `type ${typeof value}`}`),
    );
const wrong_value = (name, value, why = 'is invalid') =>
    coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument '${name}' ${why}. Received ${shown(value)}`);

// A string or bytes, without NULs.
export function path_of(path, name = 'path') {
    if (typeof path === 'string') {
        if (path.includes('\0'))
            throw wrong_value(name, path, 'must be a string, Uint8Array, or URL without null bytes');
        return path;
    }
    if (path instanceof Uint8Array) {
        if (path.includes(0))
            throw wrong_value(name, path, 'must be a string, Uint8Array, or URL without null bytes');
        return path;
    }
    if (path instanceof URL && path.protocol === 'file:')
        return path_of(decodeURIComponent(path.pathname), name);
    throw wrong_type(name, 'of type string or an instance of Buffer or URL', path);
}

export function flags_of(flags, otherwise = 'r') {
    flags ??= otherwise;
    if (typeof flags === 'number') return flags;
    const found = Object.hasOwn(FLAGS, flags) ? FLAGS[flags] : undefined;
    if (found === undefined) throw wrong_value('flags', flags);
    return found;
}

export function mode_of(mode, otherwise) {
    if (mode == null) return otherwise;
    if (typeof mode === 'string') {
        if (!/^[0-7]+$/.test(mode))
            throw wrong_value('mode', mode, 'must be a 32-bit unsigned integer or an octal string');
        return parseInt(mode, 8);
    }
    if (typeof mode !== 'number') throw wrong_type('mode', 'of type number', mode);
    return mode;
}

// { encoding } or its name.
export function options_of(options, otherwise = {}) {
    if (typeof options === 'string') return { ...otherwise, encoding: options };
    if (options == null || typeof options === 'function') return otherwise;
    if (typeof options !== 'object')
        throw wrong_type('options', 'of type string or an instance of Object', options);
    return { ...otherwise, ...options };
}

export function bytes_of(data, encoding = 'utf8') {
    if (typeof data === 'string') return encode(data, encoding);
    if (data instanceof Uint8Array) return data;
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    throw wrong_type('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
}

function encode(text, encoding) {
    if (encoding === 'utf8' || encoding === 'utf-8' || encoding == null) return encoder.encode(text);
    if (globalThis.Buffer?.isEncoding?.(encoding)) return Buffer.from(text, encoding);
    if (encoding === 'latin1' || encoding === 'binary' || encoding === 'ascii')
        return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    if (encoding === 'hex') return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    if (encoding === 'base64') return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    throw wrong_value('encoding', encoding, 'is invalid encoding');
}

const binary = (bytes) => {
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192)
        text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return text;
};

// Bytes as the caller wants them: text, or as node's Buffer where `buffers` is given.
export function decoded(bytes, encoding, buffers) {
    if (encoding == null || encoding === 'buffer') return buffers ? buffers(bytes) : bytes;
    if (encoding === 'utf8' || encoding === 'utf-8')
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    if (globalThis.Buffer?.isEncoding?.(encoding))
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding);
    if (encoding === 'latin1' || encoding === 'binary') return binary(bytes);
    if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (encoding === 'base64') return btoa(binary(bytes));
    throw wrong_value('encoding', encoding, 'is invalid encoding');
}

// Seconds, from what utimes takes: seconds as a number or in a string, or a Date.
export function seconds_of(time, name) {
    if (time instanceof Date) return time.getTime() / 1000;
    const number = typeof time === 'bigint' ? Number(time) : typeof time === 'string' ? Number(time) : time;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    throw wrong_type(name, 'an instance of Date or of type number', time);
}

export { wrong_type, wrong_value };
