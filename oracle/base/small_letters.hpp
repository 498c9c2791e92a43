// Text in small letters, of those of ASCII.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace dodona {

inline std::string small_letters(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace dodona
