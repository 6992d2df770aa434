#!/usr/bin/env bash
# Speed of translation on the CPU, compared with CTranslate2 if Python has it. Prints tables in Markdown: target tokens
# per second of CPU time, medians of rounds in which both programs alternate, and the ratio within a round, with its
# minimum and maximum.
#
#   bench/translate.sh [OPTION ...] [TABLE ...]
#
# Tables; by default all that the options allow:
#   steps     sentences of 25 tokens, EOS included, into as many, with random weights: only searches
#   short     sentences of 4 tokens into 25, in the same way
#   text      real text from end to end, with BLEU; two threads compared with one. Needs --model and --source
#   latency   elapsed time from a line of that text to its answer
#
#   --build DIR          a build with -DNMT_BENCHMARKS=ON (default: build)
#   --rounds N           rounds (3)
#   --precisions LIST    f32,bf16,int8; those that a program lacks are omitted
#   --models LIST        transformer-small,transformer-base
#   --cells LIST         beam x sentences at once: 4x32,1x32,4x1,1x1; 0x32 samples
#   --cpu-isa avx2       restricts both programs to AVX2, as on older machines (default: auto)
#   --model FILE --source FILE [--reference FILE]     a trained model with one vocabulary for both sides, and text
#   --patience P         measures nmt with this patience as well
#   --python COMMAND     python3; it finds CTranslate2 after
#                        python3 -m pip install --target DIR ctranslate2 sentencepiece numpy; export PYTHONPATH=DIR
#
# CTranslate2's wheel has no bf16 on the CPU; nmt's bf16 is compared with its f32.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
build=$here/../build rounds=3 precisions=f32,bf16,int8 models=transformer-small,transformer-base
cells=4x32,1x32,4x1,1x1 isa=auto model='' source='' reference='' patience='' python=python3 tables=()
while (($# > 0)); do
  case $1 in
    -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0" && exit 0 ;;
    --build | --rounds | --precisions | --models | --cells | --model | --source | --reference | --patience | --python)
      declare "${1#--}=${2:?$1 needs a value}" && shift 2 ;;
    --cpu-isa) isa=${2:?$1 needs a value} && shift 2 ;;
    steps | short | text | latency) tables+=("$1") && shift ;;
    *) echo "translate.sh: unknown option '$1'; see --help" >&2 && exit 2 ;;
  esac
done
[[ -n ${tables[*]} ]] || tables=(steps ${model:+text latency})
steps=$(realpath "$build")/bench/bench_translate_steps
peer=$here/peers/ctranslate2_transformer.py
IFS=, read -ra precisions <<<"$precisions"
IFS=, read -ra models <<<"$models"
IFS=, read -ra cells <<<"$cells"
if [[ $isa = avx2 ]]; then
  export CT2_FORCE_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2
fi

# Whether a worker can start.
works() {
  "$@" </dev/null >/dev/null 2>&1
}

# Prints the arguments of both workers for a model, a cell and further arguments.
arguments() { # MODEL CELL
  local vocabulary=8000
  [[ $1 = transformer-small || $1 = transformer-tiny ]] || vocabulary=32000
  echo "$1 $vocabulary ${2%x*} ${2#*x}"
}

updates() { # CELL
  [[ ${1#*x} = 1 ]] && echo 8 || echo 1
}

in_words() { # CELL
  local beam="beam ${1%x*}"
  case ${1%x*} in 0) beam=sampling ;; 1) beam=greedy ;; esac
  echo "$beam x ${1#*x}"
}

table_of_steps() { # [SOURCE TARGET], in tokens
  local name cell precision theirs what mine other
  echo "| model, search x sentences at once | precision | nmt | CTranslate2 | nmt / CTranslate2 |"
  echo "|---|---|--:|--:|--:|"
  for name in "${models[@]}"; do
    for cell in "${cells[@]}"; do
      what=$(arguments "$name" "$cell")
      for precision in "${precisions[@]}"; do
        # shellcheck disable=SC2086
        works "$steps" $what 1 "$precision" "$isa" "$@" || continue
        theirs=$precision
        [[ $precision != bf16 ]] || theirs=f32
        other=()
        # shellcheck disable=SC2086
        if works "$python" "$peer" $what "$theirs" cpu 1 "$@"; then other=("peer=$python $peer $what $theirs cpu 1 $*"); fi
        mapfile -t lines < <("$here/alternate.py" --tsv --rounds "$rounds" --updates "$(updates "$cell")" \
          "nmt=$steps $what 1 $precision $isa $*" "${other[@]}")
        IFS=$'\t' read -ra mine <<<"${lines[0]}"
        IFS=$'\t' read -ra other <<<"${lines[1]:-}"
        echo "| $name, $(in_words "$cell") | $precision | ${mine[2]} | ${other[2]:-}$([[ $theirs = "$precision" ]] || echo " ($theirs)") | ${other[5]:-}${other[6]:+ (${other[6]}-${other[7]})} |"
      done
    done
  done
}

for table in "${tables[@]}"; do
  case $table in
    steps) table_of_steps ;;
    short) table_of_steps 4 25 ;;
    text | latency)
      [[ $model && $source ]] || { echo "translate.sh: $table needs --model and --source" >&2 && exit 2; }
      "$python" "$here/translate_beside.py" "$table" --nmt "$(realpath "$build")/nmt" --rounds "$rounds" --cpu-isa "$isa" \
        --precisions "${precisions[@]}" --model "$model" --source "$source" ${reference:+--reference "$reference"} \
        ${patience:+--patience "$patience"}
      ;;
  esac
  echo
done
