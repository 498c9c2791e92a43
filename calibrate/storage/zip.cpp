#include "calibrate/storage/zip.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include "base/check.hpp"
#include "calibrate/storage/checkpoint_file.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                        kLocator64 = 0x07064b50;
constexpr std::uint16_t kExtra64 = 1;             ///< the extra field with sizes in 64 bits
constexpr std::uint16_t kVersion = 45;            ///< the first with them
constexpr std::uint64_t kLargest = 0x7fffffff;    ///< in 32 bits, as Python's zipfile has it
constexpr std::uint32_t kElsewhere = 0xffffffff;  ///< the number is in the extra field
constexpr std::uint16_t kFirstOfJanuary1980 = 0x21;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr int kRawDeflate = -15;            ///< window of 32 KiB, no header of zlib
constexpr std::size_t kPiece = 0x40000000;  ///< zlib counts in 32 bits

template <class Number>
void put(std::string& to, Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    to.append(bytes, sizeof number);
}

template <class Number>
Number get(std::string_view from, std::size_t at) {
    if (at > from.size() || from.size() - at < sizeof(Number)) {
        throw DamagedCheckpoint("the archive is cut off");
    }
    Number number;
    std::memcpy(&number, from.data() + at, sizeof number);
    return number;
}

std::uint32_t checksum_of(std::string_view bytes, std::uint32_t before = 0) {
    // zlib starts anew where there are no bytes to point at.
    return bytes.empty() ? before
                         : static_cast<std::uint32_t>(
                               crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Appends what a stream of zlib makes of the input.
class Deflater {
public:
    Deflater() {
        check(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawDeflate, 8, Z_DEFAULT_STRATEGY) == Z_OK,
              "zlib does not start");
    }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;
    ~Deflater() { deflateEnd(&stream_); }

    void add(std::string_view input, bool last, std::string& to) {
        do {
            const std::string_view piece = input.substr(0, kPiece);
            input.remove_prefix(piece.size());
            stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
            stream_.avail_in = static_cast<uInt>(piece.size());
            drain(last && input.empty() ? Z_FINISH : Z_NO_FLUSH, to);
        } while (!input.empty());
    }

private:
    void drain(int flush, std::string& to) {
        char out[0x10000];
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(out);
            stream_.avail_out = sizeof out;
            deflate(&stream_, flush);
            to.append(out, sizeof out - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

    z_stream stream_{};
};

std::string inflated(std::string_view packed, std::uint64_t size, const std::string& name) {
    std::string out(size, '\0');
    z_stream stream{};
    check(inflateInit2(&stream, kRawDeflate) == Z_OK, "zlib does not start");
    std::size_t read = 0;
    std::size_t written = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));
        stream.avail_in = static_cast<uInt>(std::min(packed.size() - read, kPiece));
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
        stream.avail_out = static_cast<uInt>(std::min(out.size() - written, kPiece));
        const uInt in = stream.avail_in;
        const uInt room = stream.avail_out;
        state = inflate(&stream, Z_NO_FLUSH);
        read += in - stream.avail_in;
        written += room - stream.avail_out;
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END || written != out.size()) {
        throw DamagedCheckpoint(fmt::format("{} does not unpack to {} bytes", name, size));
    }
    return out;
}

std::string central_header(const ZipEntry& entry) {
    std::string extra;
    const bool is_large = std::max(entry.packed, entry.unpacked) > kLargest;
    if (is_large) {
        put(extra, entry.unpacked);
        put(extra, entry.packed);
    }
    const bool is_far = entry.offset > kLargest;
    if (is_far) {
        put(extra, entry.offset);
    }
    std::string header;
    put(header, kCentral);
    put(header, kVersion);
    put(header, kVersion);
    put(header, std::uint16_t{0});
    put(header, static_cast<std::uint16_t>(entry.deflated ? 8 : 0));
    put(header, std::uint16_t{0});
    put(header, kFirstOfJanuary1980);
    put(header, entry.checksum);
    put(header, is_large ? kElsewhere : static_cast<std::uint32_t>(entry.packed));
    put(header, is_large ? kElsewhere : static_cast<std::uint32_t>(entry.unpacked));
    put(header, static_cast<std::uint16_t>(entry.name.size()));
    put(header, static_cast<std::uint16_t>(extra.empty() ? 0 : extra.size() + 4));
    header += std::string(10, '\0');  // comment, disk, attributes
    put(header, is_far ? kElsewhere : static_cast<std::uint32_t>(entry.offset));
    header += entry.name;
    if (!extra.empty()) {
        put(header, kExtra64);
        put(header, static_cast<std::uint16_t>(extra.size()));
        header += extra;
    }
    return header;
}

/// Where the directory begins and how many entries it has.
struct Directory {
    std::uint64_t entries = 0;
    std::uint64_t offset = 0;
};

Directory directory_of(std::string_view archive) {
    if (archive.size() < kEndSize) {
        throw DamagedCheckpoint("the file is no zip archive");
    }
    const std::size_t end = archive.size() - kEndSize;  // archives with a comment are not written by NumPy
    if (get<std::uint32_t>(archive, end) != kEnd) {
        throw DamagedCheckpoint("the file is no zip archive, or its end is cut off");
    }
    Directory directory{get<std::uint16_t>(archive, end + 10), get<std::uint32_t>(archive, end + 16)};
    const bool is_large = directory.entries == 0xffff || directory.offset == kElsewhere;
    if (is_large && end >= kLocatorSize && get<std::uint32_t>(archive, end - kLocatorSize) == kLocator64) {
        const auto at = get<std::uint64_t>(archive, end - kLocatorSize + 8);
        directory = {get<std::uint64_t>(archive, at + 32), get<std::uint64_t>(archive, at + 48)};
    }
    return directory;
}

void read_extra(std::string_view extra, ZipEntry& entry) {
    while (extra.size() >= 4) {
        const auto kind = get<std::uint16_t>(extra, 0);
        const auto size = get<std::uint16_t>(extra, 2);
        std::size_t at = 4;
        for (std::uint64_t* const number : {&entry.unpacked, &entry.packed, &entry.offset}) {
            if (kind == kExtra64 && *number == kElsewhere) {
                *number = get<std::uint64_t>(extra, at);
                at += sizeof *number;
            }
        }
        extra.remove_prefix(std::min<std::size_t>(extra.size(), 4U + size));
    }
}

}  // namespace

void ZipWriter::add(const std::string& name, std::string_view head, std::string_view body) {
    check(name.size() <= std::numeric_limits<std::uint16_t>::max(), "a name that no zip archive holds");
    ZipEntry entry{.name = name,
                   .deflated = deflates_,
                   .checksum = checksum_of(body, checksum_of(head)),
                   .unpacked = head.size() + body.size(),
                   .offset = archive_.size()};
    std::string packed;
    if (deflates_) {
        Deflater deflater;
        deflater.add(head, false, packed);
        deflater.add(body, true, packed);
    }
    entry.packed = deflates_ ? packed.size() : entry.unpacked;
    put(archive_, kLocal);
    put(archive_, kVersion);
    put(archive_, std::uint16_t{0});
    put(archive_, static_cast<std::uint16_t>(deflates_ ? 8 : 0));
    put(archive_, std::uint16_t{0});
    put(archive_, kFirstOfJanuary1980);
    put(archive_, entry.checksum);
    put(archive_, kElsewhere);
    put(archive_, kElsewhere);
    put(archive_, static_cast<std::uint16_t>(name.size()));
    put(archive_, std::uint16_t{20});
    archive_ += name;
    put(archive_, kExtra64);
    put(archive_, std::uint16_t{16});
    put(archive_, entry.unpacked);
    put(archive_, entry.packed);
    if (deflates_) {
        archive_ += packed;
    } else {
        archive_ += head;
        archive_ += body;
    }
    entries_.push_back(std::move(entry));
}

std::string ZipWriter::finish() {
    const std::uint64_t begin = archive_.size();
    for (const ZipEntry& entry : entries_) {
        archive_ += central_header(entry);
    }
    const std::uint64_t size = archive_.size() - begin;
    const std::uint64_t count = entries_.size();
    const bool is_large = begin > kLargest || count > 0xffff;
    if (is_large) {
        const std::uint64_t at = archive_.size();
        put(archive_, kEnd64);
        put(archive_, std::uint64_t{kEnd64Size - 12});
        put(archive_, kVersion);
        put(archive_, kVersion);
        put(archive_, std::uint64_t{0});  // disks
        put(archive_, count);
        put(archive_, count);
        put(archive_, size);
        put(archive_, begin);
        put(archive_, kLocator64);
        put(archive_, std::uint32_t{0});
        put(archive_, at);
        put(archive_, std::uint32_t{1});
    }
    const auto few = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xffff));
    put(archive_, kEnd);
    put(archive_, std::uint32_t{0});  // disks
    put(archive_, few);
    put(archive_, few);
    put(archive_, static_cast<std::uint32_t>(std::min<std::uint64_t>(size, kElsewhere)));
    put(archive_, is_large ? kElsewhere : static_cast<std::uint32_t>(begin));
    put(archive_, std::uint16_t{0});
    return std::move(archive_);
}

std::vector<ZipEntry> zip_entries(std::string_view archive) {
    const Directory directory = directory_of(archive);
    std::vector<ZipEntry> entries;
    std::size_t at = directory.offset;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        if (get<std::uint32_t>(archive, at) != kCentral) {
            throw DamagedCheckpoint("the directory of the archive is damaged");
        }
        const auto method = get<std::uint16_t>(archive, at + 10);
        ZipEntry entry{.name = {},
                       .deflated = method == 8,
                       .checksum = get<std::uint32_t>(archive, at + 16),
                       .packed = get<std::uint32_t>(archive, at + 20),
                       .unpacked = get<std::uint32_t>(archive, at + 24),
                       .offset = get<std::uint32_t>(archive, at + 42)};
        const std::size_t name = get<std::uint16_t>(archive, at + 28);
        const std::size_t extra = get<std::uint16_t>(archive, at + 30);
        const std::size_t comment = get<std::uint16_t>(archive, at + 32);
        if ((method != 0 && method != 8) || archive.size() - at < kCentralSize + name + extra + comment) {
            throw DamagedCheckpoint("the directory of the archive is damaged");
        }
        entry.name = archive.substr(at + kCentralSize, name);
        read_extra(archive.substr(at + kCentralSize + name, extra), entry);
        entries.push_back(std::move(entry));
        at += kCentralSize + name + extra + comment;
    }
    return entries;
}

std::string unpacked(std::string_view archive, const ZipEntry& entry) {
    if (get<std::uint32_t>(archive, entry.offset) != kLocal) {
        throw DamagedCheckpoint(fmt::format("{} is not where the directory says", entry.name));
    }
    const std::size_t begin = entry.offset + kLocalSize + get<std::uint16_t>(archive, entry.offset + 26) +
                              get<std::uint16_t>(archive, entry.offset + 28);
    // Deflate packs at most 1032 to 1: a larger size is damage, and no reason to reserve memory.
    if (begin > archive.size() || archive.size() - begin < entry.packed ||
        (entry.deflated ? entry.unpacked / 1032 > entry.packed : entry.unpacked != entry.packed)) {
        throw DamagedCheckpoint(fmt::format("{} lies outside of the archive", entry.name));
    }
    const std::string_view packed = archive.substr(begin, entry.packed);
    std::string bytes = entry.deflated ? inflated(packed, entry.unpacked, entry.name) : std::string(packed);
    if (checksum_of(bytes) != entry.checksum) {
        throw DamagedCheckpoint(fmt::format("the checksum of {} does not fit", entry.name));
    }
    return bytes;
}

}  // namespace dodona::calibrate
