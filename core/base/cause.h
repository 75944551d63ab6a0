// SPDX-License-Identifier: MIT
// Why something failed: one enumerator per distinguishable cause, each with the errno that a caller of the
// file system sees and a sentence for people. The errno is Linux's for the same situation.
#pragma once

#include "base/errno.h"

namespace glassfs {

// X(Name, ERRNO, "sentence")
#define GLASSFS_CAUSES_GENERAL(X)                                     \
    X(NotFound, NOENT, "no such file or directory")                   \
    X(NotADirectory, NOTDIR, "not a directory")                       \
    X(IsADirectory, ISDIR, "is a directory")                          \
    X(Exists, EXIST, "already exists")                                \
    X(TooManySymlinks, LOOP, "too many levels of symbolic links")     \
    X(NameTooLong, NAMETOOLONG, "file name too long")                 \
    X(NoAttribute, NODATA, "no such attribute")                       \
    X(ResultTooSmall, RANGE, "result does not fit into the buffer")   \
    X(InvalidArgument, INVAL, "invalid argument")                     \
    X(NoDataBehind, NXIO, "no data at or behind this position")       \
    X(NotSupported, OPNOTSUPP, "not supported")                       \
    X(ReadOnly, ROFS, "read-only file system")                        \
    X(Cancelled, CANCELED, "cancelled")                               \
    X(Busy, BUSY, "busy")                                             \
    X(NoSpace, NOSPC, "no space left")                                \
    X(OutOfMemory, NOMEM, "out of memory")                            \
    X(AccessDenied, ACCES, "permission denied")                       \
    X(NotPermitted, PERM, "operation not permitted")                  \
    X(NotEmpty, NOTEMPTY, "directory not empty")                      \
    X(TooManyLinks, MLINK, "too many links")                          \
    X(CrossDevice, XDEV, "not within one file system or subvolume")   \
    X(FileTooBig, FBIG, "file too large")                             \
    X(ArgumentTooBig, TOOBIG, "argument too big")                     \
    X(TextBusy, TXTBSY, "text file busy")                             \
    X(ValueOverflow, OVERFLOW, "value too large")                     \
    X(NoSuchOperation, NOTTY, "not an operation of this file system") \
    X(VolumeAborted, ROFS, "an earlier error made the volume read-only")

#define GLASSFS_CAUSES_DEVICE(X)                                          \
    X(DeviceReadFailed, IO, "the device could not be read")               \
    X(DeviceWriteFailed, IO, "the device could not be written")           \
    X(DeviceFlushFailed, IO, "the device could not be flushed")           \
    X(BeyondDeviceEnd, IO, "the range lies beyond the end of the device") \
    X(DeviceMissing, IO, "the device is missing")                         \
    X(DeviceOpenFailed, NOENT, "the device could not be opened")          \
    X(InjectedFault, IO, "a fault was injected here")

#define GLASSFS_CAUSES_FORMAT(X)                                              \
    X(UnknownFileSystem, INVAL, "no file system known here was recognised")   \
    X(UnsupportedFeature, OPNOTSUPP, "a feature that is not supported")       \
    X(CompressedDataBad, IO, "compressed data can't be decompressed")         \
    X(CompressedFramingBad, UCLEAN, "compressed data has impossible lengths") \
    X(CompressionUnknown, IO, "unknown kind of compression")                  \
    X(ChecksumMismatch, IO, "checksum mismatch")                              \
    X(DataNotInDump, IO, "file data is not in this metadata dump")            \
    X(MetadumpBad, INVAL, "the metadata dump is damaged")                     \
    X(PartitionTableBad, INVAL, "the partition table is damaged")             \
    X(RecordingBad, INVAL, "the recording is damaged")

#define GLASSFS_CAUSES_BTRFS(X)                                                        \
    X(SuperblockBad, INVAL, "no valid superblock")                                     \
    X(SuperblockFieldBad, UCLEAN, "superblock field out of range")                     \
    X(DevicesMissing, IO, "devices are missing that the profile can't do without")     \
    X(DeviceForeign, INVAL, "the device belongs to another file system")               \
    X(ChunkBad, UCLEAN, "invalid chunk")                                               \
    X(ChunkMissing, UCLEAN, "no chunk maps this logical address")                      \
    X(ChunkOverlap, UCLEAN, "chunks overlap")                                          \
    X(DevExtentBad, UCLEAN, "dev extent and chunk do not agree")                       \
    X(BlockUnaligned, UCLEAN, "tree block address is not aligned")                     \
    X(BlockChecksum, IO, "tree block checksum mismatch")                               \
    X(BlockBytenr, UCLEAN, "tree block says it is another block")                      \
    X(BlockFsid, UCLEAN, "tree block belongs to another file system")                  \
    X(BlockLevel, UCLEAN, "tree block has an unexpected level")                        \
    X(BlockGeneration, IO, "tree block has an unexpected generation")                  \
    X(BlockOwner, UCLEAN, "tree block has an unexpected owner")                        \
    X(BlockItemCount, UCLEAN, "tree block has an impossible number of items")          \
    X(BlockFirstKey, UCLEAN, "tree block does not begin with the key its parent says") \
    X(BlockLoop, UCLEAN, "tree block is reached from itself or twice in one tree")     \
    X(KeyOrder, UCLEAN, "keys are not in order")                                       \
    X(KeyBad, UCLEAN, "impossible key")                                                \
    X(PointerBad, UCLEAN, "block pointer is invalid")                                  \
    X(ItemOutOfBounds, UCLEAN, "item data lies outside of its leaf")                   \
    X(ItemOverlap, UCLEAN, "item data overlaps or leaves a gap")                       \
    X(ItemSize, UCLEAN, "item has an impossible size")                                 \
    X(ItemTypeUnknown, UCLEAN, "unknown item type")                                    \
    X(InodeItemBad, UCLEAN, "invalid inode item")                                      \
    X(InodeRefBad, UCLEAN, "invalid inode reference")                                  \
    X(DirItemBad, UCLEAN, "invalid directory item")                                    \
    X(DirHashBad, UCLEAN, "directory item's hash does not fit its name")               \
    X(XattrBad, UCLEAN, "invalid xattr item")                                          \
    X(FileExtentBad, UCLEAN, "invalid file extent item")                               \
    X(FileExtentOverlap, UCLEAN, "file extents overlap")                               \
    X(CsumItemBad, UCLEAN, "invalid checksum item")                                    \
    X(CsumMissing, IO, "data checksum is missing")                                     \
    X(DataChecksum, IO, "data checksum mismatch")                                      \
    X(RootItemBad, UCLEAN, "invalid root item")                                        \
    X(ItemMissing, UCLEAN, "an item that must be there is missing")                    \
    X(RootMissing, NOENT, "no such tree root")                                         \
    X(RootRefBad, UCLEAN, "invalid root reference")                                    \
    X(BlockGroupBad, UCLEAN, "invalid block group item")                               \
    X(ExtentItemBad, UCLEAN, "invalid extent item")                                    \
    X(ExtentRefBad, UCLEAN, "invalid extent reference")                                \
    X(DevItemBad, UCLEAN, "invalid device item")                                       \
    X(FreeSpaceBad, UCLEAN, "invalid free space item")                                 \
    X(QgroupItemBad, UCLEAN, "invalid quota item")                                     \
    X(UuidItemBad, UCLEAN, "invalid uuid item")                                        \
    X(LogItemBad, UCLEAN, "invalid log item")                                          \
    X(DepthExceeded, UCLEAN, "nesting is too deep")

// Found by comparing structures with each other, never by reading one alone.
#define GLASSFS_CAUSES_CHECK(X)                                                        \
    X(RefMissing, UCLEAN, "a reference exists that no extent item records")            \
    X(RefStale, UCLEAN, "an extent item records a reference that does not exist")      \
    X(RefCountWrong, UCLEAN, "an extent item's reference count is wrong")              \
    X(ExtentOverlap, UCLEAN, "extents overlap")                                        \
    X(UsedBytesWrong, UCLEAN, "the bytes used are counted wrongly")                    \
    X(LinkCountWrong, UCLEAN, "an inode's link count is wrong")                        \
    X(InodeMissing, UCLEAN, "an inode has items but no inode item")                    \
    X(InodeOrphan, UCLEAN, "an inode is reached by no name")                           \
    X(InodeSizeWrong, UCLEAN, "an inode's size is wrong")                              \
    X(InodeBytesWrong, UCLEAN, "an inode's byte count is wrong")                       \
    X(InodeModeWrong, UCLEAN, "an inode's mode is wrong for what it holds")            \
    X(DirEntryDangling, UCLEAN, "a name leads to no inode")                            \
    X(DirItemUnpaired, UCLEAN, "directory item, index and inode reference don't pair") \
    X(FileExtentGap, UCLEAN, "a file has a gap between extents without NO_HOLES")      \
    X(FreeSpaceWrong, UCLEAN, "the free space tree does not agree with the extents")   \
    X(CsumUnused, UCLEAN, "checksums exist for bytes that no extent covers")           \
    X(QuotaWrong, UCLEAN, "quota numbers are wrong")                                   \
    X(DeviceSizeWrong, UCLEAN, "a device's size or bytes used is wrong")               \
    X(RootUnreachable, UCLEAN, "a subvolume is reached by no directory")

#define GLASSFS_CAUSES(X)     \
    GLASSFS_CAUSES_GENERAL(X) \
    GLASSFS_CAUSES_DEVICE(X) GLASSFS_CAUSES_FORMAT(X) GLASSFS_CAUSES_BTRFS(X) GLASSFS_CAUSES_CHECK(X)

enum class Cause : int {
#define GLASSFS_CAUSE_ENUM(name, errno_, sentence) name,
    GLASSFS_CAUSES(GLASSFS_CAUSE_ENUM)
#undef GLASSFS_CAUSE_ENUM
};

Errno cause_errno(Cause);
const char* cause_name(Cause);      // "BlockChecksum"
const char* cause_sentence(Cause);  // "tree block checksum mismatch"

}  // namespace glassfs
