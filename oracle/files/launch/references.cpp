#include "files/launch/references.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/launch/launch_text.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

constexpr std::string_view kOpen = "${";

/// `${mul:4096, 2}` of NeMo RL and `${multiply:4096, 2}` of NeMo as 8192; others as they are.
std::string multiplied(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::size_t comma = text.find(',');
    const std::string name = text.substr(0, colon);
    if ((name != "${mul" && name != "${multiply") || !text.ends_with('}') || comma == std::string::npos) {
        return text;
    }
    const std::size_t second = std::min(text.find_first_not_of(' ', comma + 1), text.size());
    const auto a = whole_from(text.substr(colon + 1, comma - colon - 1));
    const auto b = whole_from(text.substr(second, text.size() - 1 - second));
    const auto* x = std::get_if<std::int64_t>(&a);
    const auto* y = std::get_if<std::int64_t>(&b);
    const bool is_product = x != nullptr && y != nullptr && *x > 0 && *y > 0 && *x <= kMaxWhole / *y;
    return is_product ? std::to_string(*x * *y) : text;
}

class References {
public:
    References(Node& flat, bool is_script) : flat_(flat), is_script_(is_script) {
        for (std::size_t i = 0; i < flat.members.size(); ++i) {
            index_.emplace(flat.members[i].key, i);
        }
    }

    void run() {
        const std::size_t all = flat_.members.size();
        std::vector<bool> is_mapping(all);
        for (std::size_t i = 0; i < all; ++i) {
            put_in(i);
            is_mapping[i] = add_mapping(flat_.members[i]);
        }
        std::size_t at = 0;
        std::erase_if(flat_.members, [&](const Node::Member&) { return at < all ? is_mapping[at++] : false; });
    }

private:
    /// The key of a path: `.b` on the level of the setting, `..b` a level further out, a-b of a script's `a_b`. Empty: it is
    /// no reference.
    [[nodiscard]] std::string meant(const std::string& path, const std::string& from) const {
        const std::size_t dots = std::min(path.find_first_not_of('.'), path.size());
        if (dots == path.size() || path.find_first_of(":{} ") != std::string::npos ||
            (is_script_ && path.find('.') == std::string::npos)) {
            return "";
        }
        std::string outer = dots == 0 ? "" : from;
        for (std::size_t i = 0; i < dots; ++i) {
            const std::size_t dot = outer.rfind('.');
            outer = dot == std::string::npos ? "" : outer.substr(0, dot);
        }
        std::string key = (outer.empty() ? "" : outer + ".") + path.substr(dots);
        if (!index_.contains(key)) {
            std::string dashed = key;
            std::replace(dashed.begin(), dashed.end(), '_', '-');
            key = index_.contains(dashed) ? dashed : key;
        }
        return key;
    }

    void put_in(std::size_t i) {
        if (flat_.members[i].value->kind != Node::Kind::scalar ||
            flat_.members[i].value->text.find(kOpen) == std::string::npos || done_[i]) {
            return;
        }
        const Node::Member member = flat_.members[i];
        if (contains(open_, i)) {
            fail(member.value->where, fmt::format("{}: it refers to itself", member.key));
        }
        if (open_.size() == kDeepest) {
            fail(member.value->where,
                 fmt::format("{}: more than {} settings refer to one another", member.key, kDeepest));
        }
        open_.push_back(i);
        const std::string& text = member.value->text;
        Node value = *member.value;
        value.text.clear();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.compare(at, kOpen.size(), kOpen) == 0 ? text.find('}', at) : std::string::npos;
            const std::string key = end == std::string::npos
                                        ? ""
                                        : meant(text.substr(at + kOpen.size(), end - at - kOpen.size()), member.key);
            const auto found = key.empty() ? index_.end() : index_.find(key);
            if (found == index_.end()) {
                value.text += text[at++];
                continue;
            }
            put_in(found->second);
            const Node& other = *flat_.members[found->second].value;
            if (at == 0 && end + 1 == text.size()) {
                value = other;
                value.where = member.value->where;
            } else if (other.kind == Node::Kind::scalar) {
                value.text += other.text;
            } else {
                value.text += text.substr(at, end + 1 - at);
            }
            expanded_ += other.text.size();
            if (expanded_ > kMaxExpanded) {
                fail(member.value->where,
                     fmt::format("more than {} characters after what settings refer to is put in", kMaxExpanded));
            }
            at = end + 1;
        }
        if (value.kind == Node::Kind::scalar) {
            value.text = multiplied(value.text);
        }
        flat_.members[i].value = std::make_shared<const Node>(std::move(value));
        done_[i] = true;
        open_.pop_back();
    }

    /// Whether a setting refers to a mapping, whose settings are then added as its own.
    bool add_mapping(const Node::Member& reference) {
        const std::string& text = reference.value->text;
        if (reference.value->kind != Node::Kind::scalar || !text.starts_with(kOpen) ||
            text.find('}') + 1 != text.size()) {
            return false;
        }
        const std::string key = meant(text.substr(kOpen.size(), text.size() - kOpen.size() - 1), reference.key) + ".";
        const std::string name = reference.key;
        std::vector<Node::Member> added;
        for (auto inner = index_.lower_bound(key); key != "." && inner != index_.end(); ++inner) {
            if (!inner->first.starts_with(key)) {
                break;
            }
            put_in(inner->second);
            const std::string own = name + "." + inner->first.substr(key.size());
            if (!index_.contains(own)) {
                added.push_back({own, flat_.members[inner->second].where, flat_.members[inner->second].value});
            }
        }
        if (flat_.members.size() + added.size() > kMaxNodes) {
            fail(reference.where, fmt::format("more than {} settings after what they refer to is put in", kMaxNodes));
        }
        flat_.members.insert(flat_.members.end(), added.begin(), added.end());
        return !added.empty();
    }

    Node& flat_;
    bool is_script_;
    std::map<std::string, std::size_t> index_;  ///< of the settings that are written out
    std::map<std::size_t, bool> done_;
    std::vector<std::size_t> open_;  ///< settings whose references are being put in
    std::size_t expanded_ = 0;
};

}  // namespace

Node with_references(Node flat, bool is_script) {
    References(flat, is_script).run();
    return flat;
}

}  // namespace dodona::files
