// _dodona: the functions of dodona.h as Python sees them. The package dodona is written on it.
#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include "bindings/c/dodona.h"

namespace py = pybind11;

namespace {

struct Freed {
    void operator()(dodona_answer* answer) const { dodona_free(answer); }
};

/// (code, json, message); other threads of Python run meanwhile.
py::tuple ask(const std::string& question) {
    std::unique_ptr<dodona_answer, Freed> answer;
    {
        const py::gil_scoped_release released;
        answer.reset(dodona_ask(question.data(), question.size()));
    }
    if (answer == nullptr) {
        throw std::bad_alloc();
    }
    size_t length = 0;
    const char* json = dodona_json(answer.get(), &length);
    const py::str text(json, length);
    const char* message = dodona_message(answer.get(), &length);
    return py::make_tuple(dodona_code(answer.get()), text, py::str(message, length));
}

}  // namespace

PYBIND11_MODULE(_dodona, module) {
    module.doc() = "dodona.h: JSON in, JSON out";
    module.attr("version") = dodona_version();
    module.def("ask", &ask, py::arg("question"), "(code, json, message) of a question in JSON");
}
