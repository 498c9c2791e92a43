#include "files/text_forms.hpp"

#include <algorithm>
#include <cctype>

#include "files/scope.hpp"
#include "graph/operators.hpp"

namespace dodona::files {

namespace {

bool continues_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

void check_name(const Value& value) {
    const std::string& name = value.node().text;
    if (!std::all_of(name.begin(), name.end(), continues_name)) {
        value.error(fmt::format("\"{}\" is not a name", name), "names have letters, digits, `_`, `-` and `.`");
    }
}

void check_identifier(const Value& value) {
    const std::string& name = value.node().text;
    if (!is_identifier(name)) {
        value.error(fmt::format("\"{}\" is not a name for an axis", name), "axes have letters, digits and `_`");
    }
}

void check_date(const Value& value) {
    constexpr std::string_view kForm = "0000-00-00";
    const std::string& text = value.node().text;
    const bool is_date =
        text.size() == kForm.size() && std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
            return form == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == form;
        });
    if (!is_date) {
        value.error(fmt::format("\"{}\" is not a date", text), "write year-month-day: 2026-11-01");
    }
}

void check_operator(const Value& value) {
    const std::vector<std::string>& known = graph::operator_names();
    const std::string& name = value.node().text;
    if (graph::find_operator(name) == nullptr) {
        value.error(fmt::format("unknown operator \"{}\"{}", name, did_you_mean(name, known)),
                    fmt::format("operators: {}", join(known)));
    }
}

std::vector<std::string> operators() { return graph::operator_names(); }

}  // namespace

const TextForm kName{.is = "a name", .pattern = "^[A-Za-z0-9_.-]+$", .check = check_name};
const TextForm kIdentifier{.is = "a name", .pattern = "^[A-Za-z_][A-Za-z0-9_]*$", .check = check_identifier};
const TextForm kDate{.is = "a date", .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", .check = check_date};
const TextForm kOperator{.is = "an operator", .check = check_operator, .choices = operators};

}  // namespace dodona::files
