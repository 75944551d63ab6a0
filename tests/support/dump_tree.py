# SPDX-License-Identifier: MIT
"""Brings the text of `btrfs inspect-internal dump-tree` and the lines of `glassfs dump --json` to one form:

    {bytenr: Block(level, generation, owner, nritems, items={slot: Item(key, where, fields)})}

where `key` is three numbers, `where` is (offset, size) of a leaf's item or (child, generation) of a node's
pointer, and `fields` holds, per item type, the numbers and names that dump-tree prints.
"""
import collections
import re

Block = collections.namedtuple("Block", "level generation owner nritems items")
Item = collections.namedtuple("Item", "key where fields")

OBJECTIDS = {
    "ROOT_TREE": 1, "EXTENT_TREE": 2, "CHUNK_TREE": 3, "DEV_TREE": 4, "FS_TREE": 5, "ROOT_TREE_DIR": 6,
    "CSUM_TREE": 7, "QUOTA_TREE": 8, "UUID_TREE": 9, "FREE_SPACE_TREE": 10, "BLOCK_GROUP_TREE": 11,
    "DEV_STATS": 0, "DEV_ITEMS": 1, "FIRST_CHUNK_TREE": 256, "BALANCE": -4, "ORPHAN": -5,
    "TREE_LOG": -6, "TREE_LOG_FIXUP": -7, "TREE_RELOC": -8, "DATA_RELOC_TREE": -9, "EXTENT_CSUM": -10,
    "FREE_SPACE": -11, "FREE_INO": -12, "CSUM_CHANGE": -13, "MULTIPLE": -255,
}
TYPES = {
    "UNTYPED": 0, "INODE_ITEM": 1, "INODE_REF": 12, "INODE_EXTREF": 13, "XATTR_ITEM": 24,
    "VERITY_DESC_ITEM": 36, "VERITY_MERKLE_ITEM": 37, "ORPHAN_ITEM": 48, "DIR_LOG_ITEM": 60,
    "DIR_LOG_INDEX": 72, "DIR_ITEM": 84, "DIR_INDEX": 96, "EXTENT_DATA": 108, "EXTENT_CSUM": 128,
    "ROOT_ITEM": 132, "ROOT_BACKREF": 144, "ROOT_REF": 156, "EXTENT_ITEM": 168, "METADATA_ITEM": 169,
    "TREE_BLOCK_REF": 176, "EXTENT_DATA_REF": 178, "SHARED_BLOCK_REF": 182, "SHARED_DATA_REF": 184,
    "BLOCK_GROUP_ITEM": 192, "FREE_SPACE_INFO": 198, "FREE_SPACE_EXTENT": 199, "FREE_SPACE_BITMAP": 200,
    "DEV_EXTENT": 204, "DEV_ITEM": 216, "CHUNK_ITEM": 228, "QGROUP_STATUS": 240, "QGROUP_INFO": 242,
    "QGROUP_LIMIT": 244, "QGROUP_RELATION": 246, "TEMPORARY_ITEM": 248, "BALANCE_ITEM": 248,
    "PERSISTENT_ITEM": 249, "DEV_REPLACE": 250, "UUID_KEY_SUBVOL": 251, "UUID_KEY_RECEIVED_SUBVOL": 252,
    "STRING_ITEM": 253,
}
NAMES = {number: name for name, number in TYPES.items()}
U64 = 1 << 64


def number(word):
    """A number as dump-tree writes one: decimal, hex, a name of an object, or a quota group's LEVEL/ID."""
    if word in OBJECTIDS:
        return OBJECTIDS[word] % U64
    if "/" in word:
        level, ident = word.split("/")
        return int(level) << 48 | int(ident)
    return int(word, 0) % U64


def key_of(words):
    objectid, kind, offset = words.split(" ")
    kind = int(kind[8:]) if kind.startswith("UNKNOWN.") else TYPES[kind]
    return number(objectid), kind, number(offset)


# What a line below an item says, by item type: (pattern, names of its groups).
INODE_LINES = [
    (r"generation (\d+) transid (\d+) size (\d+) nbytes (\d+)", "generation transid size nbytes"),
    (r"block group (\d+) mode (\d+) links (\d+) uid (\d+) gid (\d+) rdev (\d+)",
     "block_group mode nlink uid gid rdev"),
    (r"sequence (\d+) flags (0x[0-9a-f]+)", "sequence flags"),
    *[(rf"{t} (-?\d+)\.(\d+)", f"{t}.sec {t}.nsec") for t in ("atime", "ctime", "mtime", "otime")],
]
DIR_LINES = [
    (r"location key \(([^)]*)\) type (\w+)", "location.key type"),
    (r"transid (\d+) data_len (\d+) name_len (\d+)", "transid data_len name_len"),
    (r"name: (.*)", "name"),
]
ROOT_LINES = [
    (r"generation (\d+) root_dirid (\d+) bytenr (\d+) byte_limit (\d+) bytes_used (\d+)",
     "generation root_dirid bytenr byte_limit bytes_used"),
    (r"last_snapshot (\d+) flags (0x[0-9a-f]+)\S* refs (\d+)", "last_snapshot flags refs"),
    (r"level (\d+) generation_v2 (\d+)", "level generation_v2"),
    (r"uuid (\S+)", "uuid"), (r"parent_uuid (\S+)", "parent_uuid"), (r"received_uuid (\S+)", "received_uuid"),
    (r"ctransid (\d+) otransid (\d+) stransid (\d+) rtransid (\d+)", "ctransid otransid stransid rtransid"),
]
EXTENT_LINES = [
    (r"refs (\d+) gen (\d+) flags", "refs generation"),
    (r"tree block backref root (\S+)", "176.offset"),
    (r"shared block backref parent (\d+)", "182.offset"),
    (r"extent data backref root (\S+) objectid (\d+) offset (\d+) count (\d+)",
     "178.root 178.objectid 178.offset 178.count"),
    (r"shared data backref parent (\d+) count (\d+)", "184.offset 184.count"),
]
LINES = {
    "INODE_ITEM": INODE_LINES, "DIR_ITEM": DIR_LINES, "DIR_INDEX": DIR_LINES, "XATTR_ITEM": DIR_LINES,
    "ROOT_ITEM": ROOT_LINES, "EXTENT_ITEM": EXTENT_LINES, "METADATA_ITEM": EXTENT_LINES,
    "INODE_REF": [(r"index (\d+) namelen (\d+) name: (.*)", "index name_len name")],
    "INODE_EXTREF": [(r"index (\d+) parent (\d+) namelen (\d+) name: (.*)",
                      "index parent_objectid name_len name")],
    "ROOT_REF": [(r"root ref key dirid (\d+) sequence (\d+) name (.*)", "dirid sequence name")],
    "ROOT_BACKREF": [(r"root backref key dirid (\d+) sequence (\d+) name (.*)", "dirid sequence name")],
    "EXTENT_DATA": [
        (r"generation (\d+) type (\d+)", "generation type"),
        (r"(?:extent|prealloc) data disk byte (\d+) nr (\d+)", "disk_bytenr disk_num_bytes"),
        (r"extent data offset (\d+) nr (\d+) ram (\d+)", "offset num_bytes ram_bytes"),
        (r"prealloc data offset (\d+) nr (\d+)", "offset num_bytes"),
        (r"inline extent data size \d+ ram_bytes (\d+) compression (\d+)", "ram_bytes compression"),
        (r"extent compression (\d+)", "compression"),
    ],
    "DEV_ITEM": [(r"devid (\d+) total_bytes (\d+) bytes_used (\d+)", "devid total_bytes bytes_used"),
                 (r"io_align (\d+) io_width (\d+) sector_size (\d+) type (\d+)",
                  "io_align io_width sector_size type"),
                 (r"uuid (\S+)", "uuid"), (r"fsid (\S+)", "fsid")],
    "DEV_EXTENT": [(r"dev extent chunk_tree (\d+)", "chunk_tree"),
                   (r"chunk_objectid (\d+) chunk_offset (\d+) length (\d+)",
                    "chunk_objectid chunk_offset length"),
                   (r"chunk_tree_uuid (\S+)", "chunk_tree_uuid")],
    "CHUNK_ITEM": [(r"length (\d+) owner (\d+) stripe_len (\d+)", "length owner stripe_len"),
                   (r"io_align (\d+) io_width (\d+) sector_size (\d+)", "io_align io_width sector_size"),
                   (r"num_stripes (\d+) sub_stripes (\d+)", "num_stripes sub_stripes"),
                   (r"stripe \d+ devid (\d+) offset (\d+)", "devid offset"), (r"dev_uuid (\S+)", "dev_uuid")],
    "BLOCK_GROUP_ITEM": [(r"block group used (\d+) chunk_objectid (\d+)", "used chunk_objectid")],
    "FREE_SPACE_INFO": [(r"free space info extent count (\d+) flags (\d+)", "extent_count flags")],
    "QGROUP_INFO": [(r"generation (\d+)", "generation"),
                    (r"referenced (\d+) referenced_compressed (\d+)", "rfer rfer_cmpr"),
                    (r"exclusive (\d+) exclusive_compressed (\d+)", "excl excl_cmpr")],
    "QGROUP_LIMIT": [(r"max_referenced (\d+) max_exclusive (\d+)", "max_rfer max_excl"),
                     (r"rsv_referenced (\d+) rsv_exclusive (\d+)", "rsv_rfer rsv_excl")],
    "UUID_KEY_SUBVOL": [(r"subvol_id (\d+)", "subvol_id")],
    "UUID_KEY_RECEIVED_SUBVOL": [(r"subvol_id (\d+)", "subvol_id")],
    "DIR_LOG_INDEX": [(r"dir log end (\d+)", "end")],
    "DIR_LOG_ITEM": [(r"dir log end (\d+)", "end")],
    "PERSISTENT_ITEM": [(r"write_errs (\d+) read_errs (\d+) flush_errs (\d+) corruption_errs (\d+) "
                         r"generation (\d+)",
                         "write_errs read_errs flush_errs corruption_errs generation_errs")],
    "EXTENT_DATA_REF": [(r"extent data backref root (\S+) objectid (\d+) offset (\d+) count (\d+)",
                         "root objectid offset count")],
    "SHARED_DATA_REF": [(r"shared data backref count (\d+)", "count")],
}
DIR_TYPES = {"FILE": 1, "DIR": 2, "CHRDEV": 3, "BLKDEV": 4, "FIFO": 5, "SOCK": 6, "SYMLINK": 7, "XATTR": 8}


def compiled(pattern):
    return re.compile(pattern if pattern.endswith("(.*)") else pattern + r"(?=\s|\(|$)")


COMPILED = {kind: [(compiled(pattern), names.split()) for pattern, names in lines]
            for kind, lines in LINES.items()}
WANTED = {kind: {name for _, names in lines for name in names} for kind, lines in COMPILED.items()}


def shown(word):
    """As our dump shows names: control characters and what is not UTF-8 (escaped as surrogates) as U+FFFD."""
    return re.sub("[\x00-\x1f\x7f-\x9f\udc80-\udcff]", "\ufffd", word)


def continue_name(fields, line):
    """A name with a newline goes on in the next line, until it has its length."""
    if fields and fields[-1][0] == "name":
        lengths = [value for name, value in fields if name == "name_len"]
        raw = fields[-1][1].replace("\ufffd", "?").encode()
        if lengths and len(raw) < lengths[-1]:
            fields[-1] = ("name", fields[-1][1] + shown("\n" + line))


def value_of(kind, name, word):
    if name.endswith(".key"):
        return key_of(word)
    if name == "name":
        return shown(word)
    if name in ("uuid", "fsid") or name.endswith("_uuid"):
        return word
    if kind in ("DIR_ITEM", "DIR_INDEX", "XATTR_ITEM") and name == "type":
        return DIR_TYPES[word] if word in DIR_TYPES else int(word.rsplit(".", 1)[-1])
    if kind == "INODE_ITEM" and name == "mode":
        return int(word, 8)
    return number(word)


def from_dump_tree(lines):
    blocks, block, item = {}, None, None
    for line in lines:
        line = line.rstrip("\n")
        if m := re.match(r"leaf (\d+) items (\d+) free space \d+ generation (\d+) owner (\S+)", line):
            block = blocks[int(m[1])] = Block(0, int(m[3]), number(m[4]), int(m[2]), {})
            item = None
        elif m := re.match(r"node (\d+) level (\d+) items (\d+) free space \d+ generation (\d+) owner (\S+)",
                           line):
            block = blocks[int(m[1])] = Block(int(m[2]), int(m[4]), number(m[5]), int(m[3]), {})
            item = None
        elif m := re.match(r"\titem (\d+) key \(([^)]*)\) itemoff (\d+) itemsize (\d+)$", line):
            item = block.items[int(m[1])] = Item(key_of(m[2]), (int(m[3]), int(m[4])), [])
        elif m := re.match(r"\tkey \(([^)]*)\) block (\d+) gen (\d+)", line):
            block.items[len(block.items)] = Item(key_of(m[1]), (int(m[2]), int(m[3])), [])
        elif item and line.startswith("\t\t"):
            kind = NAMES.get(item.key[1], "")
            for pattern, names in COMPILED.get(kind, ()):
                if m := pattern.match(line.lstrip("\t")):
                    item.fields.extend((n, value_of(kind, n, w)) for n, w in zip(names, m.groups()))
                    break
        elif item:
            continue_name(item.fields, line)
    return blocks


# Structures inside of an item: how a nested field is called above, by the struct's own field name.
def from_json(records):
    blocks = {}
    for record in records:
        if "block" not in record:
            continue
        block = Block(record["level"], record["generation"], record["owner"], len(record["items"]), {})
        blocks[record["block"]] = block
        for item in record["items"]:
            key = tuple(item["key"])
            where = (item["offset"] - 101, item["size"])
            if record["level"]:
                where = (item["child"], item["child_generation"])
            fields = [] if record["level"] else json_fields(NAMES.get(key[1], ""), item["fields"])
            block.items[item["slot"]] = Item(key, where, fields)
    return blocks


def json_fields(kind, fields):
    """(name, value) of those that dump-tree prints too; some names are joined with their struct's."""
    out, path, skip_header = [], [], True
    for index, field in enumerate(fields):
        depth = field.get("depth", 0)
        # The item's own header (key, offset, size) comes first; dump-tree has it on the item's line.
        if skip_header:
            if depth == 0 and field["name"] == "size":
                skip_header = False
            continue
        path = path[:depth] + [field["name"]]
        name, value = field["name"], field["value"]
        if kind in ("DIR_ITEM", "DIR_INDEX", "XATTR_ITEM") and name == "location":
            key = tuple(int(fields[index + i]["value"]) for i in (1, 2, 3))
            out.append(("location.key", key))
            continue
        if "location" in path or "inode" in path or "drop_progress" in path:
            continue
        parent = path[-2] if depth else ""
        if name in ("sec", "nsec"):
            name = f"{parent}.{name}"
        if parent.startswith("inline ref"):
            name = f"{TYPES[parent.split()[-1]]}.{name}"
        if name in WANTED.get(kind, ()) and value != "":
            out.append((name, field_value(kind, name, value)))
    return out


def field_value(kind, name, value):
    if name in ("name", "uuid", "fsid") or name.endswith("_uuid"):
        return value
    if kind == "INODE_ITEM" and name == "mode":
        return int(value, 8)
    return int(value, 0) % U64
