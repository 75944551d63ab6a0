// SPDX-License-Identifier: MIT
// Links to a picture: what stands behind the '#' of the address is the program's own text (ui/model/share.h).
const is_link = () => location.hash.startsWith('#g1.');

export class SharedLinks {
    constructor(core) {
        this.core = core;
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
    #open() {
        this.opened = true;
        this.core.action({ do: 'shared', text: location.hash.slice(1) });
    }
}
