// SPDX-License-Identifier: MIT
// What the mirror's parts are made with: elements that are changed only where something is new, so that the
// focus and a screen reader's position stay.
export function set_text(element, text) {
    if (element.textContent !== text) element.textContent = text;
}
export function set_attribute(element, name, value) {
    if (value === undefined || value === null || value === '') element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}
export function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
}

// One row for each of `rows`, made by `build` and filled by `fill`; surplus ones go.
export function show_rows(parent, rows, build, fill) {
    while (parent.children.length > rows.length) parent.lastElementChild.remove();
    while (parent.children.length < rows.length) parent.append(build());
    rows.forEach((row, i) => fill(parent.children[i], row));
}
