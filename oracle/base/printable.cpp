#include "base/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/ranges.hpp"

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

/// The text with `written_out` in place of what would be obeyed; of a byte that is no UTF-8 it gets no character.
template <class WrittenOut>
std::string replaced(std::string_view text, WrittenOut written_out) {
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Character character = first(text.substr(i));
        if (character.bytes == 0 || is_obeyed(character.code)) {
            shown += character.bytes == 0 ? fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]))
                                          : written_out(character.code);
        } else {
            shown += text.substr(i, character.bytes);
        }
        i += std::max<std::size_t>(character.bytes, 1);
    }
    return shown;
}

}  // namespace

std::string printable(std::string_view text) {
    return replaced(text, [](std::uint32_t code) {
        return code < 0x100     ? fmt::format("\\x{:02x}", code)
               : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                                : fmt::format("\\U{:08x}", code);
    });
}

std::string printable_line(std::string_view text) {
    return concatenated(printable(text), [&](const char c) {
        return c == '\n' ? "\\x0a" : c == '\t' ? "\\x09" : std::string(1, c);
    });
}

std::string printable_json(std::string_view json) {
    return replaced(json, [](std::uint32_t code) {
        constexpr std::uint32_t kPlane = 0x10000;
        return code < kPlane ? fmt::format("\\u{:04x}", code)
                             : fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((code - kPlane) >> 10U),
                                           0xDC00 + ((code - kPlane) & 0x3FFU));
    });
}

}  // namespace dodona
