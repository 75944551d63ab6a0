// SPDX-License-Identifier: MIT
// Where the package is, what is run on it, and who judges its images.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../browser/harness.mjs';

export { check, equal, glassfs, root, run_tests, scratch, serve, Skip, test } from '../browser/harness.mjs';

export const package_folder = process.env.GLASSFS_PACKAGE ?? join(root, 'out/api/glassfs');
export const own_modules = join(root, 'tests/api/node_modules');
export const require_here = createRequire(import.meta.url);
export const load_package = () => import(pathToFileURL(join(package_folder, 'api/node.js')));

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const quiet = { env, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' };

// What `btrfs check` and glassfs say of an image; throws when one of them finds something.
export function judge(image, glassfs) {
    execFileSync('btrfs', ['check', '--readonly', '--check-data-csum', image], quiet);
    execFileSync(glassfs, ['check', image], quiet);
}

// Runs `look` with the folder where the kernel shows an image; null: it can't be mounted here, and why.
export function mounted(image, folder, look) {
    if (process.getuid() !== 0) return 'not root';
    const loop = execFileSync('losetup', ['-f', '--show', image], quiet).trim();
    try {
        execFileSync('mount', ['-t', 'btrfs', '-o', 'ro', loop, folder], quiet);
        try {
            look(folder);
        } finally {
            execFileSync('umount', [folder], quiet);
        }
    } finally {
        execFileSync('losetup', ['-d', loop], quiet);
    }
    return null;
}
