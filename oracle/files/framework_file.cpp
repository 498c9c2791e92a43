#include "files/framework_file.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "files/description_keys.hpp"
#include "files/read_description.hpp"
#include "files/text_forms.hpp"

namespace dodona::files {

namespace {

using plan::Framework;
using plan::FrameworkParameterKind;
using plan::kFrameworkParameters;
using plan::Mechanism;
using Number = Framework::Number;
using Bounds = Framework::Number::Bounds;

constexpr Dimensions kSeconds{.second = 1};

/// How values of a parameter are written: a time or a ratio.
KeyOptions value_of_parameter(const FrameworkParameterKind& kind) {
    return kind.is_time ? KeyOptions{.range = kNotNegative, .dimensions = kSeconds}
                        : KeyOptions{.range = {.least = kind.least, .most = kind.most},
                                     .value_text = "number in the range of the parameter"};
}

std::string range_text(const FrameworkParameterKind& kind) {
    return kind.is_time ? fmt::format(" At most {} s.", kind.most)
                        : fmt::format(" From {} to {}.", kind.least, kind.most);
}

std::string sentence(std::string_view meaning) {
    std::string text(meaning);
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text + '.';
}

bool is_lo_the_value(const Number& number) { return number.lo == number.value; }
bool is_hi_the_value(const Number& number) { return number.hi == number.value; }

/// An end of the interval.
template <bool (*IsTheValue)(const Number&)>
KeyOptions end_of_interval(const FrameworkParameterKind& kind) {
    KeyOptions options = value_of_parameter(kind);
    options.default_text = "the value";
    options.always_written = true;
    options.is_derived = test<Number, IsTheValue>;
    return options;
}

Description bounds_of(const FrameworkParameterKind& kind) {
    return {.noun = "pair of bounds",
            .summary = "What is physical.",
            .keys = {required<&Bounds::least>("least", "The least.", value_of_parameter(kind)),
                     required<&Bounds::most>("most", "The most.", value_of_parameter(kind))},
            .by_position = true,
            .example = "[least, most]",
            .defaults = default_of<Bounds>};
}

void check_number(Fields& fields, Number& number, const FrameworkParameterKind& kind) {
    const Value& value = fields.mapping();
    number.lo = fields.find("lo") ? number.lo : number.value;
    number.hi = fields.find("hi") ? number.hi : number.value;
    if (const auto& bounds = number.bounds;
        bounds && (bounds->least > number.value || number.value > bounds->most || bounds->least >= bounds->most)) {
        fields.find("bounds").error("expected two bounds with the value between them", "bounds: [least, most]");
    }
    if (number.lo > number.value || number.hi < number.value) {
        value.error("the value lies outside of its own interval", "lo <= value <= hi");
    }
    if (kind.is_time && number.value > kind.most) {
        value.error(fmt::format("{} s is more than {} s", number.value, kind.most));
    }
}

Description number_of(const FrameworkParameterKind& kind, const Description& (*bounds)(),
                      void (*check)(Fields&, void*, const Reading&)) {
    KeyOptions value = value_of_parameter(kind);
    value.help = kind.meaning;
    return {.noun = kind.is_time ? "time of a framework" : "ratio of a framework",
            .summary = "The value of a parameter, and the interval that it lies in with 90 %.",
            .keys = {required<&Number::value>("value", "The value.", value),
                     optional<&Number::lo>("lo", "Lower end of the interval.", end_of_interval<is_lo_the_value>(kind)),
                     optional<&Number::hi>("hi", "Upper end of the interval.", end_of_interval<is_hi_the_value>(kind)),
                     optional_as<&Number::bounds>(optional_type<Bounds>(record_type(bounds)), "bounds",
                                                  "Between which a fit may move the value."),
                     required<&Number::source>("source", "Where the value comes from.",
                                               {.help = "where the value comes from"})},
            .one_line = true,
            .example = fmt::format("{}: {{value: ..., source: \"...\"}}", kind.word),
            .expected_mapping = "a value needs its source",
            .check = check,
            .defaults = default_of<Number>};
}

/// The value of one parameter. Functions, since a description is found by a function without arguments.
template <std::size_t I>
struct ParameterValue {
    static const Description& bounds() {
        static const Description described = bounds_of(kFrameworkParameters[I]);
        return described;
    }
    static const Description& number() {
        static const Description described = number_of(kFrameworkParameters[I], bounds, check);
        return described;
    }

private:
    static void check(Fields& fields, void* number, const Reading& /*reading*/) {
        check_number(fields, *static_cast<Number*>(number), kFrameworkParameters[I]);
    }
};

Key parameter_key(const FrameworkParameterKind& kind, const Description& (*number)(), void* (*member)(void*),
                  bool (*is_unknown)(const void*)) {
    Key key = make_key(kind.word, sentence(kind.meaning) + range_text(kind), false, {.is_absent = is_unknown}, member,
                       record_type(number));
    key.former_name = kind.former_word;
    key.default_text = kind.is_time ? fmt::format("{} s", kind.neutral) : fmt::format("{}", kind.neutral);
    return key;
}

template <class Owner, std::size_t... I>
std::vector<Key> parameter_keys(std::index_sequence<I...> /*all*/) {
    std::vector<Key> keys;
    (keys.push_back(parameter_key(
         kFrameworkParameters[I], ParameterValue<I>::number,
         [](void* object) -> void* { return &static_cast<Owner*>(object)->numbers[I]; },
         [](const void* object) { return static_cast<const Owner*>(object)->numbers[I].source.empty(); })),
     ...);
    return keys;
}

template <class Owner>
std::vector<Key> parameter_keys() {
    return parameter_keys<Owner>(std::make_index_sequence<kFrameworkParameters.size()>());
}

const Description& parameters() {
    static const Description described{.noun = "parameters of a framework",
                                       .summary = "What is left out adds nothing. Every value needs its source.",
                                       .keys = parameter_keys<Framework>(),
                                       .defaults = default_of<Framework>};
    return described;
}

const Description& changes() {
    static const Description described{
        .noun = "parameters of a mechanism",
        .summary = "What is left out stays as in the framework. Every value needs its source.",
        .keys = parameter_keys<Mechanism>(),
        .defaults = default_of<Mechanism>};
    return described;
}

/// The key `with` sets other members, and says nothing beside them.
std::vector<Mechanism> no_mechanisms(const Framework& /*framework*/) { return {}; }

void add_mechanisms(const std::vector<Mechanism>& mechanisms, Framework& framework, const Value& /*value*/,
                    const Reading& /*reading*/) {
    for (const Mechanism& mechanism : mechanisms) {
        framework.add(mechanism);
    }
}

ValueType with_type() {
    return converted_type<std::vector<Mechanism>, Framework, no_mechanisms, add_mechanisms>(
        list_type<Mechanism>({reference_type(description<Mechanism>, &Openers::mechanism)}));
}

/// Names the framework that has what a file leaves out of kFitted.
constexpr std::string_view kLike = "like";
constexpr std::string_view kParameters = "parameters";
constexpr std::array<std::string_view, 8> kFitted{kParameters,       "fitted_to",           "fitted_on",
                                                  "fitted_level",    "fitted_expert_nodes", "spread",
                                                  "between_sources", "attention_library"};

/// Adds members of another mapping that this one lacks.
void complete(Node& node, const Node& other) {
    for (const Node::Member& its : other.members) {
        if (node.member(its.key) == nullptr) {
            node.members.push_back(its);
        }
    }
}

/// The file of a framework with what it leaves out of kFitted as in another.
Node completed(Node node, const Node& other) {
    Node fitted;
    for (const std::string_view key : kFitted) {
        if (const Node::Member* its = other.member(key)) {
            fitted.members.push_back(*its);
        }
    }
    for (Node::Member& mine : node.members) {
        const Node::Member* its = mine.key == kParameters ? fitted.member(kParameters) : nullptr;
        if (its != nullptr && mine.value->kind == Node::Kind::mapping) {
            Node parameters = *mine.value;
            complete(parameters, *its->value);
            mine.value = std::make_shared<const Node>(std::move(parameters));
        }
    }
    complete(node, fitted);
    return node;
}

}  // namespace

template <>
const Description& description<Framework>() {
    static const Description described{
        .noun = "framework",
        .summary =
            "What the software of one generation adds in training to kernels and links that were measured alone.",
        .keys =
            {file_name<&Framework::name>("framework"),
             file_source<&Framework::source>(),
             optional<&Framework::summary>("summary", "One line for lists."),
             optional<&Framework::other_names>("other_names",
                                               "Names under which people know it. A name that is that of a software of "
                                               "several versions means the newest that the device runs.",
                                               {.or_single = true}),
             optional<&Framework::version_of>(
                 "version_of",
                 "Name of a software of which it is one of several versions. The default is the newest that the device "
                 "runs, with `--date` the newest of that time."),
             optional<&Framework::version>("version", "The first release that it stands for."),
             optional<&Framework::since>("since", "Date of that release. With `--date` before it, it is no default.",
                                         {.form = &kDate}),
             optional<&Framework::memory>("memory", "The memory profile of such software.", {.default_text = "none"}),
             optional<&Framework::rules>("rules", "What it does to tensors, before what the memory profile says.",
                                         {.default_text = "none"}),
             optional<&Framework::fitted_to>("fitted_to", "Groups of published runs that it was fitted to.",
                                             {.or_single = true}),
             optional<&Framework::fitted_on>(
                 "fitted_on",
                 "Makers of the devices of these runs, whose names `family` of a device begins "
                 "with. On devices of others nothing is known of it, and intervals are wider.",
                 {.default_text = "not stated", .or_single = true}),
             optional<&Framework::fitted_level>("fitted_level",
                                                "The highest ZeRO level of these runs. Of plans with a higher one "
                                                "nothing is known, as on other devices: "
                                                "intervals are wider, and a plan within them that is tied comes first.",
                                                {.default_text = "not stated"}),
             optional<&Framework::fitted_expert_nodes>("fitted_expert_nodes",
                                                       "Nodes, or racks whose links are as fast, that the experts of a "
                                                       "layer were spread over at most; the same.",
                                                       {.range = kPositive, .default_text = "not stated"}),
             optional<&Framework::runs>("runs",
                                        "Strategies that it can run. A search in it looks at no others; predicted in "
                                        "it, another is said to be none of its own.",
                                        {.default_text = "all strategies", .or_single = true}),
             optional<&Framework::otherwise>("otherwise",
                                             "The framework that strategies are predicted in which the program runs "
                                             "too, but not with the times here: named, it stands for both.",
                                             {.default_text = "none"}),
             optional<&Framework::levels>("levels", "ZeRO levels that it can run.",
                                          {.default_text = "all", .or_single = true}),
             optional<&Framework::schedules>("schedules",
                                             "Schedules of pipelines that it is run with, which a search in it tries; "
                                             "with forward and backward passes together where experts exchange, on "
                                             "virtual stages and without full recomputation.",
                                             {.default_text = "1f1b and interleaved-1f1b", .or_single = true}),
             optional<&Framework::tasks>("tasks", "Tasks of post-training that it can run.",
                                         {.default_text = "all", .or_single = true}),
             optional<&Framework::frees_memory>("frees_memory",
                                                "Mechanisms of its own that are off by default and keep less: "
                                                "suggested where nothing fits.",
                                                {.default_text = "none", .or_single = true}),
             optional_as<&Framework::cannot_offload>(words_of_flags<plan::Offload, plan::kOffloadNames>(),
                                                     "cannot_offload", "What it cannot keep in host memory.",
                                                     {.default_text = "nothing"}),
             optional<&Framework::exchanges_once>(
                 "exchanges_once",
                 "Under a pipeline it reduces gradients and gathers weights once a step, at ZeRO-2 and ZeRO-3 as well, "
                 "and keeps both whole until then."),
             optional<&Framework::deals>("deals",
                                         "How it deals blocks to the parts of a pipeline by itself: the first of these "
                                         "ways in which they divide.",
                                         {.default_text = "equal", .or_single = true}),
             optional<&Framework::takes_cut>("takes_cut", "Whether it takes any other cut of a pipeline."),
             optional<&Framework::runs_source>("runs_source", "Where these are written.", {.default_text = "none"}),
             optional<&Framework::usual_for>(
                 "usual_for",
                 "Used by default for models with one of these operators, or with all of those that a text names with "
                 "blanks between them; \"*\": for any model that no other framework is usual for.",
                 {.or_single = true}),
             optional<&Framework::usual_tasks>("usual_tasks",
                                               "Used by default, before others, for models with one of these tasks of "
                                               "post-training, and for no others; where it says `usual_for`, for "
                                               "models of those only.",
                                               {.default_text = "none", .or_single = true}),
             optional<&Framework::usual_levels>("usual_levels",
                                                "Of these models only under strategies that prescribe one of these "
                                                "ZeRO levels; other frameworks have the other strategies.",
                                                {.default_text = "all strategies", .or_single = true}),
             optional<&Framework::usual_on>(
                 "usual_on",
                 "And only on devices of these makers; a device whose file names no family counts as NVIDIA's.",
                 {.default_text = "all", .or_single = true}),
             optional<&Framework::usual_with>("usual_with", "And only on devices that multiply in this precision.",
                                              {.default_text = "any"}),
             optional<&Framework::usual_offload>(
                 "usual_offload",
                 "And only for plans that keep something in host memory, under strategies all of whose axes may shard "
                 "states or split whole samples; `usual_levels` does not count then."),
             optional<&Framework::like>(
                 "like",
                 "The framework that has what this file leaves out of `parameters`, `fitted_to` and what else it was "
                 "fitted on, `spread`, `between_sources` and `attention_library`; a built-in one or a file.",
                 {.default_text = "none"}),
             optional<&Framework::spread>(
                 "spread",
                 "Standard deviation of log(measured / predicted) of runs that were held out. It makes all intervals "
                 "of the framework wider or narrower (oracle/step/uncertainty.hpp).",
                 {.range = kShare}),
             optional<&Framework::between_sources>(
                 "between_sources",
                 "The same of what all runs of one source share, where software of another source is meant than that "
                 "of the fit. Plans are compared without it, and observed steps reduce it.",
                 {.range = kShare}),
             optional<&Framework::attention_library>(
                 "attention_library",
                 "Whose kernels of fused attention it runs on devices whose profile has them of several."),
             optional_as(record_type(parameters), "parameters", "What it adds."),
             optional<&Framework::mechanisms>("mechanisms", "Names of mechanisms that the values above contain."),
             optional_as(with_type(), "with",
                         "Mechanisms that it has: names or files. Their parameters replace those above, the last of "
                         "several counts, and what they leave unexplained adds to `between_sources`. "
                         "`--software NAME+MECHANISM` says the same.")},
        .file_kind = "framework",
        .defaults = default_of<Framework>};
    return described;
}

template <>
const Description& description<Mechanism>() {
    static const Description described{
        .noun = "mechanism",
        .summary = "What software does, whatever it is called, and what that makes of a framework's parameters.",
        .keys = {file_name<&Mechanism::name>("mechanism"), file_source<&Mechanism::source>(),
                 optional<&Mechanism::summary>("summary", "One line for lists."),
                 optional<&Mechanism::spread>("spread",
                                              "Standard deviation of log(measured / predicted) that it adds to the "
                                              "framework's `between_sources`, as an independent error.",
                                              {.range = kShare}),
                 optional<&Mechanism::memory>("memory", "A memory profile that replaces the framework's.",
                                              {.default_text = "the framework's"}),
                 optional<&Mechanism::rules>("rules", "What it does to tensors, before what the memory profile says.",
                                             {.default_text = "none"}),
                 optional<&Mechanism::attention_library>(
                     "attention_library",
                     "Whose kernels of fused attention are run on devices whose profile has them of several.",
                     {.default_text = "the framework's"}),
                 optional_as(record_type(changes), "parameters", "What replaces the framework's parameters.")},
        .file_kind = "mechanism",
        .defaults = default_of<Mechanism>};
    return described;
}

Framework read_framework(Document document, const Opener& open_mechanism) {
    return read_file<Framework>(std::move(document), {.mechanism = open_mechanism});
}

Mechanism read_mechanism(Document document) { return read_file<Mechanism>(std::move(document)); }

Document completed_framework(Document document,
                             const std::function<Document(const std::string&, const Location&)>& open_framework) {
    const Node::Member* const like = document.root->member(kLike);
    if (like == nullptr || like->value->kind != Node::Kind::scalar) {
        return document;
    }
    const Document other = open_framework(like->value->text, like->value->where);
    if (const Node::Member* again = other.root->member(kLike)) {
        fail(like->value->inside(), fmt::format("{} is itself like {}", like->value->text, again->value->text),
             "name a framework that is like no other");
    }
    document.root = std::make_shared<const Node>(completed(*document.root, *other.root));
    return document;
}

}  // namespace dodona::files
