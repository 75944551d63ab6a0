// SPDX-License-Identifier: MIT
// One tab or worker owns an open volume: it holds the Web Lock glassfs-volume-ID. Who finds it held may take
// the volume over:
//
//     the other one                                   the owner
//     "release ID" on the channel  ------------->     closes the volume (the core syncs it), its worker
//     waits for the lock           <-- lock free --   closes the store; says that the volume was taken
//
// An owner that doesn't answer (a tab that the browser froze) has its lock stolen. Its files stay its own
// until it closes them, since access to them is exclusive; its writes to IndexedDB are refused by generation.
export const CHANNEL = 'glassfs-volumes'; // of a BroadcastChannel; messages are { release: ID }
const PATIENCE_MS = 10000; // for an owner to sync, close and let go

export const lock_name = (id) => `glassfs-volume-${id}`;

// Resolves with a lock that is held until release(), or null; `lost` is called when it is stolen.
export function take_lock(id, options, lost = () => {}) {
    return new Promise((done, failed) => {
        let taken = null;
        navigator.locks
            .request(lock_name(id), options, (lock) => {
                if (!lock) return done(null);
                return new Promise((release) => {
                    taken = { release };
                    done(taken);
                });
            })
            .catch((error) => {
                if (taken) lost();
                else failed(error);
            });
    });
}

export async function take_over(id, channel, lost) {
    channel.postMessage({ release: id });
    try {
        return await take_lock(id, { signal: AbortSignal.timeout(PATIENCE_MS) }, lost);
    } catch {
        return take_lock(id, { steal: true }, lost);
    }
}
