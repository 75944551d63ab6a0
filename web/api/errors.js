// SPDX-License-Identifier: MIT
// Errors as node's fs throws them: code, errno (negative), syscall, path, dest and the sentence.
const ERRNOS = {
    1: ['EPERM', 'operation not permitted'],
    2: ['ENOENT', 'no such file or directory'],
    5: ['EIO', 'i/o error'],
    6: ['ENXIO', 'no such device or address'],
    7: ['E2BIG', 'argument list too long'],
    9: ['EBADF', 'bad file descriptor'],
    11: ['EAGAIN', 'resource temporarily unavailable'],
    12: ['ENOMEM', 'not enough memory'],
    13: ['EACCES', 'permission denied'],
    16: ['EBUSY', 'resource busy or locked'],
    17: ['EEXIST', 'file already exists'],
    18: ['EXDEV', 'cross-device link not permitted'],
    19: ['ENODEV', 'no such device'],
    20: ['ENOTDIR', 'not a directory'],
    21: ['EISDIR', 'illegal operation on a directory'],
    22: ['EINVAL', 'invalid argument'],
    25: ['ENOTTY', 'inappropriate ioctl for device'],
    26: ['ETXTBSY', 'text file is busy'],
    27: ['EFBIG', 'file too large'],
    28: ['ENOSPC', 'no space left on device'],
    30: ['EROFS', 'read-only file system'],
    31: ['EMLINK', 'too many links'],
    34: ['ERANGE', 'result too large'],
    36: ['ENAMETOOLONG', 'name too long'],
    39: ['ENOTEMPTY', 'directory not empty'],
    40: ['ELOOP', 'too many symbolic links encountered'],
    61: ['ENODATA', 'no data available'],
    75: ['EOVERFLOW', 'value too large for defined data type'],
    95: ['ENOTSUP', 'operation not supported on socket'],
    117: ['EUCLEAN', 'structure needs cleaning'],
};
const NUMBERS = Object.fromEntries(
    Object.entries(ERRNOS).map(([number, [code]]) => [code, Number(number)]),
);

const shown = (path) => (typeof path === 'string' ? path : new TextDecoder().decode(path));

// `number`: positive, as Linux has it. `cause`: the core's own sentence, which knows more.
export function fs_error(number, syscall, path, dest, cause) {
    const [code, sentence] = ERRNOS[number] ?? [`E${number}`, 'unknown error'];
    let message = `${code}: ${sentence}, ${syscall}`;
    if (path !== undefined) message += ` '${shown(path)}'`;
    if (dest !== undefined) message += ` -> '${shown(dest)}'`;
    const error = cause ? new Error(message, { cause }) : new Error(message);
    error.errno = -number;
    error.code = code;
    error.syscall = syscall;
    if (path !== undefined) error.path = shown(path);
    if (dest !== undefined) error.dest = shown(dest);
    return error;
}

export const error_of_code = (code, ...rest) => fs_error(NUMBERS[code], ...rest);

export function coded(Kind, code, message) {
    const error = new Kind(message);
    error.code = code;
    error.name = Kind.name;
    return error;
}

// Errors between threads: what they have besides a message.
const FIELDS = ['errno', 'code', 'syscall', 'path', 'dest'];
export function pack_error(error) {
    const packed = { name: error.name, message: error.message };
    for (const field of FIELDS) if (error[field] !== undefined) packed[field] = error[field];
    if (typeof error.cause === 'string') packed.cause = error.cause;
    return packed;
}
export function unpack_error({ name, message, cause, ...fields }) {
    const Kind = { TypeError, RangeError }[name] ?? Error;
    return Object.assign(new Kind(message, cause ? { cause } : undefined), fields);
}
