// SPDX-License-Identifier: MIT
// What ZenFS's tests load first (SETUP): its data on a glassfs, in memory or in the image file that
// GLASSFS_IMAGE names, mounted as ZenFS's root.
import { fs } from '@zenfs/core';
import { after } from 'node:test';
import { load_package } from '../harness.mjs';
import { GlassFileSystem } from './backend.mjs';

const { open } = await load_package();
const image = process.env.GLASSFS_IMAGE;
const volume = await open(
    image
        ? { store: 'file', name: `${image}.${process.pid}`, create: true, size: 2 ** 30, umask: 0 }
        : { store: 'memory', umask: 0 },
);
fs.umount('/');
fs.mount('/', new GlassFileSystem(volume));
const { copySync, data } = await import('@zenfs/core/tests/setup.ts');
copySync(data);

export { fs };
// Extended attributes aren't there.
export const flags = { xattr: false };

after(() => volume.close());
