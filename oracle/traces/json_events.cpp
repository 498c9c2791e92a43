#include "traces/json_events.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dodona::traces {

namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMaxToken = std::size_t{1} << 20;  ///< bytes of a text, of a number, or of blanks
constexpr std::size_t kMaxValues = 1'000'000;            ///< of an element that is kept

/// The bytes of a stream. The parser holds what it reads up to the next token, so none may be without end.
class WatchedBytes {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    WatchedBytes() = default;
    WatchedBytes(std::istream& stream, const Location& whole) : at_(stream), whole_(&whole) {}

    char operator*() const { return *at_; }
    bool operator==(const WatchedBytes& other) const { return at_ == other.at_; }
    bool operator!=(const WatchedBytes& other) const { return at_ != other.at_; }
    WatchedBytes& operator++() {
        watch(*at_);
        ++at_;
        return *this;
    }
    WatchedBytes operator++(int) {
        WatchedBytes before = *this;
        ++*this;
        return before;
    }

private:
    void watch(char c) {
        ++byte_;
        if (++length_ > kMaxToken) {
            fail(
                *whole_,
                fmt::format("a text, a number or blanks of more than {} MiB end after byte {}", kMaxToken >> 20, byte_),
                "no trace has them: was the file changed?");
        }
        if (in_text_) {
            in_text_ = is_escaped_ || c != '"';
            is_escaped_ = !is_escaped_ && c == '\\';
        } else if (c == '"') {
            in_text_ = true;
            length_ = 0;
        } else if (c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']') {
            length_ = 0;
        }
    }

    std::istreambuf_iterator<char> at_;
    const Location* whole_ = nullptr;
    std::size_t byte_ = 0;
    std::size_t length_ = 0;  ///< since the last token
    bool in_text_ = false;
    bool is_escaped_ = false;
};

/// Follows the document by depth; builds a value only while one is wanted.
class Follower final : public nlohmann::json_sax<Json> {
public:
    Follower(const Location& whole, const JsonEvents& wanted) : whole_(whole), wanted_(wanted) {}

    bool null() override { return value(nullptr); }
    bool boolean(bool v) override { return value(v); }
    bool number_integer(number_integer_t v) override { return value(v); }
    bool number_unsigned(number_unsigned_t v) override { return value(v); }
    bool number_float(number_float_t v, const string_t& /*text*/) override { return value(v); }
    bool string(string_t& v) override { return value(std::move(v)); }
    bool binary(binary_t& /*v*/) override { return true; }  // not of text

    bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
    bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        if (depth_ == 1) {
            member_ = name;
        }
        skips_ = !open_.empty() && in_array() && !wanted_.fields.contains(name);
        key_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t position, const std::string& last_token, const Json::exception& /*error*/) override {
        fail_at_byte(whole_, position, last_token);
    }

private:
    [[nodiscard]] bool in_array() const { return depth_ >= 2 && member_ == wanted_.array; }

    /// Whether a value that starts here is inside of one that is built, and not kept.
    [[nodiscard]] bool skipped() {
        return !open_.empty() &&
               (open_.back() == nullptr || (open_.back()->is_object() && std::exchange(skips_, false)));
    }

    /// Whether a value that starts here is one to build.
    [[nodiscard]] bool starts() const {
        return (depth_ == 2 && in_array()) || (depth_ == 1 && wanted_.members.contains(member_));
    }

    bool value(Json&& v) {
        if (skipped()) {
            return true;
        }
        if (!open_.empty()) {
            put(std::move(v));
        } else if (starts()) {
            built_ = std::move(v);
            deliver();
        }
        return true;
    }

    Json* put(Json&& v) {
        if (++values_ > kMaxValues) {
            fail(whole_, fmt::format("an element of \"{}\" has more than {} values", member_, kMaxValues),
                 "no trace has one: was the file changed?");
        }
        Json& parent = *open_.back();
        if (parent.is_array()) {
            parent.push_back(std::move(v));
            return &parent.back();
        }
        return &(parent[key_] = std::move(v));
    }

    bool open(Json&& container) {
        if (++depth_ > kDeepest) {
            fail(whole_, fmt::format("nested deeper than {}", kDeepest), "no trace is: was the file changed?");
        }
        --depth_;
        if (skipped()) {
            open_.push_back(nullptr);
        } else if (!open_.empty()) {
            open_.push_back(put(std::move(container)));
        } else if (starts()) {
            built_ = std::move(container);
            open_.push_back(&built_);
        }
        ++depth_;
        return true;
    }

    bool close() {
        --depth_;
        if (!open_.empty()) {
            open_.pop_back();
            if (open_.empty()) {
                deliver();
            }
        }
        return true;
    }

    void deliver() {
        values_ = 0;
        if (depth_ >= 2) {
            wanted_.element(built_);
        } else {
            wanted_.member(member_, built_);
        }
    }

    const Location& whole_;
    const JsonEvents& wanted_;
    std::size_t depth_ = 0;  ///< containers that are open
    std::string member_;     ///< of the document
    std::string key_;
    Json built_;
    std::size_t values_ = 0;   ///< of `built_`
    std::vector<Json*> open_;  ///< containers of `built_` that are open; null where they are not kept
    bool skips_ = false;       ///< the value of the key at hand
};

}  // namespace

void read_events(std::istream& stream, const Location& whole, const JsonEvents& wanted) {
    Follower follower(whole, wanted);
    Json::sax_parse(WatchedBytes(stream, whole), WatchedBytes(), &follower);
}

}  // namespace dodona::traces
