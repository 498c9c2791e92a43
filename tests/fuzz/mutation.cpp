#include "mutation.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "files/document.hpp"
#include "files/protobuf_message.hpp"

namespace dodona::fuzz {

namespace {

using Json = nlohmann::ordered_json;

Json scalar_of(const files::Node& node) {
    Json value = node.quoted ? Json(node.text) : Json::parse(node.text, nullptr, false);
    return value.is_primitive() && !value.is_discarded() ? value : Json(node.text);
}

Json json_of(const files::Node& node) {
    Json value;
    switch (node.kind) {
        case files::Node::Kind::null: break;
        case files::Node::Kind::scalar: value = scalar_of(node); break;
        case files::Node::Kind::list:
            value = Json::array();
            for (const auto& item : node.items) {
                value.push_back(json_of(*item));
            }
            break;
        case files::Node::Kind::mapping:
            value = Json::object();
            for (const files::Node::Member& member : node.members) {
                value[member.key] = json_of(*member.value);
            }
            break;
    }
    return value;
}

/// A message within another message cannot be told from a text that has its form.
std::optional<Json> fields_of(std::string_view bytes, int depth) {
    constexpr int kDeepest = 8;
    Json fields = Json::array();
    files::ProtobufMessage message(bytes);
    while (const auto field = message.next()) {
        Json value = field->integer;
        if (field->bytes.data() != nullptr) {
            auto inner = depth < kDeepest && !field->bytes.empty() ? fields_of(field->bytes, depth + 1) : std::nullopt;
            value = inner ? std::move(*inner) : Json(std::string(field->bytes));
        }
        fields.push_back(Json::array({field->number, std::move(value)}));
    }
    return message.broken() ? std::nullopt : std::optional(std::move(fields));
}

void add_varint(std::string& bytes, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>(value | 0x80);
    }
    bytes += static_cast<char>(value);
}

std::string message_of(const Json& fields) {
    std::string bytes;
    for (const Json& field : fields) {
        if (!field.is_array() || field.size() < 2 || !field[0].is_number()) {
            continue;
        }
        const Json& value = field[1];
        const std::uint64_t number = field[0].get<std::uint64_t>() % 1000;
        const bool is_integer = value.is_number() || value.is_boolean();
        add_varint(bytes, number << 3 | (is_integer ? 0 : 2));
        if (is_integer) {
            const bool is_real = value.is_number_float();
            add_varint(bytes, is_real ? 1 : value.is_boolean() ? 0 : value.get<std::uint64_t>());
        } else {
            const std::string inner = value.is_string() ? value.get<std::string>() : message_of(value);
            add_varint(bytes, inner.size());
            bytes += inner;
        }
    }
    return bytes;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

Json lines_of(const std::string& text) {
    constexpr std::size_t kMaxTokens = 20'000;  // a change copies them all
    Json lines = Json::array({Json::array()});
    std::size_t tokens = 0;
    for (std::size_t at = 0; at < text.size() && tokens < kMaxTokens; ++tokens) {
        std::size_t end = at + 1;
        while (end < text.size() && is_word(text[at]) && is_word(text[end])) {
            ++end;
        }
        lines.back().push_back(text.substr(at, end - at));
        if (text[at] == '\n') {
            lines.push_back(Json::array());
        }
        at = end;
    }
    return lines;
}

std::string text_of_tokens(const Json& node) {
    if (node.is_string()) {
        return node.get<std::string>();
    }
    if (!node.is_structured()) {
        return node.dump();
    }
    std::string text;
    for (const Json& child : node) {
        text += text_of_tokens(child);
    }
    return text;
}

void collect(Json& node, std::vector<Json*>& all) {
    all.push_back(&node);
    if (node.is_structured()) {
        for (Json& child : node) {
            collect(child, all);
        }
    }
}

const std::vector<Json>& odd_values() {
    static const std::vector<Json> all{0,
                                       1,
                                       -1,
                                       2,
                                       0.5,
                                       1e308,
                                       9007199254740993,
                                       "",
                                       "odd",
                                       "-1",
                                       nullptr,
                                       true,
                                       INT64_MIN,
                                       INT64_MAX,
                                       -7,
                                       1000,
                                       64000,
                                       "1e999",
                                       "nan",
                                       "9223372036854775808",
                                       "\"",
                                       "'",
                                       "\\",
                                       "$(",
                                       "${x:-",
                                       "$((1/0))",
                                       ")",
                                       "\n",
                                       ",",
                                       "\t",
                                       "#",
                                       "<<EOF\n",
                                       "; do\n",
                                       "if ",
                                       "esac\n",
                                       "--",
                                       "=",
                                       Json::array(),
                                       Json::array({0}),
                                       Json::object()};
    return all;
}

class Mutator {
public:
    Mutator(Json& root, std::mt19937& random) : random_(random) { collect(root, nodes_); }

    void run() {
        Json& node = *nodes_[below(nodes_.size())];
        switch (below(5)) {
            case 0: drop_child(node); break;
            case 1: repeat_child(node); break;
            case 2: swap(node); break;
            case 3: empty(node); break;
            default: node = odd_values()[below(odd_values().size())]; break;
        }
    }

private:
    std::size_t below(std::size_t count) { return random_() % count; }

    void drop_child(Json& node) {
        if (node.is_structured() && !node.empty()) {
            auto child = node.begin();
            std::advance(child, below(node.size()));
            node.erase(child);
        }
    }

    /// At another place of the list, or under another key.
    void repeat_child(Json& node) {
        if (node.empty() || !node.is_structured()) {
            return;
        }
        auto child = node.begin();
        std::advance(child, below(node.size()));
        const Json copy = *child;
        auto other = node.begin();
        std::advance(other, below(node.size()));
        if (node.is_array()) {
            node.insert(other, copy);
        } else {
            *other = copy;
        }
    }

    /// With any other, or one that it holds takes its place.
    void swap(Json& node) {
        Json& other = *nodes_[below(nodes_.size())];
        const bool holds = is_in(other, node);
        const bool is_held = is_in(node, other);
        if (!holds && !is_held) {
            std::swap(node, other);
        } else if (holds && !is_held) {
            node = Json(other);
        }
    }

    static bool is_in(Json& node, Json& outer) {
        std::vector<Json*> inner;
        collect(outer, inner);
        return std::find(inner.begin(), inner.end(), &node) != inner.end();
    }

    static void empty(Json& node) {
        if (node.is_structured()) {
            node.clear();
        } else if (node.is_string()) {
            node = "";
        } else {
            node = 0;
        }
    }

    std::mt19937& random_;
    std::vector<Json*> nodes_;
};

}  // namespace

std::optional<Tree> tree_of(const std::string& text, Form form) {
    if (form == Form::tokens) {
        return Tree{form, lines_of(text)};
    }
    if (form == Form::protobuf) {
        auto fields = fields_of(text, 0);
        return fields ? std::optional(Tree{form, std::move(*fields)}) : std::nullopt;
    }
    constexpr int kDeepest = 100;  // copies are recursive
    const auto is_kept = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) { return depth < kDeepest; };
    Json value = Json::parse(text, is_kept, false);
    if (!value.is_discarded()) {
        return Tree{form, std::move(value)};
    }
    try {
        const files::Document document = files::parse_document(text, "seed.yaml");
        return document.root == nullptr ? std::nullopt : std::optional(Tree{form, json_of(*document.root)});
    } catch (const InputError&) {
        return std::nullopt;
    }
}

Tree mutated(Tree tree, std::mt19937& random) {
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
        Mutator(tree.root, random).run();
    }
    return tree;
}

std::string text_of(const Tree& tree) {
    switch (tree.form) {
        case Form::protobuf: return message_of(tree.root);
        case Form::tokens: return text_of_tokens(tree.root);
        case Form::json: break;
    }
    return tree.root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dodona::fuzz
