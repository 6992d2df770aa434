#!/usr/bin/env python3
"""Plants faults in a copy of the sources and shows which of them the tests catch.

usage: tests/mutation.py [--folder FOLDER] [--jobs N] [--limit SECONDS] [TEXT...]

Each fault changes an expression or a statement of one line. All of them are compiled at once, each with a
switch that the environment variable NMT_PLANTED_FAULT sets to its number, so that the tests of a fault take a
run and no build. TEXT selects faults whose file or change contains it. Prints a line for each fault and exits
with 1 if tests pass with one of them.
"""

import argparse
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWITCH = """\
#pragma once
#include <cstdlib>
static inline bool planted_fault(int number) {
  static const int chosen = [] {
    const char* const text = std::getenv("NMT_PLANTED_FAULT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return number == chosen;
}
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    file: str  # below src/
    before: str  # an expression, or a statement with its semicolon
    after: str  # an expression, or a statement or nothing
    tests: str  # a program and the filter of its tests, as in "optim Adam*", or "case NAME"
    within: str = ""  # `before` is the first one after this text


FAULTS = [
    # Metrics.
    Fault("metrics/bleu.cpp", "if (sentence_) orders = n + 1;", "", "metrics *"),
    Fault("metrics/bleu.cpp", "if (sentence_) orders = n + 1;", "if (sentence_ && correct > 0) orders = n + 1;",
          "metrics *"),
    Fault("metrics/bleu.cpp", "if (total == 0) break;", "", "metrics *"),
    Fault("metrics/chrf.cpp", "expected > 0 ? static_cast<double>(ngrams_in(hypothesis, n)) : 0",
          "static_cast<double>(ngrams_in(hypothesis, n))", "metrics *"),
    Fault("metrics/ter.cpp", "std::min(columns, diagonal + beam)", "std::min(columns, diagonal + beam + 1)",
          "metrics *"),
    Fault("metrics/ter.cpp", "least > most", "least >= most", "metrics *"),
    Fault("metrics/significance.cpp", "as_large + 1", "as_large", "metrics *"),
    Fault("metrics/significance.cpp", "size / 2 - size / 2 % kLanes", "size / 2", "metrics *"),
    # Files.
    Fault("common/io/atomic_file.cpp", "if (::fsync(file_.get()) != 0) cannot_write(path_);", "", "case durable"),
    Fault("common/io/atomic_file.cpp", "sync_folder(parent_folder(target_));", "", "case durable"),
    Fault("common/io/folder.cpp", "sync_folder(parent_folder(target_));", "", "case durable"),
    Fault("common/io/spool.cpp", "position += got;", "position += got - (position > 0 ? 1 : 0);", "common Spool*"),
    # Data.
    Fault("data/packed/packed_corpus.cpp", "greatest < static_cast<std::uint32_t>(pieces)",
          "greatest <= static_cast<std::uint32_t>(pieces)", "data *Corpus*"),
    Fault("data/packed/packed_corpus.cpp",
          "std::max<std::int64_t>({source_.size(), target_.size(), places}) <= kMostOfTwoBytes",
          "std::max<std::int64_t>({source_.size(), places}) <= kMostOfTwoBytes", "data *Corpus*"),
    Fault("data/packed/packed_corpus.cpp", "has_links_ ? encoding.filter.max_length : 0", "std::int64_t{0}",
          "data *Corpus*"),
    Fault("data/batches/batches.cpp", "number % settings_.delay == 0", "number % settings_.delay >= 0", "data Batch*"),
    Fault("data/text/filter.cpp", "return value > limit ?", "return value >= limit ?", "data Filter*"),
    Fault("data/text/filter.cpp", "return value < limit ?", "return value <= limit ?", "data Filter*"),
    Fault("data/text/text_measures.cpp", "group.size() == kGroup", "group.size() >= kGroup", "data TextMeasures*"),
    Fault("data/batches/example_order.cpp", "strip % 2 == 1", "strip % 2 == 0", "data LengthOrder*"),
    Fault("data/batches/batches.cpp",
          "static_cast<std::int64_t>(batches.back().examples.size() + 1) * longest <= budget",
          "static_cast<std::int64_t>(batches.back().examples.size() + 1) * longest < budget", "data Batch*"),
    Fault("data/batches/batches.cpp", "*fewest += lengths[i];", "*fewest += 1;", "data Batch*"),
    Fault("data/batches/example_order.cpp", "pairs - begin > 2 * size", "pairs - begin >= 2 * size", "data *Pools*"),
    Fault("data/text/word_annotations.cpp", "number < words.count", "number <= words.count", "data Annotations*"),
    # Training.
    Fault("optim/update.cpp", "shards.size() == 1 && number == count - 1", "number == count - 1", "optim *"),
    Fault("optim/update.cpp", "shards.size() == 1 && number == count - 1", "shards.size() == 1", "optim *"),
    Fault("optim/device_statistics.cpp",
          "std::clamp(statistics.next_scale.value, scaling_.least, scaling_.most)", "statistics.next_scale.value",
          "optim *"),
    Fault("nn/transformer/positions.cpp", "std::max<std::int64_t>(2 * positions, 512)", "std::int64_t{512}",
          "nn Sinusoids*"),
    Fault("nn/transformer/positions.cpp", "tables_.empty() || tables_.back().rows() < positions", "tables_.empty()",
          "nn Sinusoids*"),
    Fault("optim/schedule.cpp", "static_cast<double>(settings.steps) + 1 - warmup",
          "static_cast<double>(settings.steps) - warmup", "optim *"),
    Fault("optim/schedule.cpp", "given > 0 ? given : warmup", "warmup", "optim *"),
    Fault("optim/optimizer.cpp", "weights_.values_changed();", "", "optim *"),
    # Models of other toolkits.
    Fault("foreign/weight_source.cpp", "begin + count > weight.rows", "begin + count > weight.rows + 1",
          "foreign WeightSource*"),
    Fault("foreign/ctranslate2/ctranslate2_export.cpp", "most < kLeastQuantized ? 1 : kMostQuantized / most",
          "kMostQuantized / most", "foreign *CTranslate2Export*"),
    Fault("foreign/position_table.cpp", "offset <= kLastOffset", "offset < kLastOffset", "foreign *"),
    # Translation.
    Fault("translate/service/translation_request.cpp", "avoided_.besides == besides", "true", "translate *WhatIsAvoided*"),
    Fault("translate/service/translation_request.cpp", "avoided_.texts == request.avoid", "true",
          "translate *WhatIsAvoided*"),
    Fault("translate/service/search_worker.cpp", "leave(job);", "under_way_.erase(job->id);",
          "translate SearchWorker*", within="void SearchWorker::let_go_of_cancelled"),
    Fault("translate/service/search_worker.cpp", "leave(job);", "under_way_.erase(job->id);",
          "translate SearchWorker*", within="void SearchWorker::deliver"),
    Fault("translate/service/search_worker.cpp", "held_rows_ = 0;", "", "translate SearchWorker*",
          within="SearchWorker::take_back_jobs()"),
    Fault("translate/service/request_queue.cpp", "level_of(job).taken_rows -= job.rows;", "", "translate RequestQueue*"),
    Fault("translate/service/request_queue.cpp", "level.taken_rows += rows;", "", "translate RequestQueue*"),
    Fault("translate/service/request_queue.cpp", "-std::ssize(job.request.text)", "std::ssize(job.request.text)",
          "translate RequestQueue*"),
    Fault("translate/service/ordered_results.cpp", "part_ = chunks_.front().end;", "part_ = chunks_.front().begin;",
          "translate OrderedResults*"),
    Fault("translate/search/search.cpp", "admission_.leave(sentence);",
          "if (!sentence.is_cancelled) admission_.leave(sentence);", "translate *Cancel*"),
    Fault("translate/search/admission.cpp", "end_large();", "", "translate *Cancel*:SearchCapacity*",
          within="void Admission::leave"),
    Fault("translate/search/admission.cpp", "next->first == end", "false", "translate RowSpans*"),
    Fault("translate/search/admission.cpp", "previous->second == begin", "false", "translate RowSpans*"),
    Fault("translate/search/search_settings.cpp", "length < longest", "length < longest - 1", "translate ScoreFormula*"),
    Fault("translate/search/search_settings.cpp", "1 + tokens", "tokens", "translate ScoreFormula*"),
    Fault("translate/service/minimum_risk.cpp", "seen.insert(text).second", "true", "translate MinimumRisk*:ClosestTo*"),
    Fault("translate/service/ordered_results.cpp", "lines_ == most_lines_", "lines_ > most_lines_",
          "translate LineWindows*"),
    # Serving.
    Fault("serve/translation_cache.cpp", "entries_.size() <= capacity_", "entries_.size() < capacity_",
          "serve TranslationCache*"),
    Fault("serve/clients/api_keys.cpp", "buckets.requests->level -= 1;", "", "serve ClientLimits*"),
    Fault("serve/clients/api_keys.cpp", "characters > *client.characters", "characters >= *client.characters",
          "serve ClientLimits*"),
    Fault("serve/clients/api_keys.cpp", "buckets.characters->level -= static_cast<double>(characters);", "", "serve ClientLimits*"),
    Fault("serve/clients/scheduling.cpp", "std::max(passed_, place->second + 1)", "place->second + 1", "serve FairTurns*"),
    Fault("serve/clients/scheduling.cpp", "entry.second < passed_", "entry.second <= passed_", "serve FairTurns*"),
    Fault("serve/served_models.cpp", "bytes += leaving.bytes;", "", "serve ServedModels*"),
    # Kernels.
    Fault("backend/cpu/kernels/norm.cpp", "sum += static_cast<float>(x[f]);",
          "sum = static_cast<float>(sum) + static_cast<float>(x[f]);", "backend *Invariants*"),
    Fault("backend/cpu/kernels/norm.cpp", "sum += (x[f] - mean) * (x[f] - mean);", "sum += x[f] * x[f] - mean * mean;",
          "backend *Invariants*"),
    Fault("backend/cpu/kernels/int8/quads.h", "!finite || largest < kLeastQuantized", "!finite",
          "backend *QuantizedMatrixProducts*"),
    # Ranks.
    Fault("ranks/heartbeat.cpp", "peers_[peer].silent_beats = 0;", "", "ranks Heartbeat*"),
    Fault("ranks/heartbeat.cpp", "++peers_[i].silent_beats", "peers_[i].silent_beats", "ranks Heartbeat*"),
    Fault("ranks/heartbeat.cpp", "if (received.size() - sizeof head < head.length) return;", "", "ranks Heartbeat*"),
    Fault("ranks/heartbeat.cpp", "received.erase(0, sizeof head + head.length);", "received.clear();",
          "ranks Heartbeat*"),
]


def switched(number, fault):
    """The code that does what `after` says where this fault is chosen, else what `before` says."""
    if fault.before.endswith(";"):
        return f"{{ if (planted_fault({number})) {{ {fault.after} }} else {{ {fault.before} }} }}"
    return f"(planted_fault({number}) ? ({fault.after}) : ({fault.before}))"


def plant(faults):
    """The sources with faults, by file. Exits where a fault fits no line or several faults share one."""
    sources = {}
    for number, fault in faults.items():
        text = sources.get(fault.file) or (ROOT / "src" / fault.file).read_text(encoding="utf-8")
        begin = text.find(fault.before, text.find(fault.within))
        if begin < 0 or fault.within not in text:
            sys.exit(f"src/{fault.file} has no '{fault.before}' (any more); adapt the table in {__file__}")
        end = begin + len(fault.before)
        sources[fault.file] = text[:begin] + switched(number, fault) + text[end:]
    return {file: '#include "planted_fault.h"\n' + text for file, text in sources.items()}


def write_if_changed(path, content):
    """Leaves the time of a file alone whose content stays, so that it is not compiled again."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy_sources(folder, planted):
    """Copies what git knows of, with the planted faults, and removes what is no longer there."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout
    names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        file = name.removeprefix("src/")
        content = planted[file].encode() if name != file and file in planted else (ROOT / name).read_bytes()
        write_if_changed(folder / name, content)
        shutil.copymode(ROOT / name, folder / name)
    write_if_changed(folder / "src/planted_fault.h", SWITCH.encode())
    for kind in ("src", "tests"):
        for path in (folder / kind).rglob("*"):
            name = str(path.relative_to(folder))
            if path.is_file() and name not in names and name != "src/planted_fault.h":
                path.unlink()


def build(folder, tests, jobs):
    """Builds the programs and what cases take."""
    kinds = {test.split()[0] for test in tests}
    targets = sorted("cases" if kind == "case" else f"test_{kind}" for kind in kinds)
    subprocess.run(["cmake", "--preset", "cpu"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "build", "--parallel", str(jobs), "--target", *targets], cwd=folder,
                   check=True, stdout=sys.stderr)


def outcome(folder, test, number, limit):
    """"passed", "failed" or "hangs": what comes of tests with a fault; 0: with none."""
    kind, name = test.split(maxsplit=1)
    environment = dict(os.environ, NMT_PLANTED_FAULT=str(number), NMT=str(folder / "build/nmt"))
    scratch = folder / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    if kind == "case":
        command = ["bash", str(folder / f"regression-tests/cases/{name}.sh")]
    else:
        command = [str(folder / f"build/tests/test_{kind}"), f"--gtest_filter={name}"]
    try:
        run = subprocess.run(command, cwd=scratch, env=environment, timeout=limit, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return "hangs"
    if run.returncode == 77 or ("[  PASSED  ] 0 tests" in run.stdout and run.returncode == 0):
        sys.exit(f"nothing is tested by '{test}':\n{run.stdout[-1000:]}")
    if number == 0 and run.returncode != 0:
        print(run.stdout[-4000:], file=sys.stderr)
    return "passed" if run.returncode == 0 else "failed"


def main():
    parser = argparse.ArgumentParser(description="Plants faults and shows which of them the tests catch.")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build-mutation", help="of the copy and its build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="that compile at a time")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which tests count as hanging")
    parser.add_argument("text", nargs="*", help="of the files or changes of the faults to plant; all by default")
    arguments = parser.parse_args()
    everything = dict(enumerate(FAULTS, 1))
    faults = {number: fault for number, fault in everything.items() if not arguments.text or any(
        text in f"{fault.file} {fault.before} {fault.after}" for text in arguments.text)}
    if not faults:
        sys.exit("no fault of the table has that text")
    tests = {fault.tests for fault in faults.values()}
    copy_sources(arguments.folder, plant(everything))  # whichever are selected, so that nothing is compiled again
    build(arguments.folder, tests, arguments.jobs)
    for test in sorted(tests):
        if outcome(arguments.folder, test, 0, arguments.limit) != "passed":
            sys.exit(f"'{test}' does not pass without a fault")
    survived = 0
    for number, fault in faults.items():
        result = outcome(arguments.folder, fault.tests, number, arguments.limit)
        survived += result == "passed"
        verdict = {"passed": "SURVIVED", "failed": "caught", "hangs": "caught (hangs)"}[result]
        print(f"{verdict:<14}  src/{fault.file}: {fault.before}  ->  {fault.after or '(nothing)'}", flush=True)
    print(f"{len(faults) - survived} of {len(faults)} caught")
    sys.exit(survived > 0)


if __name__ == "__main__":
    main()
