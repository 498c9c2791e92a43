// Reads files of every kind against the small library in tests/files/library.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "files/exchange_file.hpp"
#include "files/framework_file.hpp"
#include "files/library.hpp"
#include "files/link_file.hpp"
#include "files/machine_file.hpp"
#include "files/noise_file.hpp"
#include "files/plan_file.hpp"
#include "files/strategy_file.hpp"
#include "files/study_file.hpp"
#include "graph/graph.hpp"

namespace dodona::files::testing {

inline std::filesystem::path here() {
    const char* root = std::getenv("DODONA_SOURCE");
    return (std::filesystem::path(root == nullptr ? "." : root) / "tests/files").lexically_normal();
}

inline Library library() { return Library(here() / "library"); }

/// Reads a document as a file of a kind; a model's graph is built as well.
inline void read_as(const std::string& kind, Document document) {
    if (kind == "model") {
        static_cast<void>(graph::build(read_model(std::move(document), {}, library().model_opener())));
    } else if (kind == "cluster") {
        static_cast<void>(read_cluster(std::move(document), library().machine_openers()));
    } else if (kind == "device") {
        static_cast<void>(read_device(std::move(document), library().machine_openers().profile));
    } else if (kind == "link") {
        static_cast<void>(read_link(std::move(document)));
    } else if (kind == "strategy") {
        static_cast<void>(read_strategy(std::move(document)));
    } else if (kind == "framework") {
        static_cast<void>(read_framework(std::move(document), library().mechanism_opener()));
    } else if (kind == "mechanism") {
        static_cast<void>(read_mechanism(std::move(document)));
    } else if (kind == "exchange") {
        static_cast<void>(read_exchange(std::move(document)));
    } else if (kind == "noise") {
        static_cast<void>(read_noise(std::move(document)));
    } else if (kind == "trials") {
        static_cast<void>(read_study(std::move(document)));
    } else {
        ASSERT_EQ(kind, "plan");
        static_cast<void>(read_plan(std::move(document), library().strategy_opener(), library().framework_opener(),
                                    library().mechanism_opener()));
    }
}

/// What the user is told; empty if nothing is wrong.
template <typename Reading>
std::string fault_of(Reading reading) {
    try {
        reading();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

inline graph::NetworkSpec model_of(const std::string& text, std::span<const Setting> settings = {}) {
    return read_model(parse_document(text, "model.yaml"), settings, library().model_opener());
}

inline std::string model_fault(const std::string& text, std::span<const Setting> settings = {}) {
    return fault_of([&] { static_cast<void>(model_of(text, settings)); });
}

}  // namespace dodona::files::testing
