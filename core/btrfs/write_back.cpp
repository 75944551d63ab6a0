// SPDX-License-Identifier: MIT
#include "btrfs/write_back.h"

#include "base/checksum.h"
#include "btrfs/csum_tree.h"
#include "btrfs/dir_items.h"
#include "btrfs/tree_edit.h"
#include "btrfs/xattr_edit.h"

#include <algorithm>

namespace glassfs::btrfs {

namespace {

constexpr u64 extent_bytes_max = 128ULL << 20;
constexpr std::size_t pieces_per_step = 64;
constexpr std::size_t pieces_per_step_min = 4;  // where metadata is scarce
constexpr u32 items_per_piece = 3;
constexpr u64 dropped_beside = 16;  // how many old items, side by side, count as one item of a Need

}  // namespace

// Bytes on their way to the devices. Small neighbours go out together.
class WriteBack::Output {
  public:
    Output(Volume& volume, WritableVolume& store) : volume_(volume), store_(store) {}

    Result<void> put(LogicalAddr addr, Bytes bytes) {
        bool joins = !waiting_.empty() && addr_ + waiting_.size() == addr;
        if (!joins || waiting_.size() >= together_max) TRY(flush());
        if (bytes.size() >= alone_min) {
            TRY(flush());
            return write(addr, bytes);
        }
        if (waiting_.empty()) addr_ = addr;
        waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
        return {};
    }
    Result<void> flush() {
        if (waiting_.empty()) return {};
        TRY(write(addr_, waiting_));
        waiting_.clear();
        return {};
    }

  private:
    static constexpr std::size_t alone_min = 128U << 10;
    static constexpr std::size_t together_max = 512U << 10;

    Result<void> write(LogicalAddr addr, Bytes bytes) {
        auto lock = volume_.reading();
        return store_.write_data(addr, bytes);
    }

    Volume& volume_;
    WritableVolume& store_;
    LogicalAddr addr_;
    Buffer waiting_;
};

namespace {

Compression compression_named(std::string_view value) {
    value = value.substr(0, value.find(':'));
    if (value == "lzo") return Compression::Lzo;
    if (value == "zstd") return Compression::Zstd;
    return Compression::Zlib;
}

u64 incompat_of(Compression compression) {
    if (compression == Compression::Lzo) return incompat_compress_lzo;
    return compression == Compression::Zstd ? incompat_compress_zstd : 0;
}

}  // namespace

WriteBack::WriteBack(FileWriter& writer, const std::vector<InodePtr>& inodes)
    : writer_(writer), store_(writer.store_), sector_(writer.sector_) {
    for (const InodePtr& inode : inodes) {
        if (inode->pages != nullptr) files_.push_back({inode});
    }
}

Result<void> WriteBack::run() {
    if (files_.empty()) return {};
    TRY(drop_gone());
    {
        auto lock = writer_.volume_.reading();
        for (File& file : files_) file.flags = file.inode->item.flags;
    }
    for (File& file : files_) TRY(plan(file));
    std::shared_lock in_place(writer_.in_place_mutex_);
    TRY(place());
    Result<void> done = transfer();
    if (done) done = insert();
    if (!done && !store_.aborted()) {
        if (auto tx = store_.begin({.items = 0, .room = Room::Frees})) {
            give_back(*tx);
            tx->done();
        }
    }
    return done;
}

Result<void> WriteBack::drop_gone() {
    auto is_gone = [](const File& file) { return file.inode->gone; };
    {
        auto lock = writer_.volume_.reading();
        if (std::none_of(files_.begin(), files_.end(), is_gone)) return {};
    }
    Transaction tx = TRY(store_.begin({.items = 0, .room = Room::Frees}));
    for (File& file : files_) {
        if (is_gone(file)) writer_.drop_pages(*file.inode);
    }
    std::erase_if(files_, is_gone);
    tx.done();
    return {};
}

// ---- Plan

Result<Compression> WriteBack::compression_of(const File& file) {
    constexpr u64 never = inode_nocompress | inode_nodatacow | inode_nodatasum;
    if ((file.flags & inode_compress) == 0 || (file.flags & never) != 0) return Compression::None;
    const Inode& inode = *file.inode;
    auto lock = writer_.volume_.reading();
    Cursor cursor(writer_.volume_, TRY(writer_.volume_.tree_root(inode.id.tree)));
    Key key = make_key(inode.id.ino.value, KeyType::XattrItem, name_hash(compression_xattr));
    if (!TRY(cursor.seek(key)) || cursor.key() != key) return Compression::Zlib;
    TRY(cursor.check());
    for (const NamedEntry& entry : parse_entries(cursor.data())) {
        if (entry.name == compression_xattr) return compression_named(as_text(entry.value));
    }
    return Compression::Zlib;
}

Result<void> WriteBack::plan(File& file) {
    const FilePages& pages = *file.inode->pages;
    if (pages.empty()) return {};
    Compression compression = TRY(compression_of(file));
    if (file.looks_for_place()) compression = Compression::None;
    if (plan_inline(file, compression)) return {};
    for (auto range = pages.next_range(0); range; range = pages.next_range(range->end)) {
        if (compression == Compression::None)
            add_plain(file, range->begin, range->end);
        else
            plan_compressed(file, *range, compression);
    }
    return {};
}

// A small file as a whole, if its first sector is what is dirty. One that would fill the sector only
// compressed.
bool WriteBack::plan_inline(File& file, Compression compression) {
    const FilePages& pages = *file.inode->pages;
    const u64 size = pages.size();
    if (file.looks_for_place() || size == 0 || size > sector_ || !pages.is_dirty(0)) return false;
    const u32 node_size = writer_.volume_.geometry().node_size;
    const u64 fits = TreeBlock::capacity(node_size) - TreeBlock::item_size - disk::file_extent_inline_at;
    const u64 most = std::min({fits, u64{writer_.limits_.inline_bytes_max}, sector_ - 1});
    Buffer plain(static_cast<std::size_t>(size));
    pages.read(0, plain);
    Piece piece{.kind = Kind::Inline, .begin = 0, .end = sector_};
    if (compression != Compression::None) {
        Buffer packed(static_cast<std::size_t>(std::min(most, size - 1)));
        auto length = compress(compression, 0, plain, packed, static_cast<u32>(sector_));
        if (length) {
            packed.resize(*length);
            piece.compression = compression;
            piece.packed = std::move(packed);
        }
    }
    if (piece.compression == Compression::None) {
        if (size > most) return false;
        piece.packed = std::move(plain);
    }
    file.pieces.push_back(std::move(piece));
    return true;
}

void WriteBack::add_plain(File& file, u64 begin, u64 end) {
    if (!file.pieces.empty() && file.pieces.back().kind == Kind::Plain && file.pieces.back().end == begin) {
        file.pieces.back().end = end;
        return;
    }
    file.pieces.push_back({.begin = begin, .end = end});
}

// Compressed extents must save at least a sector.
void WriteBack::plan_compressed(File& file, const FilePages::Range& range, Compression compression) {
    for (u64 begin = range.begin; begin < range.end;) {
        const u64 end = std::min<u64>(range.end, begin + kCompressedExtentSizeMax);
        Buffer plain(static_cast<std::size_t>(end - begin));
        Buffer packed(plain.size() - static_cast<std::size_t>(sector_));
        bool smaller = false;
        if (!packed.empty()) {
            file.inode->pages->read(begin, plain);
            auto length = compress(compression, 0, plain, packed, static_cast<u32>(sector_));
            smaller = length.has_value();
            if (smaller) {
                std::fill(packed.begin() + static_cast<std::ptrdiff_t>(*length), packed.end(), u8{0});
                packed.resize(static_cast<std::size_t>(writer_.up(*length)));
            }
        }
        if (smaller) {
            Piece piece{.kind = Kind::Compressed, .begin = begin, .end = end, .compression = compression};
            piece.packed = std::move(packed);
            file.pieces.push_back(std::move(piece));
        } else {
            add_plain(file, begin, end);
        }
        begin = end;
    }
}

// ---- Place

Result<void> WriteBack::place() {
    for (int tries = 0;; ++tries) {
        Result<void> done;
        {
            Transaction tx = TRY(store_.begin({.items = 4, .room = Room::Frees}));
            done = place_all(tx);
            if (!done && (done.error().cause != Cause::NoSpace || store_.aborted())) return done;
            if (!done) give_back(tx);
            tx.done();
        }
        if (done || tries > 0) return done;
        TRY(store_.commit());  // what has been freed can be used afterwards
    }
}

Result<void> WriteBack::place_all(Transaction& tx) {
    room_wanted_ = 0;
    for (File& file : files_) {
        if (file.looks_for_place()) TRY(find_places(tx, file));
        for (const Piece& piece : file.pieces) {
            bool new_extent = piece.kind == Kind::Plain || piece.kind == Kind::Compressed;
            if (new_extent) room_wanted_ += piece.bytes_on_disk();
        }
    }
    for (File& file : files_) TRY(take_room(tx, file));
    if (room_.length > 0) store_.return_data(tx, room_);
    room_ = {};
    return {};
}

Result<void> WriteBack::find_places(Transaction& tx, File& file) {
    if (file.inode->gone) return {};
    Tree* tree = TRY(tx.tree(file.inode->id.tree));
    std::vector<Piece> out;
    for (const Piece& piece : file.pieces) TRY(add_places(tx, *tree, file, piece, out));
    file.pieces = std::move(out);
    return {};
}

// Divides a piece into what can be overwritten and what needs a new place.
Result<void> WriteBack::add_places(Transaction& tx, Tree& tree, const File& file, const Piece& whole,
                                   std::vector<Piece>& out) {
    const bool nodatacow = (file.flags & inode_nodatacow) != 0;
    u64 done = whole.begin;
    auto add_new = [&](u64 end) {
        if (done < end) out.push_back({.begin = done, .end = end});
        done = std::max(done, end);
    };
    std::optional<u64> known;  // an extent about which the answer is
    bool known_answer = false;
    auto visit = [&](const Cursor& cursor, u64 begin, u64 end) -> Result<bool> {
        if (begin >= whole.end) return false;
        if (is_inline(cursor.data())) return true;
        FileExtentPart part = part_of(cursor.data());
        bool unwritten = part.type == file_extent_prealloc;
        if (part.extent.addr.value == 0 || (!unwritten && !nodatacow)) return true;
        if (part.generation <= tree.last_snapshot()) return true;
        if (known != part.extent.addr.value) {
            known = part.extent.addr.value;
            known_answer = TRY(can_write_in_place(tx, tree, *file.inode, begin, part));
        }
        if (!known_answer) return true;
        u64 from = std::max(begin, done), to = std::min(end, whole.end);
        add_new(from);
        Piece piece{.kind = unwritten ? Kind::Unwritten : Kind::InPlace, .begin = from, .end = to};
        piece.extent = part.extent;
        piece.offset = part.offset + (from - begin);
        out.push_back(std::move(piece));
        done = to;
        return done < whole.end;
    };
    TRY(for_each_extent(tx.volume(), tree.root, file.inode->id.ino, whole.begin, visit));
    add_new(whole.end);
    return {};
}

// New extents for the pieces that need some; a plain one may become several.
Result<void> WriteBack::take_room(Transaction& tx, File& file) {
    std::vector<Piece> out;
    auto need = [&](u64 least) -> Result<void> {
        if (room_.length >= least) return {};
        if (room_.length > 0) store_.return_data(tx, room_);
        room_ = {};
        room_ = TRY(store_.allocate_data(tx, room_wanted_, least));
        return {};
    };
    auto take = [&](Piece& piece, u64 length) {
        piece.extent = {room_.addr, length};
        piece.placed = true;
        room_ = {room_.addr + length, room_.length - length};
        room_wanted_ -= length;
    };
    Result<void> done;
    for (Piece& piece : file.pieces) {
        if (done && piece.kind == Kind::Compressed) {
            done = need(piece.packed.size());
            if (done) take(piece, piece.packed.size());
        }
        while (done && piece.kind == Kind::Plain && piece.begin < piece.end) {
            done = need(sector_);
            if (!done) break;
            Piece part{.begin = piece.begin};
            u64 length = std::min({room_.length, piece.end - piece.begin, extent_bytes_max});
            part.end = part.begin + length;
            take(part, length);
            piece.begin = part.end;
            out.push_back(std::move(part));
        }
        if (piece.begin < piece.end) out.push_back(std::move(piece));
    }
    file.pieces = std::move(out);
    return done;
}

// What was allocated and came to nothing.
void WriteBack::give_back(Transaction& tx) {
    if (room_.length > 0) store_.return_data(tx, room_);
    room_ = {};
    for (File& file : files_) {
        for (Piece& piece : file.pieces) {
            if (piece.placed) store_.return_data(tx, piece.extent);
            piece.placed = false;
        }
    }
}

// ---- Transfer

Result<void> WriteBack::transfer() {
    Output output(writer_.volume_, store_);
    for (File& file : files_) {
        for (Piece& piece : file.pieces) {
            if (piece.kind != Kind::Inline) TRY(transfer(file, piece, output));
        }
    }
    return output.flush();
}

Result<void> WriteBack::transfer(const File& file, Piece& piece, Output& output) {
    const ChecksumType type = writer_.volume_.geometry().csum_type;
    const std::size_t sector = static_cast<std::size_t>(sector_);
    LogicalAddr at = piece.extent.addr + piece.offset;
    writer_.data_.forget(piece.extent.addr);
    auto put = [&](Bytes bytes) -> Result<void> {
        for (std::size_t i = 0; file.summed() && i < bytes.size(); i += sector) {
            Checksum sum = checksum(type, bytes.subspan(i, sector));
            piece.sums.insert(piece.sums.end(), sum.bytes.begin(), sum.bytes.begin() + sum.size);
        }
        TRY(output.put(at, bytes));
        at = at + bytes.size();
        return {};
    };
    if (file.summed())
        piece.sums.reserve(static_cast<std::size_t>(piece.bytes_on_disk() / sector_) * checksum_size(type));
    if (piece.kind == Kind::Compressed) return put(piece.packed);
    const auto& runs = file.inode->pages->runs();
    for (auto run = std::prev(runs.upper_bound(piece.begin)); run != runs.end() && run->first < piece.end;
         ++run) {
        u64 from = std::max(piece.begin, run->first) - run->first;
        u64 to = std::min<u64>(piece.end - run->first, run->second.size());
        TRY(put(
            Bytes(run->second).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from))));
    }
    return {};
}

// ---- Insert

Result<void> WriteBack::insert() {
    std::vector<Entry> entries;
    for (File& file : files_) {
        for (Piece& piece : file.pieces) entries.push_back({&file, &piece});
        entries.push_back({&file, nullptr});
    }
    std::size_t per_step = pieces_per_step;
    for (std::span<const Entry> left = entries; !left.empty();) {
        auto some = left.first(std::min(left.size(), per_step));
        auto done = insert(some);
        if (!done && done.error().cause == Cause::NoSpace && !store_.aborted() &&
            per_step > pieces_per_step_min) {
            per_step /= 2;
            continue;
        }
        TRY(std::move(done));
        left = left.subspan(some.size());
    }
    return {};
}

Result<void> WriteBack::insert(std::span<const Entry> entries) {
    u64 dropped = 0;
    {
        auto lock = writer_.volume_.reading();
        for (const Entry& entry : entries) {
            if (entry.piece == nullptr || entry.file->inode->gone) continue;
            dropped +=
                TRY(count_extents(writer_.volume_, *entry.file->inode, entry.piece->begin, entry.piece->end));
        }
    }
    Need need{.items = static_cast<u32>(entries.size()) * items_per_piece, .room = Room::Frees};
    need.items += static_cast<u32>(std::min<u64>(dropped / dropped_beside, 1U << 16));
    Transaction tx = TRY(store_.begin(need));
    for (const Entry& entry : entries) TRY(insert(tx, entry));
    TRY(insert_sums(tx, entries));
    for (const Entry& entry : entries) {
        if (entry.piece != nullptr) entry.piece->placed = false;
    }
    tx.done();
    return {};
}

Result<void> WriteBack::insert(Transaction& tx, const Entry& entry) {
    Inode& inode = *entry.file->inode;
    if (inode.gone) {  // deleted while this was on its way
        if (entry.piece == nullptr)
            writer_.drop_pages(inode);
        else if (entry.piece->placed)
            store_.return_data(tx, entry.piece->extent);
        return {};
    }
    Tree* tree = TRY(tx.tree(inode.id.tree));
    const u64 size = inode.pages->size();
    if (entry.piece == nullptr) {
        TRY(writer_.grow_on_disk(tx, *tree, inode, size));
        writer_.drop_pages(inode);
        return {};
    }
    Piece& piece = *entry.piece;
    if (u64 flag = incompat_of(piece.compression); flag != 0) {
        store_.super().incompat_flags = store_.super().incompat_flags | flag;
    }
    switch (piece.kind) {
        case Kind::InPlace:
            break;
        case Kind::Unwritten:
            TRY(mark_written(tx, *tree, inode, piece.begin, piece.end));
            break;
        case Kind::Inline:
            TRY(drop_extents(tx, *tree, inode, piece.begin, piece.end));
            TRY(insert_inline_extent(tx, *tree, inode, size, piece.compression, piece.packed));
            break;
        case Kind::Plain:
        case Kind::Compressed:
            TRY(drop_extents(tx, *tree, inode, piece.begin, piece.end));
            FileExtentPart part;
            part.extent = piece.extent;
            part.ram_bytes = part.length = piece.end - piece.begin;
            part.generation = tx.generation();
            part.compression = piece.compression;
            TRY(insert_extent(tx, *tree, inode, piece.begin, part, ExtentRefs::New));
            break;
    }
    return writer_.grow_on_disk(tx, *tree, inode, std::min(size, piece.end));
}

// Those of neighbouring extents go in at once.
Result<void> WriteBack::insert_sums(Transaction& tx, std::span<const Entry> entries) {
    std::vector<std::pair<LogicalAddr, Piece*>> order;
    for (const Entry& entry : entries) {
        if (entry.piece == nullptr || entry.piece->sums.empty() || entry.file->inode->gone) continue;
        order.emplace_back(entry.piece->extent.addr + entry.piece->offset, entry.piece);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t width = checksum_size(tx.geometry().csum_type);
    for (std::size_t i = 0; i < order.size();) {
        const LogicalAddr begin = order[i].first;
        Buffer sums = std::move(order[i].second->sums);
        for (++i; i < order.size() && order[i].first == begin + sums.size() / width * sector_; ++i) {
            const Buffer& more = order[i].second->sums;
            sums.insert(sums.end(), more.begin(), more.end());
        }
        TRY(insert_checksums(tx, begin, sums));
    }
    return {};
}

}  // namespace glassfs::btrfs
