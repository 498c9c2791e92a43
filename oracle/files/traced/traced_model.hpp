// A network in ONNX's format, or as our script for PyTorch writes it, as a model file of Dodona.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "files/document.hpp"
#include "files/hf/imported_model.hpp"
#include "files/model_file.hpp"
#include "files/traced/traced_graph.hpp"

namespace dodona::files {

/// Whether a path is that of a file of ONNX.
bool is_onnx(const std::string& path);

/// `name`: of the model; `where`: the place that names the file. `settings` give extents that the file leaves open; the
/// others are left to the reader of the model. Throws InputError with what cannot be read.
ImportedModel import_onnx(const std::filesystem::path& path, const std::string& name, std::span<const Setting> settings,
                          const Location& where);

/// The same of a graph of PyTorch, all of whose extents are settled.
ImportedModel import_torch(Document document, const std::string& name);

/// The same of a graph as it was traced. `format`: what its source is called.
ImportedModel import_traced(TracedGraph graph, const std::string& name, const std::string& format);

}  // namespace dodona::files
