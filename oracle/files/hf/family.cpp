#include "files/hf/family.hpp"

#include <algorithm>
#include <system_error>

#include "base/ranges.hpp"
#include "files/heading.hpp"
#include "files/hf/condition.hpp"

namespace dodona::files {

namespace {

namespace fs = std::filesystem;

Meanings read_meanings(const Value& values) {
    Meanings meanings;
    if (values) {
        for (const Fields::Member& member : Fields(values).rest()) {
            meanings.emplace_back(member.key, written(member.value));
        }
    }
    return meanings;
}

ConfigKey read_key(const Fields::Member& member) {
    ConfigKey key{.names = {member.key}, .parameter = {}, .otherwise = {}, .values = {}, .accepted = {}, .because = {}};
    if (member.value.is_scalar()) {  // {hidden_size: hidden}
        key.parameter = member.value.text();
        return key;
    }
    Fields fields(member.value);
    key.parameter = fields.find("is").text();
    append(key.names, fields.find("also").texts());
    if (const Value otherwise = fields.find("default")) {
        key.otherwise = written(otherwise);
        key.least = key.otherwise->text == "0" ? 0 : 1;
    }
    if (const Value of_part = fields.find("part_default")) {
        key.of_part = written(of_part);
    }
    key.values = read_meanings(fields.find("values"));
    key.is_list = fields.find("equal").flag();
    key.is_count = fields.find("count").flag();
    key.is_words = fields.find("words").flag();
    if (const Value only = fields.find("only")) {
        key.is_checked = true;
        key.accepted = only.texts();
    }
    key.because = fields.find("because").text();
    fields.finish();
    return key;
}

/// A value, or a list of such: [{is: silu, when: gated}, {is: gelu}].
std::vector<Choice> read_choices(const Value& value) {
    if (!value.is_list()) {
        return {{written(value), nullptr}};
    }
    std::vector<Choice> choices;
    for (const auto& item : value.node().items) {
        const Node* is = child(*item, "is");
        const auto* when = found_in(item->members, &Node::Member::key, "when");
        if (is != nullptr) {
            choices.push_back({{is->text, is->quoted, is->inside()}, when == nullptr ? nullptr : when->value});
        }
    }
    return choices;
}

EachLayer read_each(const Fields::Member& member) {
    EachLayer each{.parameter = member.key, .keys = {}, .values = {}, .otherwise = {}, .of = {"layers"}};
    if (!member.value.is_mapping()) {  // {mixture: layer >= dense_layers}
        each.otherwise = read_choices(member.value);
        return each;
    }
    Fields fields(member.value);
    each.keys = fields.find("list").texts();
    each.values = read_meanings(fields.find("values"));
    each.repeats = fields.find("repeats").text() == "true";
    each.turns = fields.find("turns").text();
    if (const Value among = fields.find("among")) {
        each.keys = among.texts();
        each.is_among = true;
        each.first = fields.find("counted_from").text() == "1" ? 1 : 0;
    }
    if (const Value otherwise = fields.find("default")) {
        each.otherwise = read_choices(otherwise);
    } else if (each.keys.empty()) {
        member.value.error("neither a list nor a default");
    }
    if (const Value of = fields.find("of")) {
        each.of = of.texts();
    }
    fields.finish();
    return each;
}

}  // namespace

void read_meanings_of_keys(Fields& fields, Family& family) {
    if (const Value keys = fields.find("keys")) {
        append(family.keys, Fields(keys).rest(), [](const Fields::Member& member) { return read_key(member); });
    }
    if (const Value set = fields.find("set")) {
        for (const Fields::Member& member : Fields(set).rest()) {
            family.set.push_back({member.key, read_choices(member.value)});
        }
    }
    if (const Value each = fields.find("each_layer")) {
        append(family.each_layer, Fields(each).rest(), [](const Fields::Member& member) { return read_each(member); });
    }
    family.ignored = fields.find("ignored").texts();
    family.left_out = fields.find("left_out").texts();
}

Family read_family(Document document) {
    const Value root(*document.root, "", document.faults);
    Fields fields(root);
    Family family;
    const Heading heading = read_heading(fields, "family");
    family.name = heading.name;
    family.source = heading.source;
    family.encoder_of = fields.find("encoder_of").texts();
    family.part = fields.find("part").text();
    family.part_types = fields.find("part_types").texts();
    family.class_names = fields.find("class_names").texts();
    const bool has_types = family.encoder_of.empty() && family.class_names.empty();
    family.model_types = (has_types ? fields.require("model_types") : fields.find("model_types")).texts();
    family.refusal = fields.find("refused").text();
    family.architecture = fields.find("architecture").text();
    family.nested = fields.find("nested").text();
    read_meanings_of_keys(fields, family);
    fields.finish();
    throw_faults(document);
    return family;
}

std::vector<Family> load_families(const fs::path& folder, std::span<const std::string> types) {
    std::vector<fs::path> files;
    std::error_code fault;
    for (fs::directory_iterator file(folder / "families", fault); !fault && file != fs::directory_iterator();
         file.increment(fault)) {
        if (file->path().extension() == ".yaml") {
            files.push_back(file->path());
        }
    }
    std::sort(files.begin(), files.end());
    Document common = load_document(folder / "ignored.yaml", "models/hf/ignored.yaml", command_line());
    Fields fields(Value(*common.root, "", common.faults));
    static_cast<void>(fields.find("source").text());
    const std::vector<std::string> ignored = fields.require("ignored").texts();
    fields.finish();
    throw_faults(common);
    std::vector<Family> families;
    for (const fs::path& file : files) {
        const std::string name = "models/hf/families/" + file.filename().string();
        std::string text = load_bytes(file, name, command_line());
        const auto is_in_text = [&](const std::string& type) { return text.find(type) != std::string::npos; };
        if (!types.empty() && std::none_of(types.begin(), types.end(), is_in_text)) {
            continue;  // reading all takes longer than the rest of a question
        }
        families.push_back(read_family(parse_document(std::move(text), name)));
        families.back().ignored.insert(families.back().ignored.end(), ignored.begin(), ignored.end());
        if (!families.back().part.empty()) {
            families.back().part_ignored = std::move(families.back().ignored);
        }
    }
    return families;
}

}  // namespace dodona::files
