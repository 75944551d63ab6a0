// SPDX-License-Identifier: MIT
// Runs the source of a function in a worker, with the package and isomorphic-git, and answers with what it
// returns.
self.onmessage = async ({ data: { source, given } }) => {
    try {
        const glassfs = await import('/glassfs/api/browser.js');
        await import('/buffer.js');
        await import('/isomorphic-git.js');
        const run = (0, eval)(`(${source})`);
        self.postMessage({ value: await run(glassfs, self.git, ...given) });
    } catch (error) {
        self.postMessage({ error: `${error.stack ?? error}` });
    }
};
