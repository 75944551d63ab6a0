// SPDX-License-Identifier: MIT
// What the program asks about kept volumes (ui/model/kept_volumes.h), and what it is told of them: the list,
// the room, and the work that goes on. Volumes themselves are in volumes.js.
const PUSH_MS = 100; // while work goes on

export class Kept {
    #tasks = new Map(); // id -> { title, done, of, controller }
    #next_task = 1;
    #error = '';
    #pushing = null;
    #again = false;

    constructor(core, volumes, files) {
        this.core = core;
        this.volumes = volumes;
        this.files = files;
    }

    // Tells the program what there is now. One at a time; what comes meanwhile is told once more.
    push() {
        this.#again = true;
        this.#pushing ??= this.#push_all().finally(() => {
            this.#pushing = null;
        });
        return this.#pushing;
    }
    async #push_all() {
        while (this.#again) {
            this.#again = false;
            this.core.kept(await this.#state());
        }
    }

    async #state() {
        const tasks = [...this.#tasks].map(([id, { title, done, of }]) => ({ id, title, done, of }));
        const nothing = { volumes: [], tasks, error: this.#error };
        try {
            const [list, room] = [await this.volumes.list(), await this.volumes.room()];
            const volumes = await Promise.all(
                list.map(async ({ id, name, store, devices, opened, open }) => ({
                    id,
                    name,
                    store,
                    opened,
                    open,
                    devices: devices.length,
                    size: devices.reduce((sum, { size }) => sum + size, 0),
                    stored: await this.volumes.bytes_stored(id).catch(() => 0),
                })),
            );
            return { ...nothing, volumes, storage: { available: true, ...room } };
        } catch (error) {
            return { ...nothing, storage: { available: false, why: error.message } };
        }
    }

    // Work that takes its time: `run({ progress, signal })`. It can be cancelled by its number.
    async task(title, run) {
        const id = this.#next_task++;
        const controller = new AbortController();
        const task = { title, done: 0, of: 0, controller };
        this.#tasks.set(id, task);
        this.push();
        let pushed = performance.now();
        const progress = (done, of) => {
            Object.assign(task, { done, of });
            if (performance.now() - pushed < PUSH_MS) return;
            pushed = performance.now();
            this.push();
        };
        try {
            return await run({ progress, signal: controller.signal });
        } finally {
            this.#tasks.delete(id);
            this.push();
        }
    }

    // From the program; it hears how it went by the number that it has given.
    async request(number, json) {
        const { do: verb, id, name, ...options } = JSON.parse(json);
        this.#error = '';
        let message = '';
        try {
            await this.#run(verb, id, name, options);
        } catch (error) {
            message = error.message || String(error);
            if (error.code !== 'cancelled') this.#error = message;
        }
        this.core.kept_done(number, message);
        await this.push();
    }

    async #run(verb, id, name, options) {
        switch (verb) {
            case 'list':
                return;
            case 'create':
                await this.task(`Creating ${name}`, (task) =>
                    this.volumes.create({ name, ...options, ...task }),
                );
                this.volumes.persist_answer?.then(() => this.push());
                return;
            case 'open-address':
                return this.files.open_address(name);
            case 'open':
                return this.volumes.open(id, { take_over: true });
            case 'close':
                return this.volumes.close(id);
            case 'rename':
                return this.volumes.rename(id, name);
            case 'duplicate':
                await this.volumes.close(id);
                return this.task(`Copying into ${name}`, (task) =>
                    this.volumes.duplicate(id, { name, ...task }),
                );
            case 'export':
                return this.#save(id);
            case 'delete':
                await this.volumes.close(id);
                return this.volumes.remove(id);
            case 'cancel-task':
                this.#tasks.get(Number(id))?.controller.abort();
                return;
            default:
                throw new Error(`nobody knows how to ${verb}`);
        }
    }

    // A raw image of each device, saved by the browser, which shows how far it is.
    async #save(id) {
        const { name, devices } = (await this.volumes.list()).find((one) => one.id === id);
        const blobs = await this.volumes.export(id);
        for (const [i, blob] of blobs.entries()) {
            const url = URL.createObjectURL(blob);
            const download = devices.length > 1 ? `${name}-${i + 1}.img` : `${name}.img`;
            Object.assign(document.createElement('a'), { href: url, download }).click();
            setTimeout(() => URL.revokeObjectURL(url), 3600000);
        }
    }
}
