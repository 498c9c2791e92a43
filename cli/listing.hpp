// Commands that list what comes with dodona, search it, or show one of it: `dodona models [WORDS ...]` and its like.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/found.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::cli {

/// How to read, find and show one kind of thing.
template <class Thing>
struct Listing {
    files::NameOf kind;
    std::string plural;  ///< "models", also the command
    std::vector<std::string> names;
    std::vector<std::string> on_request;  ///< names that are read for words or all only: reading takes long
    Thing (*read)(const std::string& name);
    reports::Document (*one)(const Thing& thing);
    reports::Document (*all)(const std::vector<Thing>& things);
    std::string (*facts)(const Thing& thing);  ///< where words are looked for
    /// Text in which words must stand as well, by a name that is not read yet; none: all are read.
    std::function<std::string(const std::string& name)> unread_facts = {};
    double (*size)(const Thing& thing,
                   SizeOf what) = nullptr;           ///< what "70b" or "80gb" is compared with; 0: it has none
    bool (*left_out)(const Thing& thing) = nullptr;  ///< of lists, unless asked for
    std::string why_left_out = {};
    std::vector<NextCommand> (*next)(const std::string& name) = nullptr;  ///< after one of them
};

/// WORDS, and --all where something is left out.
std::vector<Positional> listing_positionals(Names completes);
Option all_option(const std::string& what);

template <class Thing>
std::vector<Thing> found_things(const Listing<Thing>& listing, const std::vector<std::string>& words, bool all) {
    std::vector<Thing> found;
    for (const std::string& name : listing.names) {
        if (words.empty() && !all && contains(listing.on_request, name)) {
            continue;
        }
        if (listing.unread_facts && !may_have_words(words, listing.unread_facts(name))) {
            continue;
        }
        Thing thing = listing.read(name);
        const auto size = [&](SizeOf what) { return listing.size == nullptr ? 0 : listing.size(thing, what); };
        if (has_words(words, listing.facts(thing), size)) {
            found.push_back(std::move(thing));
        }
    }
    return found;
}

/// Takes out what lists leave out, unless nothing else is there. Returns how many.
template <class Thing>
std::size_t leave_out(const Listing<Thing>& listing, std::vector<Thing>& things) {
    auto shown = filtered<Thing>(
        things, [&](const Thing& thing) { return listing.left_out == nullptr || !listing.left_out(thing); });
    if (shown.empty()) {
        return 0;
    }
    const std::size_t left_out = things.size() - shown.size();
    things = std::move(shown);
    return left_out;
}

template <class Thing>
int run_listing(Arguments& arguments, const Listing<Thing>& listing) {
    const Output output = read_output(arguments);
    const std::vector<std::string> words = arguments.all("WORDS");
    const bool all = arguments.has("--all");
    arguments.throw_if_faults();
    const auto resolved = [&](const std::string& word) {
        const auto alias = library().resolve_alias(listing.kind, word);
        return alias ? alias->name : word;
    };
    const auto write_one = [&](const std::string& name, const Thing& one) {
        reports::Document document = listing.one(one);
        if (listing.next != nullptr) {
            add_next(document, arguments, listing.plural, listing.next(name));
        }
        write(output, document);
        return kAnswered;
    };
    if (words.size() == 1 && names_one(listing.kind, words.front(), listing.names)) {
        const std::string name = resolved(words.front());
        return write_one(name, listing.read(name));
    }
    std::vector<Thing> things = found_things(listing, words, all);
    if (things.empty() && words.size() == 1) {
        things.push_back(listing.read(resolved(words.front())));  // or says what is near
    }
    if (things.empty()) {
        nothing_found(listing.plural, words);
    }
    const std::size_t left_out =
        (all ? 0 : leave_out(listing, things)) + (all || !words.empty() ? 0 : listing.on_request.size());
    if (things.size() == 1 && !words.empty()) {
        const Thing& one = things.front();
        if (listing.kind != files::NameOf::device || !is_cut_short(join(words), std::string(one.name))) {
            return write_one(std::string(one.name), one);
        }
    }
    reports::Document document = listing.all(things);
    if (left_out > 0) {
        reports::add(document, reports::Note{fmt::format("{} that {} left out: `dodona {} {}--all` lists them too",
                                                         left_out, listing.why_left_out, listing.plural,
                                                         words.empty() ? "" : join(words, " ") + " ")});
    }
    write(output, document);
    return kAnswered;
}

}  // namespace dodona::cli
