// SPDX-License-Identifier: MIT
#include "side.h"

#include "base/crc32c.h"

namespace glassfs::differential {

using vfs::NodeId;

namespace {

Buffer xattr_value(const Operation& op) {
    if (op.target.empty()) return make_data(op.data_seed, op.length);
    Bytes text = as_bytes(op.target);
    return Buffer(text.begin(), text.end());
}

}  // namespace

std::string Outcome::text() const {
    std::string out = errno_name(code);
    if (!answer.empty()) out += " " + shown(answer);
    return out;
}

Result<NodeId> Side::resolve(const NodeRef& ref) {
    if (ref.handle) {
        if (!handles_[*ref.handle]) return fail(Cause::NotFound);
        return *handles_[*ref.handle];
    }
    NodeId at = files_.root();
    for (const auto& name : ref.path) at = TRY(files_.lookup(at, name));
    return at;
}

std::vector<std::optional<NodeId>> Side::touched_by(const Operation& op) {
    std::vector<std::optional<NodeId>> out;
    auto add = [&](Result<NodeId> found) {
        out.push_back(found ? std::optional(*found) : std::nullopt);
        return found;
    };
    auto usable = [](const std::string& name) { return !name.empty() && name != "." && name != ".."; };
    auto node = add(resolve(op.node));
    if (node && usable(op.name)) add(files_.lookup(*node, op.name));
    auto other = add(resolve(op.other));
    if (other && usable(op.other_name)) add(files_.lookup(*other, op.other_name));
    return out;
}

void Side::release_all() {
    for (auto& handle : handles_) {
        if (handle) (void)files_.release(*handle);
        handle.reset();
    }
    forget();
}

Outcome Side::run(const Operation& op) {
    auto answer = apply(op);
    if (!answer) return {answer.error().code(), ""};
    return {Errno::OK, *answer};
}

Result<std::string> Side::apply(const Operation& op) {
    switch (op.kind) {
        case OperationKind::Create:
        case OperationKind::MakeDirectory:
        case OperationKind::MakeNode:
        case OperationKind::Symlink:
        case OperationKind::Link:
        case OperationKind::Unlink:
        case OperationKind::RemoveDirectory:
        case OperationKind::Rename:
        case OperationKind::CreateSubvolume:
        case OperationKind::Snapshot:
        case OperationKind::DeleteSubvolume:
            return apply_to_names(op);
        case OperationKind::CreateMany:
        case OperationKind::LinkMany:
        case OperationKind::UnlinkMany:
            return apply_to_many(op);
        case OperationKind::Tmpfile:
        case OperationKind::Hold:
        case OperationKind::Release:
            return apply_to_handle(op);
        case OperationKind::Write:
        case OperationKind::WriteZero:
        case OperationKind::Truncate:
        case OperationKind::Fallocate:
        case OperationKind::Clone:
        case OperationKind::Read:
        case OperationKind::Seek:
            return apply_to_file(op);
        case OperationKind::Sync:
            TRY(files_.sync());
            return std::string();
        default:
            return apply_to_inode(op);
    }
}

Result<std::string> Side::apply_to_names(const Operation& op) {
    NodeId node = TRY(resolve(op.node));
    switch (op.kind) {
        case OperationKind::Symlink:
            TRY(files_.symlink(node, op.name, op.target, op.inode));
            break;
        case OperationKind::Link:
            TRY(files_.link(node, TRY(resolve(op.other)), op.other_name));
            break;
        case OperationKind::Unlink:
            TRY(files_.unlink(node, op.name));
            break;
        case OperationKind::RemoveDirectory:
            TRY(files_.rmdir(node, op.name));
            break;
        case OperationKind::Rename:
            TRY(files_.rename(node, op.name, TRY(resolve(op.other)), op.other_name, op.rename));
            break;
        case OperationKind::CreateSubvolume:
            TRY(files_.create_subvolume(node, op.name, op.inode));
            break;
        case OperationKind::Snapshot:
            TRY(files_.snapshot(node, TRY(resolve(op.other)), op.other_name, op.snapshot));
            break;
        case OperationKind::DeleteSubvolume:
            TRY(files_.delete_subvolume(node, op.name));
            break;
        default:
            TRY(files_.create(node, op.name, op.inode));
    }
    return std::string();
}

// Goes on behind errors: which of the names failed is part of the answer.
Result<std::string> Side::apply_to_many(const Operation& op) {
    NodeId node = TRY(resolve(op.node));
    NodeId other = op.kind == OperationKind::LinkMany ? TRY(resolve(op.other)) : node;
    std::string answer;
    for (u64 i = 0; i < op.count; ++i) {
        std::string name = numbered_name(op.name, i);
        Result<void> done;
        if (op.kind == OperationKind::LinkMany) {
            done = files_.link(node, other, name);
        } else if (op.kind == OperationKind::UnlinkMany) {
            done = files_.unlink(node, name);
        } else if (auto made = files_.create(node, name, op.inode); !made) {
            done = fail(made.error());
        }
        if (!done) answer += std::to_string(i) + errno_name(done.error().code()) + " ";
        if (i % 64 == 63) forget();
        if (i % 64 == 63 && i + 1 < op.count) {  // what was looked up is forgotten
            node = TRY(resolve(op.node));
            other = op.kind == OperationKind::LinkMany ? TRY(resolve(op.other)) : node;
        }
    }
    return answer;
}

Result<std::string> Side::apply_to_handle(const Operation& op) {
    auto& place = handles_[op.handle];
    if (op.kind == OperationKind::Release) {
        if (!place) return fail(Cause::NotFound);
        auto released = files_.release(*place);
        place.reset();
        TRY(released);
        return std::string();
    }
    if (place) return fail(Cause::Busy);
    NodeId node = TRY(resolve(op.node));
    if (op.kind == OperationKind::Tmpfile) {
        place = TRY(files_.tmpfile(node, op.inode));
    } else {
        files_.hold(node);
        place = node;
    }
    return std::string();
}

Result<std::string> Side::apply_to_file(const Operation& op) {
    NodeId node = TRY(resolve(op.node));
    switch (op.kind) {
        case OperationKind::Write:
            return std::to_string(TRY(files_.write(node, op.at, make_data(op.data_seed, op.length))));
        case OperationKind::WriteZero:
            return std::to_string(TRY(files_.write(node, op.at, Buffer(1))));
        case OperationKind::Truncate:
            TRY(files_.truncate(node, op.length));
            return std::string();
        case OperationKind::Fallocate:
            TRY(files_.fallocate(node, op.fallocate, op.at, op.length));
            return std::string();
        case OperationKind::Clone:
            TRY(files_.clone_range(node, op.at, op.length, TRY(resolve(op.other)), op.to_at));
            return std::string();
        case OperationKind::Seek:
            return std::to_string(TRY(files_.seek(node, op.at, op.whence)));
        default:
            break;
    }
    Buffer out(static_cast<std::size_t>(op.length));
    std::size_t bytes = TRY(files_.read(node, op.at, out));
    out.resize(bytes);
    return std::to_string(bytes) + " bytes, crc32c " + std::to_string(crc32c(Bytes(out)));
}

Result<std::string> Side::list(NodeId dir) {
    std::string answer;
    TRY(files_.readdir(dir, 0, [&](const vfs::DirEntry& entry) {
        answer += entry.name + "\n";
        return true;
    }));
    return answer;
}

Result<std::string> Side::apply_to_inode(const Operation& op) {
    NodeId node = TRY(resolve(op.node));
    switch (op.kind) {
        case OperationKind::SetAttributes:
            TRY(files_.setattr(node, op.change));
            break;
        case OperationKind::SetFlags:
        case OperationKind::ClearFlags:
            TRY(files_.set_flags(node, op.flags));
            break;
        case OperationKind::SetXattr:
            TRY(files_.set_xattr(node, op.name, xattr_value(op), op.xattr));
            break;
        case OperationKind::RemoveXattr:
            TRY(files_.remove_xattr(node, op.name));
            break;
        case OperationKind::List:
            return list(node);
        case OperationKind::Parent: {
            vfs::Attributes above = TRY(files_.getattr(TRY(files_.parent(node))));
            return std::to_string(above.size) + " " + std::to_string(above.mode);
        }
        default:  // Fsync
            TRY(files_.fsync(node));
    }
    return std::string();
}

}  // namespace glassfs::differential
