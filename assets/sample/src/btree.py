#!/usr/bin/env python3
"""A B+ tree small enough to read in one go: leaves hold the items, nodes the first key of each child.

Like the trees of btrfs it splits a leaf that is full and gives the root a new parent when the root itself splits.
Unlike them it changes its nodes in place and forgets everything at exit.
"""
import bisect
import random

FANOUT = 8


class Leaf:
    def __init__(self, keys, values):
        self.keys, self.values = keys, values

    def first(self):
        return self.keys[0]

    def find(self, key):
        at = bisect.bisect_left(self.keys, key)
        if at < len(self.keys) and self.keys[at] == key:
            return self.values[at]
        raise KeyError(key)

    def insert(self, key, value):
        at = bisect.bisect_left(self.keys, key)
        if at < len(self.keys) and self.keys[at] == key:
            self.values[at] = value
            return None
        self.keys.insert(at, key)
        self.values.insert(at, value)
        if len(self.keys) <= FANOUT:
            return None
        half = len(self.keys) // 2
        right = Leaf(self.keys[half:], self.values[half:])
        del self.keys[half:], self.values[half:]
        return right

    def items(self):
        yield from zip(self.keys, self.values)

    def depth(self):
        return 1


class Node:
    def __init__(self, children):
        self.children = children
        self.keys = [child.first() for child in children]

    def first(self):
        return self.keys[0]

    def slot(self, key):
        return max(0, bisect.bisect_right(self.keys, key) - 1)

    def find(self, key):
        return self.children[self.slot(key)].find(key)

    def insert(self, key, value):
        slot = self.slot(key)
        right = self.children[slot].insert(key, value)
        self.keys[slot] = self.children[slot].first()
        if right is None:
            return None
        self.children.insert(slot + 1, right)
        self.keys.insert(slot + 1, right.first())
        if len(self.children) <= FANOUT:
            return None
        half = len(self.children) // 2
        sibling = Node(self.children[half:])
        del self.children[half:], self.keys[half:]
        return sibling

    def items(self):
        for child in self.children:
            yield from child.items()

    def depth(self):
        return 1 + self.children[0].depth()


class Tree:
    def __init__(self):
        self.root = Leaf([], [])

    def __setitem__(self, key, value):
        right = self.root.insert(key, value)
        if right is not None:
            self.root = Node([self.root, right])

    def __getitem__(self, key):
        return self.root.find(key)

    def items(self):
        return self.root.items()


def main():
    tree, truth = Tree(), {}
    numbers = random.Random(7)
    for _ in range(20000):
        key = numbers.randrange(50000)
        tree[key] = truth[key] = numbers.random()
    assert list(tree.items()) == sorted(truth.items())
    assert all(tree[key] == value for key, value in truth.items())
    print(f"{len(truth)} keys, {tree.root.depth()} levels, in order")


if __name__ == "__main__":
    main()
