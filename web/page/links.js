// SPDX-License-Identifier: MIT
// What stands behind the '#' of the address: a link to a picture, which is the program's own text
// (ui/model/share.h), or `image=` and the address of an image.
const PICTURE = '#g1.';
const IMAGE = '#image=';
const is_link = () => location.hash.startsWith(PICTURE) || location.hash.startsWith(IMAGE);

export class Links {
    constructor(core, files) {
        this.core = core;
        this.files = files;
        this.opened = false;
        addEventListener('hashchange', () => is_link() && this.#open());
    }
    // The address's own, once. False: there is none.
    open_first() {
        if (this.opened || !is_link()) return false;
        this.#open();
        return true;
    }
    address() {
        return location.href.split('#')[0];
    }
    async #open() {
        this.opened = true;
        const { hash } = location;
        if (hash.startsWith(PICTURE)) return this.core.action({ do: 'shared', text: hash.slice(1) });
        let address = hash.slice(IMAGE.length);
        try {
            address = decodeURIComponent(address);
            await this.files.open_address(address);
        } catch (error) {
            this.core.open_failed(error.message, address);
        }
    }
}
