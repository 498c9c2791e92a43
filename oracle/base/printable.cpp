#include "base/printable.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace dodona {

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  ///< 0: no UTF-8
};

/// The character that the text starts with.
Character first(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t bytes = byte(0) < 0x80    ? 1
                              : byte(0) < 0xC2  ? 0
                              : byte(0) < 0xE0  ? 2
                              : byte(0) < 0xF0  ? 3
                              : byte(0) <= 0xF4 ? 4
                                                : 0;
    if (bytes == 0 || bytes > text.size()) {
        return {};
    }
    constexpr std::array<unsigned, 5> kLead{0, 0x7F, 0x1F, 0x0F, 0x07};
    Character read{.code = byte(0) & kLead[bytes], .bytes = bytes};
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return {};
        }
        read.code = (read.code << 6U) | (byte(i) & 0x3FU);
    }
    return read;
}

struct Range {
    std::uint32_t from, to;
};
/// Source: Unicode 15, categories Cc and Cf: controls, Arabic letter mark, zero-width and direction marks, line and
/// paragraph separators, embeddings, isolates, byte order mark, tags.
constexpr std::array kObeyed{Range{0x00, 0x08},      Range{0x0B, 0x1F},     Range{0x7F, 0x9F},
                             Range{0x61C, 0x61C},    Range{0x200B, 0x200F}, Range{0x2028, 0x202E},
                             Range{0x2060, 0x206F},  Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB},
                             Range{0xE0000, 0xE007F}};

bool is_obeyed(std::uint32_t code) {
    for (const Range& range : kObeyed) {
        if (code >= range.from && code <= range.to) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Character character = first(text.substr(i));
        if (character.bytes == 0) {
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
            ++i;
            continue;
        }
        if (!is_obeyed(character.code)) {
            shown += text.substr(i, character.bytes);
        } else if (character.code < 0x100) {
            shown += fmt::format("\\x{:02x}", character.code);
        } else {
            shown += fmt::format("\\u{:04x}", character.code);
        }
        i += character.bytes;
    }
    return shown;
}

}  // namespace dodona
