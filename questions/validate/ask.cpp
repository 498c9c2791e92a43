#include "questions/validate/validate.hpp"

namespace dodona::questions::validate {

dodona::validate::Comparison ask(Question question, const dodona::validate::Progress& progress) {
    return dodona::validate::compare(question.runs, question.asked, progress, question.anchors);
}

}  // namespace dodona::questions::validate
