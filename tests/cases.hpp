// Cases of a test, all of a kind in one file: what is given, then what is expected of it.
//
//   --- name
//   what is given
//   =>
//   what is expected
//   => under other options
//   what is expected then
//
// DODONA_ACCEPT=1 rewrites what is expected; `git diff` reviews it.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace dodona::cases {

struct Expectation {
    std::string under;  ///< options; mostly empty
    std::string text;
};

struct Case {
    std::string name;  ///< that of a file, where what is given is read from one
    std::string given;
    std::vector<Expectation> expected;
};

inline std::string content(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

inline std::vector<Case> read(const std::filesystem::path& path) {
    std::vector<Case> all;
    std::istringstream lines(content(path));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("--- ")) {
            all.push_back({.name = line.substr(4), .given = {}, .expected = {}});
        } else if (all.empty()) {
            ADD_FAILURE() << path << " does not start with a case";
            return {};
        } else if (line == "=>" || line.starts_with("=> ")) {
            all.back().expected.push_back({line.substr(std::min<std::size_t>(line.size(), 3)), {}});
        } else {
            (all.back().expected.empty() ? all.back().given : all.back().expected.back().text) += line + '\n';
        }
    }
    return all;
}

inline Case at(const std::filesystem::path& path, const std::string& name) {
    for (const Case& one : read(path)) {
        if (one.name == name) {
            return one;
        }
    }
    ADD_FAILURE() << path << " has no case " << name;
    return {};
}

inline std::vector<std::string> names(const std::filesystem::path& path) {
    std::vector<std::string> all;
    for (const Case& one : read(path)) {
        all.push_back(one.name);
    }
    return all;
}

inline void write(const std::filesystem::path& path, const std::vector<Case>& all) {
    std::ofstream stream(path, std::ios::binary);
    for (const Case& one : all) {
        stream << "--- " << one.name << '\n' << one.given;
        for (const Expectation& expected : one.expected) {
            stream << (expected.under.empty() ? "=>" : "=> " + expected.under) << '\n' << expected.text;
        }
    }
}

/// That `now` is what is expected in this case.
inline void expect(const std::filesystem::path& path, const std::string& name, std::string now,
                   const std::string& under = "") {
    std::vector<Case> all = read(path);
    const auto one = std::find_if(all.begin(), all.end(), [&](const Case& each) { return each.name == name; });
    ASSERT_NE(one, all.end()) << path << " has no case " << name;
    auto expected = std::find_if(one->expected.begin(), one->expected.end(),
                                 [&](const Expectation& each) { return each.under == under; });
    now += now.empty() || now.ends_with('\n') ? "" : "\n";
    const char* const accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string_view(accept) == "1") {
        if (expected == one->expected.end()) {
            expected = one->expected.insert(expected, {under, {}});
        }
        expected->text = now;
        write(path, all);
    }
    ASSERT_NE(expected, one->expected.end()) << name << " expects nothing; DODONA_ACCEPT=1 writes it into " << path;
    EXPECT_EQ(now, expected->text) << name << "; DODONA_ACCEPT=1 rewrites it in " << path;
}

/// What is given in a case, as a file of its name in `folder`.
inline void unpack(const std::filesystem::path& path, const std::string& name, const std::filesystem::path& folder) {
    std::ofstream(folder / name, std::ios::binary) << at(path, name).given;
}

/// What is expected in a case; empty where nothing is yet.
inline std::string expected(const std::filesystem::path& path, const std::string& name) {
    const Case one = at(path, name);
    return one.expected.empty() ? "" : one.expected.front().text;
}

/// As GoogleTest wants a name.
inline std::string identifier(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

/// A folder with a file for what is given in each case; gone with the object.
class Unpacked {
public:
    Unpacked() {
        std::string made = (std::filesystem::temp_directory_path() / "dodona-cases-XXXXXX").string();
        path_ = mkdtemp(made.data());
    }
    explicit Unpacked(const std::filesystem::path& cases) : Unpacked() { put(cases, path_); }
    ~Unpacked() { std::filesystem::remove_all(path_); }
    Unpacked(const Unpacked&) = delete;
    Unpacked& operator=(const Unpacked&) = delete;

    /// `under`: a folder in this one.
    void put(const std::filesystem::path& cases, const std::filesystem::path& under) const {
        std::filesystem::create_directories(path_ / under);
        for (const Case& one : read(cases)) {
            std::ofstream(path_ / under / one.name, std::ios::binary) << one.given;
        }
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace dodona::cases
