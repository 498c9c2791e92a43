// YAML as machine files have it: mappings and lists, two spaces deeper each, quantities with their units.
#pragma once

#include <string>
#include <string_view>

#include "base/quantity.hpp"

namespace dodona::calibrate {

/// At most nine digits, as few as tell it apart: 0.25, 1e+12.
std::string number(double value);
/// In units that files understand: "12.5 us", "4096 B", "1.2 GB/s", "3.5 GFLOP", "14 TFLOP/s".
std::string written(Seconds time);
std::string written(Bytes size);
std::string written(Flop work);
std::string written(BytesPerSecond rate);
std::string written(FlopPerSecond rate);

class Yaml {
public:
    /// Indents by two spaces while it exists.
    class Deeper {
    public:
        explicit Deeper(Yaml& yaml) : yaml_(yaml) { yaml_.depth_ += 2; }
        ~Deeper() { yaml_.depth_ -= 2; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;

    private:
        Yaml& yaml_;
    };

    void comment(std::string_view text);
    void pair(std::string_view key, std::string_view value);
    /// In double quotes; nothing of an empty text.
    void quoted_unless_empty(std::string_view key, std::string_view text);
    [[nodiscard]] Deeper mapping(std::string_view key);
    [[nodiscard]] Deeper list(std::string_view key) { return mapping(key); }
    /// An item whose pairs follow.
    [[nodiscard]] Deeper item();
    void item(std::string_view value);
    /// Lines as they are, at this depth.
    void block(std::string_view lines);
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void line(std::string_view text);

    std::string text_;
    int depth_ = 0;
    bool begins_item_ = false;
};

}  // namespace dodona::calibrate
