#include "bindings/c/dodona.h"

#include <csignal>
#include <new>
#include <string>
#include <utility>

#include "bindings/c/question.hpp"
#include "build_config.hpp"
#include "cli/interrupt.hpp"
#include "cli/parse.hpp"
#include "cli/process.hpp"
#include "cli/program.hpp"

struct dodona_answer {
    int code = 0;
    std::string json;
    std::string message;
};

namespace dodona::bindings {

namespace {

/// Gives the process its own SIGINT back: a search listens to it.
class KeptInterrupt {
public:
    KeptInterrupt() { sigaction(SIGINT, nullptr, &before_); }
    ~KeptInterrupt() { sigaction(SIGINT, &before_, nullptr); }
    KeptInterrupt(const KeptInterrupt&) = delete;
    KeptInterrupt& operator=(const KeptInterrupt&) = delete;

private:
    struct sigaction before_ {};
};

int answer(std::string text, std::string& json) {
    const Question question = read_question(files::parse_document(std::move(text), "question"));
    cli::Arguments arguments = cli::parse(*question.command, question.words, cli::commands());
    arguments.answer_into(&json);
    return question.command->run(arguments);
}

const char* text_of(const std::string& text, size_t* length) {
    if (length != nullptr) {
        *length = text.size();
    }
    return text.c_str();
}

}  // namespace

}  // namespace dodona::bindings

extern "C" {

const char* dodona_version(void) { return dodona::kVersion.data(); }

int dodona_abi(void) { return DODONA_ABI; }

dodona_answer* dodona_ask(const char* question, size_t length) {
    auto* answer = new (std::nothrow) dodona_answer;
    if (answer == nullptr) {
        return nullptr;
    }
    const dodona::bindings::KeptInterrupt kept;
    dodona::cli::forget_interrupt();
    dodona::cli::Ending ending = dodona::cli::ending_of("dodona_ask", {}, [&] {
        return dodona::bindings::answer(
            std::string(question == nullptr ? "" : question, question == nullptr ? 0 : length), answer->json);
    });
    answer->code = ending.code;
    answer->message = std::move(ending.message);
    return answer;
}

int dodona_code(const dodona_answer* answer) { return answer->code; }

const char* dodona_json(const dodona_answer* answer, size_t* length) {
    return dodona::bindings::text_of(answer->json, length);
}

const char* dodona_message(const dodona_answer* answer, size_t* length) {
    return dodona::bindings::text_of(answer->message, length);
}

void dodona_free(dodona_answer* answer) { delete answer; }

}  // extern "C"
