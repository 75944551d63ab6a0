// SPDX-License-Identifier: MIT
// The npm package on IndexedDB.
import { adapter } from './glassfs.js';

export default () =>
    adapter(
        'glassfs-idb',
        'GlassFS (IndexedDB)',
        'indexeddb',
        'a commit, in one transaction with strict durability',
    );
