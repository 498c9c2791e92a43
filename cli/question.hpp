// Questions (questions/) as commands: the table of their options as words, what is typed read into its members, the answer
// written.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/asked_plan.hpp"
#include "cli/exit_code.hpp"
#include "cli/next.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "files/description.hpp"
#include "questions/question.hpp"

namespace dodona::cli {

/// Those of a table. `group`: of those that name none; with `others` false only those that name it.
std::vector<Option> question_options(const files::Description& described, const std::string& group, bool others = true);

/// What was typed of them, into an object of the table's type.
void read_options(Arguments& arguments, const files::Description& described, void* options);

/// The command of a question about MODEL.
struct QuestionCommand {
    questions::Heading heading;
    std::string usage;
    std::vector<Option> options;
    int (*run)(Arguments& arguments) = nullptr;
    const files::Description& (*answer)() = nullptr;
};
Command question_command(QuestionCommand of);

/// Of a plan, the output and the question itself.
Command plan_question(const questions::Heading& heading, const files::Description& options, int (*run)(Arguments&));

/// With where the options stand.
void add_faults(Arguments& arguments, const questions::Faults& faults);

/// The question, if it is complete and nothing typed is wrong.
template <class Question>
Question complete(Arguments& arguments, questions::Asked<Question> asked) {
    if (const auto* const faults = std::get_if<questions::Faults>(&asked)) {
        add_faults(arguments, *faults);
    }
    arguments.throw_if_faults();
    return std::get<Question>(std::move(asked));
}

/// A question about one plan: `question`, `ask` and `document` of the namespace that its options are in.
template <class Options, questions::Heading (*heading)()>
int run_question(Arguments& arguments) {
    const Output output = read_output(arguments);
    Options options;
    read_options(arguments, files::description<Options>(), &options);
    auto asked = question(read_asked_plan(arguments), options);
    reports::Document answered = document(ask(complete(arguments, std::move(asked))));
    add_next(answered, arguments, heading().name, {{"predict"}, {"simulate"}, {"plan"}});
    write(output, answered);
    return kAnswered;
}

template <class Options, class Answer, questions::Heading (*heading)()>
Command plan_question() {
    Command command = plan_question(heading(), files::description<Options>(), run_question<Options, heading>);
    command.answer = files::description<Answer>;
    return command;
}

}  // namespace dodona::cli
