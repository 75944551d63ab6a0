// SPDX-License-Identifier: MIT
// A btrfs volume with the functions of node's fs.promises. Where a function takes a callback as its last
// argument instead, it returns nothing.

export type Path = string | Uint8Array | URL;
export type Data = string | ArrayBufferView | ArrayBuffer;
export type Time = number | string | Date;
export type Encoding = 'utf8' | 'utf-8' | 'latin1' | 'binary' | 'hex' | 'base64' | (string & {});

export interface OpenOptions {
    /** Where the blocks are. In a browser: opfs where there is one, else indexeddb. In node: file, or memory. */
    store?: 'opfs' | 'indexeddb' | 'memory' | 'file';
    /** Of the volume in this browser, or the path of an image file. */
    name?: string;
    /** Browser: a volume by its id instead of its name. */
    id?: string;
    /** Make it when it isn't there. */
    create?: boolean;
    /** Browser: take it over when another tab has it open; otherwise that is EBUSY. */
    takeOver?: boolean;
    /** Browser: called when another tab has taken the volume over. Every call fails from then on. */
    onClosed?: () => void;
    /** In a worker: use a worker of its own all the same. */
    worker?: boolean;
    /** Where module.wasm is, when it isn't beside the scripts. */
    wasm?: string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module;
    /** Milliseconds from a change to a commit that nobody asked for; 0: none. Default: 5000. */
    commit?: number;
    /** Taken from the mode of new files. Default: 0o022. */
    umask?: number;
    /** Who owns new files. Default: 0. */
    uid?: number;
    gid?: number;
    /** Of a new volume: bytes. It takes room as it fills. Default: 16 GiB. */
    size?: number;
    /** Of a new volume. Default: its name. */
    label?: string;
    /** Of a new volume. Default: xxhash. */
    checksum?: 'crc32c' | 'xxhash' | 'sha256' | 'blake2';
    /** Of a new volume: how often tree blocks are written. Default: single. */
    metadata?: 'single' | 'dup';
    /** Of a new volume: bytes of a tree block. Default: 16384. */
    nodeSize?: 4096 | 8192 | 16384 | 32768 | 65536;
}

interface StatsOf<N> {
    dev: N;
    ino: N;
    mode: N;
    nlink: N;
    uid: N;
    gid: N;
    rdev: N;
    size: N;
    blksize: N;
    blocks: N;
    atimeMs: N;
    mtimeMs: N;
    ctimeMs: N;
    birthtimeMs: N;
    readonly atime: Date;
    readonly mtime: Date;
    readonly ctime: Date;
    readonly birthtime: Date;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
    isCharacterDevice(): boolean;
    isBlockDevice(): boolean;
    isFIFO(): boolean;
    isSocket(): boolean;
}
export type Stats = StatsOf<number>;
export interface BigIntStats extends StatsOf<bigint> {
    atimeNs: bigint;
    mtimeNs: bigint;
    ctimeNs: bigint;
    birthtimeNs: bigint;
}
export interface StatFs {
    type: number;
    bsize: number;
    blocks: number;
    bfree: number;
    bavail: number;
    files: number;
    ffree: number;
}
export interface Dirent {
    name: string;
    parentPath: string;
    path: string;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
    isCharacterDevice(): boolean;
    isBlockDevice(): boolean;
    isFIFO(): boolean;
    isSocket(): boolean;
}

export interface WriteOptions {
    encoding?: Encoding | null;
    mode?: number | string;
    flag?: string | number;
    signal?: AbortSignal;
    /** Durable when the promise resolves. */
    flush?: boolean;
}
export interface ReadOptions {
    encoding?: Encoding | null;
    flag?: string | number;
    signal?: AbortSignal;
}
type TextOptions = Encoding | (ReadOptions & { encoding: Encoding });
type BytesOptions = null | (ReadOptions & { encoding?: null });

export interface FileHandle {
    readonly fd: number;
    read<B extends ArrayBufferView>(
        buffer: B,
        offset?: number | null,
        length?: number | null,
        position?: number | bigint | null,
    ): Promise<{ bytesRead: number; buffer: B }>;
    read<B extends ArrayBufferView = Uint8Array>(options?: {
        buffer?: B;
        offset?: number | null;
        length?: number | null;
        position?: number | bigint | null;
    }): Promise<{ bytesRead: number; buffer: B }>;
    readv<B extends ArrayBufferView>(
        buffers: B[],
        position?: number,
    ): Promise<{ bytesRead: number; buffers: B[] }>;
    write<B extends ArrayBufferView>(
        buffer: B,
        offset?: number | null,
        length?: number | null,
        position?: number | null,
    ): Promise<{ bytesWritten: number; buffer: B }>;
    write(
        text: string,
        position?: number | null,
        encoding?: Encoding,
    ): Promise<{ bytesWritten: number; buffer: string }>;
    writev<B extends ArrayBufferView>(
        buffers: B[],
        position?: number,
    ): Promise<{ bytesWritten: number; buffers: B[] }>;
    readFile(options?: BytesOptions): Promise<Uint8Array>;
    readFile(options: TextOptions): Promise<string>;
    readLines(): AsyncIterable<string>;
    writeFile(data: Data, options?: Encoding | WriteOptions): Promise<void>;
    appendFile(data: Data, options?: Encoding | WriteOptions): Promise<void>;
    stat(options?: { bigint?: false }): Promise<Stats>;
    stat(options: { bigint: true }): Promise<BigIntStats>;
    truncate(length?: number): Promise<void>;
    chmod(mode: number | string): Promise<void>;
    chown(uid: number, gid: number): Promise<void>;
    utimes(atime: Time, mtime: Time): Promise<void>;
    /** Resolves when the file's data is durable, and all that is not data of other files. */
    sync(): Promise<void>;
    datasync(): Promise<void>;
    close(): Promise<void>;
}

export interface Promises {
    readonly constants: Readonly<Record<string, number>>;
    access(path: Path, mode?: number): Promise<void>;
    appendFile(path: Path | FileHandle, data: Data, options?: Encoding | WriteOptions): Promise<void>;
    chmod(path: Path, mode: number | string): Promise<void>;
    chown(path: Path, uid: number, gid: number): Promise<void>;
    copyFile(from: Path, to: Path, mode?: number): Promise<void>;
    cp(
        from: Path,
        to: Path,
        options?: {
            recursive?: boolean;
            force?: boolean;
            errorOnExist?: boolean;
            dereference?: boolean;
            preserveTimestamps?: boolean;
            verbatimSymlinks?: boolean;
        },
    ): Promise<void>;
    lchown(path: Path, uid: number, gid: number): Promise<void>;
    link(existing: Path, path: Path): Promise<void>;
    lstat(path: Path, options?: { bigint?: false }): Promise<Stats>;
    lstat(path: Path, options: { bigint: true }): Promise<BigIntStats>;
    lutimes(path: Path, atime: Time, mtime: Time): Promise<void>;
    mkdir(
        path: Path,
        options?: number | string | { mode?: number | string; recursive?: boolean },
    ): Promise<string | undefined>;
    mkdtemp(prefix: string): Promise<string>;
    open(path: Path, flags?: string | number, mode?: number | string): Promise<FileHandle>;
    readdir(
        path: Path,
        options?: Encoding | { encoding?: Encoding; recursive?: boolean },
    ): Promise<string[]>;
    readdir(
        path: Path,
        options: 'buffer' | { encoding: 'buffer'; recursive?: boolean },
    ): Promise<Uint8Array[]>;
    readdir(path: Path, options: { withFileTypes: true; recursive?: boolean }): Promise<Dirent[]>;
    readFile(path: Path | FileHandle, options?: BytesOptions): Promise<Uint8Array>;
    readFile(path: Path | FileHandle, options: TextOptions): Promise<string>;
    readlink(path: Path, options?: Encoding | { encoding?: Encoding }): Promise<string>;
    realpath(path: Path): Promise<string>;
    rename(from: Path, to: Path): Promise<void>;
    rm(path: Path, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
    rmdir(path: Path): Promise<void>;
    stat(path: Path, options?: { bigint?: false }): Promise<Stats>;
    stat(path: Path, options: { bigint: true }): Promise<BigIntStats>;
    statfs(path: Path): Promise<StatFs>;
    symlink(target: Path, path: Path, type?: string): Promise<void>;
    truncate(path: Path, length?: number): Promise<void>;
    unlink(path: Path): Promise<void>;
    utimes(path: Path, atime: Time, mtime: Time): Promise<void>;
    writeFile(path: Path | FileHandle, data: Data, options?: Encoding | WriteOptions): Promise<void>;
}

/** In node and in a worker: the same at once. */
export interface Synchronous {
    accessSync(path: Path): void;
    appendFileSync(path: Path | number, data: Data, options?: Encoding | WriteOptions): void;
    chmodSync(path: Path, mode: number | string): void;
    chownSync(path: Path, uid: number, gid: number): void;
    closeSync(fd: number): void;
    copyFileSync(from: Path, to: Path, mode?: number): void;
    existsSync(path: Path): boolean;
    fchmodSync(fd: number, mode: number | string): void;
    fstatSync(fd: number): Stats;
    /** Not on IndexedDB, which has to be waited for. */
    fsyncSync(fd: number): void;
    ftruncateSync(fd: number, length?: number): void;
    lchownSync(path: Path, uid: number, gid: number): void;
    linkSync(existing: Path, path: Path): void;
    lstatSync(path: Path): Stats;
    lutimesSync(path: Path, atime: Time, mtime: Time): void;
    mkdirSync(path: Path, options?: number | { mode?: number; recursive?: boolean }): string | undefined;
    openSync(path: Path, flags?: string | number, mode?: number | string): number;
    readSync(
        fd: number,
        buffer: ArrayBufferView,
        offset?: number,
        length?: number,
        position?: number | null,
    ): number;
    readdirSync(path: Path): string[];
    readdirSync(path: Path, options: { withFileTypes: true }): Dirent[];
    readFileSync(path: Path | number, options?: BytesOptions): Uint8Array;
    readFileSync(path: Path | number, options: TextOptions): string;
    readlinkSync(path: Path): string;
    realpathSync(path: Path): string;
    renameSync(from: Path, to: Path): void;
    rmSync(path: Path, options?: { recursive?: boolean; force?: boolean }): void;
    rmdirSync(path: Path): void;
    statSync(path: Path): Stats;
    symlinkSync(target: Path, path: Path): void;
    /** Not on IndexedDB. */
    syncSync(): void;
    truncateSync(path: Path, length?: number): void;
    unlinkSync(path: Path): void;
    utimesSync(path: Path, atime: Time, mtime: Time): void;
    writeFileSync(path: Path | number, data: Data, options?: Encoding | WriteOptions): void;
    writeSync(
        fd: number,
        buffer: ArrayBufferView,
        offset?: number,
        length?: number,
        position?: number | null,
    ): number;
}

export interface Subvolume {
    id: number;
    /** From the top level, without a slash in front. */
    path: string;
    readOnly: boolean;
    generation: number;
}

export interface CheckReport {
    clean: boolean;
    issues: { severity: 'problem' | 'warning'; message: string }[];
    issuesTotal: number;
    blocksRead: number;
    bytesRead: number;
}

export interface GlassFS extends Promises, Partial<Synchronous> {
    readonly promises: Promises;
    readonly info: { store: string; name?: string; id?: string; size: number };
    /** A commit: what has been done so far is durable when it resolves. */
    sync(): Promise<void>;
    /** Syncs and lets go of the volume. */
    close(): Promise<void>;
    /** A new, empty subvolume. */
    subvolume(path: string): Promise<void>;
    subvolumes(): Promise<Subvolume[]>;
    /** A snapshot of the subvolume `source` (default: the root) at `path`. Read-only by default. */
    snapshot(path: string, options?: { source?: string | number; readOnly?: boolean }): Promise<void>;
    /** Copies a file or a tree; the copy shares the data. */
    clone(from: string, to: string): Promise<void>;
    /** The subvolume (default: the root) gets the snapshot's content. A snapshot is named by path or id. */
    rollback(snapshot: string | number, options?: { subvolume?: string }): Promise<void>;
    /** Reads everything and compares, as `btrfs check` does. */
    check(options?: { data?: boolean }): Promise<CheckReport>;
    /** The image of the (first) device, which Linux mounts. */
    export(): Promise<Blob>;
}

export function open(options?: OpenOptions): Promise<GlassFS>;
export const constants: Readonly<Record<string, number>>;

/** Browser: the volumes that it keeps, those of the GlassFS page too. */
export function volumes(): Promise<
    { id: string; name: string; store: string; size: number; created: Date; opened: Date }[]
>;
/** Browser: deletes a volume that nobody has open. */
export function remove(volume: { name?: string; id?: string; store?: string }): Promise<void>;
