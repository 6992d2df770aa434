#!/usr/bin/env bash
# A text translated by workers of Ray, one of which is killed, equals the output of nmt translate.
. "$(dirname "$0")/../lib.sh"
skip_sanitized "Python is without them"
root=$(cd "$(dirname "$0")/../.." && pwd)
export PYTHONPATH=${NMT%/*}/python PYTHONDONTWRITEBYTECODE=1
[[ -d $PYTHONPATH ]] || skip "the module was not built: Python has no nanobind"
python=${NMT_PYTHON:-python3}
"$python" -c 'import ray.data' 2>/dev/null || skip "no Ray in $python (NMT_PYTHON names another one)"
make_model
ray() { "$python" "$root/examples/bulk/ray_data.py" --workers 2 --threads 1 --parts 7 "$@"; }

# The first worker that reaches a certain line kills itself; the worker that repeats the part does not.
cat >sitecustomize.py <<END
import os, nmt
translate_iter = nmt.Translator.translate_iter
def deadly(self, texts, **settings):
    texts = list(texts)
    with open("$PWD/parts", "a") as file: print(len(texts), file=file)
    if $(sed -n '30 s/.*/"""&"""/p' test.src) in texts and not os.path.exists("$PWD/killed"):
        os.mkdir("$PWD/killed")
        os.kill(os.getpid(), 9)
    return translate_iter(self, texts, **settings)
nmt.Translator.translate_iter = deadly
END
nmt translate -m model.safetensors --quiet -i test.src --beam 2 >whole
PYTHONPATH=$PWD:$PYTHONPATH ray --model model.safetensors test.src text beam=2 2>err || fail "$(<err)"
same text whole
[[ -d killed ]] || fail "no worker was killed"
(($(wc -l <parts) > 7)) || fail "what the killed one had was not done again: $(<parts)"

exits 1 ray --model none.safetensors test.src text 2>err
grep -q "^error: cannot read '$PWD/none.safetensors'" err || fail "got: $(<err)"
exits 1 ray --model model.safetensors test.src text beem=2 2>err
grep -q "^error: .*'beem'" err || fail "got: $(<err)"
