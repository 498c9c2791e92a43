// Zip archives in memory, as far as arrays need them: stored or deflated entries, sizes in 64 bits, checksums.
// Source: PKWARE, APPNOTE.TXT 6.3, sections 4.3.7 (local headers), 4.3.12 (directory), 4.3.14 to 4.3.16 (its end), 4.5.3
// (sizes in 64 bits).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dodona::calibrate {

struct ZipEntry {
    std::string name;
    bool deflated = false;
    std::uint32_t checksum = 0;
    std::uint64_t packed = 0;    ///< bytes in the archive
    std::uint64_t unpacked = 0;  ///< bytes of the entry
    std::uint64_t offset = 0;    ///< of its local header
};

/// Without dates: the same entries make the same archive.
class ZipWriter {
public:
    /// `expected`: bytes of the archive to make room for.
    ZipWriter(bool deflates, std::size_t expected) : deflates_(deflates) { archive_.reserve(expected); }
    /// An entry whose bytes are `head` and then `body`.
    void add(const std::string& name, std::string_view head, std::string_view body);
    /// The archive; nothing can be added any more.
    std::string finish();

private:
    bool deflates_;
    std::string archive_;
    std::vector<ZipEntry> entries_;
};

/// The directory of an archive, in its order. Throws DamagedCheckpoint.
std::vector<ZipEntry> zip_entries(std::string_view archive);

/// The bytes of an entry, whose checksum fits. Throws DamagedCheckpoint.
std::string unpacked(std::string_view archive, const ZipEntry& entry);

}  // namespace dodona::calibrate
