#include "questions/predict/predict.hpp"
#include "search/sensitivity.hpp"
#include "step/predict.hpp"

namespace dodona::questions::predict {

Answer ask(const Question& question) {
    const auto& [subject, graph, cluster, plan] = question.of;
    Answer answer{.subject = subject, .prediction = step::predict(graph, cluster, plan)};
    if (!answer.prediction.runs) {
        if (!question.without_pipeline.empty()) {
            answer.others =
                search::Answer{.question = question.job, .remedies = search::remedies(question.without_pipeline)};
        }
        return answer;
    }
    if (question.explains) {
        answer.explanation = search::sensitivity(graph, cluster, answer.prediction);
    }
    answer.peak = step::peak_memory(graph, cluster, plan, answer.prediction.fullest_stage);
    if (question.lengths) {
        answer.lengths = question.lengths(plan);
    }
    answer.norms = step::split_norms(graph, cluster, answer.prediction);
    return answer;
}

}  // namespace dodona::questions::predict
