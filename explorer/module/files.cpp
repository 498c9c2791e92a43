// What a page gives the module before it asks: the files of models, machines and all else that dodona reads.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <emscripten/emscripten.h>

#include "base/check.hpp"

namespace {

constexpr const char* kFolder = "/dodona";

}  // namespace

extern "C" {

/// Puts a file into the memory of the module; `path` is relative to the data folder.
EMSCRIPTEN_KEEPALIVE void explorer_put(const char* path, const char* text, std::size_t length) {
    const std::filesystem::path whole = std::filesystem::path(kFolder) / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream stream(whole, std::ios::binary);
    stream.write(text, static_cast<std::streamsize>(length));
    dodona::check(stream.flush().good(), "a file in memory can be written");
    setenv("DODONA_DATA", kFolder, 1);
}

}  // extern "C"
