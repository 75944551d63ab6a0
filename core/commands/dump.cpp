// SPDX-License-Identifier: MIT
// dump: metadata as it lies on disk, drawn from the inspector's decoded fields.
//
// As JSON each line is one of
//   {"tree": 5, "name": "FS_TREE", "root": ..., ...}                       before the blocks of a tree
//   {"block": 30408704, "level": 0, ..., "items": [{"slot": 0, "key": [256, 1, 0], ..., "fields": [...]}]}
// and with --super one document {"superblock": [fields]}.
#include "base/text.h"
#include "commands/json.h"
#include "commands/run.h"

#include <algorithm>
#include <cctype>

namespace glassfs::commands {

namespace {

std::string fields_json(const std::vector<inspect::Field>& fields) {
    JsonArray out;
    for (const auto& field : fields) {
        JsonObject one;
        one.add("name", field.name)
            .add("offset", field.offset)
            .add("size", field.size)
            .add("value", field.value);
        if (!field.meaning.empty()) one.add("meaning", field.meaning);
        if (field.depth != 0) one.add("depth", field.depth);
        out.raw(one.str());
    }
    return out.str();
}

std::string fields_text(const std::vector<inspect::Field>& fields, std::size_t indent) {
    std::string out;
    for (const auto& field : fields) {
        std::string name = std::string(2 * field.depth, ' ') + field.name;
        out += std::string(indent, ' ') + text("%6u %5u  %-28s ", field.offset, field.size, name.c_str()) +
               printable(field.value);
        if (!field.meaning.empty()) out += "  (" + printable(field.meaning) + ")";
        out += '\n';
    }
    return out;
}

std::string key_json(const KeyRef& key) {
    return JsonArray()
        .raw(std::to_string(key.objectid))
        .raw(std::to_string(key.type))
        .raw(std::to_string(key.offset))
        .str();
}

std::string upper(std::string_view words) {
    std::string out(words);
    for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

class Dumper {
  public:
    explicit Dumper(Context& context)
        : context_(context),
          inspector_(context.volume.inspector()),
          keys_only_(context.arguments.has("keys")),
          hex_(context.arguments.has("hex")) {}

    ExitCode result() const { return failed_ ? ExitCode::Problems : ExitCode::Done; }

    void failed(std::string_view what, const Error& error) {
        context_.complain(what, error);
        failed_ = true;
    }

    void superblock() {
        auto fields = inspector_.superblock();
        if (context_.json())
            context_.out(JsonObject().raw("superblock", fields_json(fields)).line());
        else
            context_.out("superblock\n" + fields_text(fields, 2));
    }

    void list_trees() {
        for (const auto& tree : inspector_.trees()) tree_line(tree);
    }

    void tree_line(const inspect::TreeInfo& tree) {
        if (context_.json()) {
            JsonObject out;
            out.add("tree", tree.id)
                .add("name", tree.name)
                .add("root", tree.root.value)
                .add("level", tree.level);
            out.add("generation", tree.generation.value).add("is_subvolume", tree.is_subvolume);
            out.add("is_log", tree.is_log);
            if (tree.error) out.raw("error", error_json(*tree.error).str());
            context_.out(out.line());
        } else {
            context_.out(coloured(text("tree %lld %s", static_cast<long long>(tree.id),
                                       name_text(tree.name, context_.style).c_str()),
                                  Colour::Bold, context_.style) +
                         text(": root %llu, level %u, generation %llu",
                              static_cast<unsigned long long>(tree.root.value), tree.level,
                              static_cast<unsigned long long>(tree.generation.value)) +
                         (tree.error ? ", " + tree.error->message() : "") + "\n");
        }
        if (tree.error) failed_ = true;
    }

    // Every block of a tree, from its root down, parents first.
    void tree(const inspect::TreeInfo& tree) {
        tree_line(tree);
        if (!tree.error)
            descend(
                tree.root, tree.name, [](const KeyRef&, const KeyRef*) { return true; }, false);
    }

    // The items of one inode; `fields` of no other item are shown.
    void inode(const inspect::TreeInfo& tree, u64 number) {
        tree_line(tree);
        KeyRef first{number, 0, 0}, last{number, 0xff, ~u64{0}};
        bool any = false;
        descend(
            tree.root, tree.name,
            [&](const KeyRef& begin, const KeyRef* end) { return begin <= last && (!end || *end > first); },
            true,
            [&](const KeyRef& key) {
                any = any || key.objectid == number;
                return key.objectid == number;
            });
        if (!any)
            failed(text("inode %llu", static_cast<unsigned long long>(number)),
                   Error{Cause::NotFound, {}, {}});
    }

    Result<void> block(LogicalAddr addr) {
        show(TRY(inspector_.block(addr)), {});
        return {};
    }

  private:
    using Wanted = std::function<bool(const KeyRef& begin, const KeyRef* end)>;
    using ItemWanted = std::function<bool(const KeyRef&)>;

    // Shows blocks below `root` whose range of keys is wanted; only leaves when `leaves_only`.
    void descend(LogicalAddr root, std::string_view what, const Wanted& wanted, bool leaves_only,
                 const ItemWanted& item_wanted = {}) {
        struct Step {
            LogicalAddr addr;
            u32 level_max;  // children must be lower, so that damage can't lead in circles
        };
        std::vector<Step> todo{{root, 256}};
        while (!todo.empty()) {
            Step step = todo.back();
            todo.pop_back();
            auto view = inspector_.block(step.addr);
            if (!view) {
                failed(what, view.error());
                continue;
            }
            if (view->error) failed(what, *view->error);
            if (view->level >= step.level_max) continue;
            if (!leaves_only || view->level == 0) show(*view, item_wanted);
            for (std::size_t i = view->items.size(); i-- > 0;) {
                const inspect::Item& item = view->items[i];
                const KeyRef* end = i + 1 < view->items.size() ? &view->items[i + 1].key : nullptr;
                if (item.child && wanted(item.key, end)) todo.push_back({*item.child, view->level});
            }
            if (!context_.report_progress(-1, what)) return;
        }
    }

    void show(const inspect::BlockView& view, const ItemWanted& wanted) {
        std::vector<const inspect::Item*> items;
        for (const auto& item : view.items) {
            if (!wanted || wanted(item.key)) items.push_back(&item);
        }
        if (wanted && items.empty()) return;
        context_.out(context_.json() ? block_json(view, items) : block_text(view, items));
    }

    std::vector<inspect::Field> fields_of(const inspect::BlockView& view, const inspect::Item& item) {
        if (keys_only_) return {};
        auto fields = inspector_.item_fields(view.addr, item.slot);
        return fields ? std::move(*fields) : std::vector<inspect::Field>();
    }

    std::string item_bytes(const inspect::BlockView& view, const inspect::Item& item) const {
        u64 end = u64{item.data_offset} + item.data_size;
        if (!view.raw || end > view.raw->size()) return "";
        return hex_bytes(Bytes(*view.raw).subspan(item.data_offset, item.data_size));
    }

    std::string block_json(const inspect::BlockView& view, const std::vector<const inspect::Item*>& shown) {
        JsonArray copies, items;
        for (const auto& copy : view.copies) {
            copies.raw(JsonObject()
                           .add("device", copy.device)
                           .add("physical", copy.physical.value)
                           .add("readable", copy.readable)
                           .str());
        }
        for (const inspect::Item* item : shown) {
            JsonObject one;
            one.add("slot", item->slot).raw("key", key_json(item->key)).add("type_name", item->type_name);
            one.add("key_text", item->key_text).add("summary", item->summary);
            one.add("offset", item->data_offset).add("size", item->data_size);
            if (item->child) {
                one.add("child", item->child->value).add("child_generation", item->child_generation.value);
            }
            if (item->error) one.raw("error", error_json(*item->error).str());
            if (!keys_only_) one.raw("fields", fields_json(fields_of(view, *item)));
            if (hex_) one.add("hex", item_bytes(view, *item));
            items.raw(one.str());
        }
        JsonObject out;
        out.add("block", view.addr.value).add("size", view.size).add("level", view.level);
        out.add("generation", view.generation.value)
            .add("owner", view.owner)
            .add("owner_name", view.owner_name);
        out.add("free_bytes", view.free_bytes)
            .add("used_bytes", view.used_bytes)
            .add("capacity", view.capacity);
        out.add("checksum_type", view.checksum_type).add("checksum_stored", view.checksum_stored);
        out.add("checksum_computed", view.checksum_computed).raw("copies", copies.str());
        if (view.error) out.raw("error", error_json(*view.error).str());
        out.raw("header", fields_json(view.header)).raw("items", items.str());
        return out.line();
    }

    std::string block_text(const inspect::BlockView& view, const std::vector<const inspect::Item*>& shown) {
        using LL = unsigned long long;
        std::string head =
            text("%s %llu", view.level == 0 ? "leaf" : "node", static_cast<LL>(view.addr.value));
        std::string out = coloured(head, Colour::Bold, context_.style) +
                          text(": level %u, %zu items, %u bytes free, generation %llu, owner %s\n",
                               view.level, view.items.size(), view.free_bytes,
                               static_cast<LL>(view.generation.value), view.owner_name.c_str());
        bool good = view.checksum_ok();
        out += "  " + view.checksum_type + " " + view.checksum_stored;
        out += good ? " ok"
                    : coloured(" MISMATCH, computed " + view.checksum_computed, Colour::Red, context_.style);
        for (const auto& copy : view.copies) {
            out += text("; device %llu at %llu%s", static_cast<LL>(copy.device),
                        static_cast<LL>(copy.physical.value), copy.readable ? "" : " unreadable");
        }
        out += '\n';
        if (!keys_only_) out += fields_text(view.header, 2);
        for (const inspect::Item* item : shown) {
            out += text("  item %u ", item->slot) + coloured(item->key_text, Colour::Cyan, context_.style) +
                   text(" offset %u size %u", item->data_offset, item->data_size);
            if (!item->summary.empty()) out += "  " + printable(item->summary);
            out += '\n';
            if (item->error) {
                out += "      " + coloured(item->error->message(), Colour::Red, context_.style) + "\n";
            }
            out += fields_text(fields_of(view, *item), 6);
            if (hex_) out += "      " + item_bytes(view, *item) + "\n";
        }
        return out;
    }

    Context& context_;
    inspect::Inspector& inspector_;
    bool keys_only_;
    bool hex_;
    bool failed_ = false;
};

// By id ("5", "-9"), by name ("FS_TREE", "fs", "extent"), or a subvolume's ("256 home", "home").
Result<inspect::TreeInfo> tree_named(inspect::Inspector& inspector, const std::string& wanted) {
    std::optional<u64> id;
    bool negative = wanted.starts_with('-');
    if (auto number = parse_number(negative ? wanted.substr(1) : wanted))
        id = negative ? 0 - *number : *number;
    std::string name = upper(wanted);
    std::optional<inspect::TreeInfo> by_last_word;
    for (auto& tree : inspector.trees()) {
        if (id ? tree.id == *id : upper(tree.name) == name || upper(tree.name) == name + "_TREE") return tree;
        std::size_t blank = tree.name.find(' ');
        if (!id && blank != std::string::npos && tree.name.substr(blank + 1) == wanted) by_last_word = tree;
    }
    if (by_last_word) return *by_last_word;
    return fail(Cause::RootMissing, escaped(wanted) + " (\"dump\" alone lists the trees)");
}

Result<void> dump_inode(Context& context, Dumper& dumper) {
    u64 number = TRY(context.arguments.number("inode", 0));
    std::string tree = context.arguments.value("tree");
    if (tree.empty()) tree = std::to_string(context.volume.files().root().tree);
    dumper.inode(TRY(tree_named(context.volume.inspector(), tree)), number);
    return {};
}

Result<void> dump_what(Context& context, Dumper& dumper) {
    const Arguments& arguments = context.arguments;
    if (arguments.has("super")) dumper.superblock();
    if (arguments.has("block")) TRY(dumper.block(LogicalAddr{TRY(arguments.number("block", 0))}));
    if (arguments.has("inode")) return dump_inode(context, dumper);
    if (arguments.has("tree"))
        dumper.tree(TRY(tree_named(context.volume.inspector(), arguments.value("tree"))));
    if (arguments.has("all")) {
        for (const auto& tree : context.volume.inspector().trees()) dumper.tree(tree);
    }
    bool nothing =
        !arguments.has("super") && !arguments.has("block") && !arguments.has("tree") && !arguments.has("all");
    if (nothing) dumper.list_trees();
    return {};
}

}  // namespace

ExitCode run_dump(Context& context) {
    Dumper dumper(context);
    auto done = dump_what(context, dumper);
    if (!done && done.error().cause == Cause::InvalidArgument && done.error().detail.starts_with("--")) {
        context.complain(done.error().detail);
        return ExitCode::NotRun;
    }
    if (!done) dumper.failed("dump", done.error());
    return dumper.result();
}

}  // namespace glassfs::commands
