#include <tuple>

#include "questions/plans/remedies.hpp"
#include "questions/predict/predict.hpp"
#include "search/sensitivity.hpp"
#include "step/predict.hpp"

namespace dodona::questions::predict {

namespace {

/// The collectives of a step that have these words, but for those between stages that are no group of the mesh.
std::vector<CollectiveParts> traced(const step::Prediction& prediction, const cluster::Cluster& cluster,
                                    const std::string& words) {
    std::vector<CollectiveParts> all;
    for (const step::CommunicationLine& line : prediction.communication) {
        if (!words.empty() && line.request && text(line).find(words) != std::string::npos) {
            all.push_back({line, cost::collective_trace(cluster, *line.request, line.forced)});
        }
    }
    return all;
}

}  // namespace

Answer ask(const Question& question) {
    const auto& [workload, plan] = question.of;
    const auto& [graph, cluster] = std::tie(workload.graph, workload.cluster);
    Answer answer{.subject = workload.subject, .prediction = step::predict(graph, cluster, plan)};
    if (!answer.prediction.runs) {
        return answer;
    }
    if (question.explains) {
        answer.explanation = search::sensitivity(graph, cluster, answer.prediction);
    }
    answer.peak = step::peak_memory(graph, cluster, plan, answer.prediction.fullest_stage);
    answer.traced = traced(answer.prediction, cluster, question.options.traced);
    if (!question.options.lengths.file.empty()) {
        answer.lengths = LengthAnswers(question.options.lengths, workload).of(plan);
    }
    answer.norms = step::split_norms(graph, cluster, answer.prediction);
    return answer;
}

}  // namespace dodona::questions::predict
