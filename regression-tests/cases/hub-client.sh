#!/usr/bin/env bash
# nmt and huggingface_hub, the client of Hugging Face, share one cache.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${NMT_PYTHON:-python3}
"$python" -c 'import huggingface_hub' 2>/dev/null || skip "no huggingface_hub in $python (NMT_PYTHON names another one)"
make_model
nmt convert -m model.safetensors --to ctranslate2 -o as-folder --quiet
mkdir -p hub/me
cp -r as-folder hub/me/small
python3 "$root/regression-tests/hub.py" hub 2>server.log &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
until [[ -s hub/port ]]; do sleep 0.05; done
HF_ENDPOINT=http://127.0.0.1:$(<hub/port)
export HF_ENDPOINT HF_HOME=$PWD/home HF_HUB_DISABLE_XET=1 no_proxy='*'

# What nmt has fetched, the client finds.
nmt translate -m hf:me/small -i test.src --quiet >expected
HF_HUB_OFFLINE=1 "$python" - <<'END'
import huggingface_hub
for name in "config.json", "model.bin":
    path = huggingface_hub.hf_hub_download("me/small", name)
    assert open(path, "rb").read() == open(f"as-folder/{name}", "rb").read(), path
END
: >hub/log
"$python" -c 'import huggingface_hub; huggingface_hub.hf_hub_download("me/small", "model.bin")'
if grep elsewhere hub/log; then fail "the client fetches what nmt has fetched"; fi

# What the client has fetched, nmt finds.
rm -rf home
"$python" -c 'import huggingface_hub; huggingface_hub.snapshot_download("me/small")'
: >hub/log
nmt translate -m hf:me/small -i test.src --quiet | cmp - expected
if grep elsewhere hub/log; then fail "nmt fetches what the client has fetched"; fi
HF_HUB_OFFLINE=1 nmt translate -m hf:me/small -i test.src --quiet | cmp - expected
