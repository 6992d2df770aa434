#!/usr/bin/env python3
"""Runs the commands, requests and Python of pages of documentation in the current folder, on small data.

usage: documented.py PAGE.md...     NMT names the program

Every fenced block without a language, or of sh, bash, console or python, runs, except for the commands in NOT_RUN; what is
no command belongs into a block of "text". Files
that a block reads and that no earlier block of its page wrote are made from FILES. `nmt vocab` makes few pieces, and `nmt
serve` runs in the background. `nmt train` first does a dry run with the settings as written, and then a few updates of a tiny
model. In `code` within
text, each option after `nmt SUBCOMMAND` has to exist. Prints each failure with its page and line.
"""

import atexit
import gzip
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

# Commands that are not run, and why: a regular expression for the whole of a command.
NOT_RUN = [
    (r"(^|[ /])(cmake|ctest|ninja|dpkg-buildpackage|apt|apt-get|install-packages\.sh|pip|podman|docker)\b",
     "builds or installs"),
    (r"^(\./)?(build|build-\S+|bench|nmt-gpu|regression-tests|tests|\.ci)/\S", "runs programs of the build tree"),
    (r"\bbench/|^bench_", "measures for minutes"),
    (r"^examples/(quickstart|wmt14|multi30k)/run\.sh", "downloads a corpus; cases of the same names run it"),
    (r"^(mkdir -p listed|NMT_EMULATOR_LISTING=)", "needs the emulated GPU, which the case cuda has"),
    (r"\b(mpirun|srun|sbatch|mpiexec)\b", "starts several processes, as the case ranks does"),
    (r"\bexamples/bulk/|\bray_data\.py", "shares work out, as the cases bulk and bulk-ray do"),
    (r"--device cuda", "needs a GPU"),
    (r"\bdoc/report-pictures\.sh", "needs a browser"),
    (r"^(sudo |systemctl|journalctl|nginx|caddy|man )", "belongs to the system"),
    (r"^(wget|git)\b|\bcurl\b.*https?://(?!localhost)", "needs the network"),
    (r"^sacrebleu\b", "is another program"),
    (r"\b(nllb|madlad|t5-|wmt19)\S*", "opens a large model; the case foreign-huggingface opens small ones"),
    (r'"glossary": "[0-9a-f]{8}-', "names a stored glossary by its random id, as the case deepl does"),
    (r"/v1/documents\b|/translate_file\b", "sends a document, as the case serve-documents does"),
    (r"\.argosmodel\b", "opens a package, as the case foreign-ctranslate2 does"),
    (r"lex\S*\.bin", "reads a binary shortlist, which the case foreign-marian has"),
    (r"\s\[[-a-z]|[<>|] *\.\.\.|^\.\.\.", "has a placeholder"),
    (r"^(import|from) (torch|transformers|ctranslate2|deepl)\b",
     "needs another package, as the cases foreign-*, pytorch and api-clients do"),
]

COMET = Path(os.environ.get("NMT_REFERENCE_DATA", "")) / "foreign/comet"
if COMET.is_dir():
    NOT_RUN.append((r"--min-quality", "needs a model that was trained; the case comet does without"))
else:
    NOT_RUN.append((r"(?i)comet|\"quality\": true", "needs the COMET checkpoints of NMT_REFERENCE_DATA"))

MAY_LACK = ("jq", "openssl", "xz")  # programs without which commands are left out
SIZE = "72"  # pieces of a vocabulary, of which small text does not yield more
SHELL, PYTHON = ("", "sh", "bash", "shell", "console"), ("python", "py")
NMT = os.environ.get("NMT", "nmt")
HERE = Path(__file__).resolve()


def write_lines(path, lines):
    text = "".join(line + "\n" for line in lines).encode()
    Path(path).write_bytes(gzip.compress(text) if str(path).endswith(".gz") else text)


def sentences(language, count, first=0):
    """Lines of a small language; those of all languages with the same number are translations of each other."""
    words = {
        "en": (["a dog", "a man", "the child", "a cat", "the girl"], ["runs", "sleeps", "sings", "jumps", "plays"],
               ["in the park", "on the grass", "at home", "in the snow", "by the sea", "on the beach"]),
        "de": (["ein Hund", "ein Mann", "das Kind", "eine Katze", "das Mädchen"],
               ["rennt", "schläft", "singt", "springt", "spielt"],
               ["im Park", "auf dem Gras", "zu Hause", "im Schnee", "am Meer", "am Strand"]),
        "fr": (["un chien", "un homme", "l'enfant", "un chat", "la fille"], ["court", "dort", "chante", "saute", "joue"],
               ["dans le parc", "sur l'herbe", "à la maison", "dans la neige", "près de la mer", "sur la plage"]),
    }
    subjects, verbs, places = words[language]
    for n in range(first, first + count):
        subject = subjects[n % 5]
        yield f"{subject[0].upper()}{subject[1:]} {verbs[n // 5 % 5]} {places[n // 25 % 6]} {n // 150 + 1}."


# Files by their names: a regular expression, and what makes one.

def text_file(path):
    language = {"fr": "fr", "de": "de", "tgt": "de", "ref": "de"}.get(Path(str(path).removesuffix(".gz")).suffix[1:], "en")
    if path.name in ("ref", "reference", "hypothesis"):
        language = "de"
    training = path.name.startswith("train") or path.name.startswith("mono")
    write_lines(path, sentences(language, 150) if training else sentences(language, 12, 150))


def packed_xz(path):
    text_file(path.with_suffix(""))
    subprocess.run(["xz", path.with_suffix("")], check=True)


def copied(name):
    def make(path):
        source = fixture(name)
        shutil.copytree(source, path) if source.is_dir() else shutil.copyfile(source, path)
    return make


def word_document(path):
    text = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in sentences("en", 3))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="w">{text}</w:document>')


def folder_of_documents(path):
    path.mkdir()
    word_document(path / "a.docx")


def constant(line):
    return lambda path: write_lines(path, [line] * 150)


def metricx(path):
    """A MetricX model with the tokenizer of mT5."""
    tests = HERE.parent.parent / "tests"
    subprocess.run([sys.executable, tests / "fixtures/metricx.py", "--model", path], check=True)
    shutil.copytree(tests / "data/metricx/mt5-xl", path, dirs_exist_ok=True)


def comet(name, encoder="encoder"):
    """A COMET checkpoint with the tokenizer of its encoder."""
    def make(path):
        shutil.copytree(COMET / name, path)
        for file in (COMET / encoder).iterdir():
            shutil.copy(file, path)
    return make


def judgments(path):
    rows = [f"a dog runs\tein Hund läuft {i}\tein Hund rennt\t{i / 10}" for i in range(10)]
    write_lines(path, ["src\tmt\tref\tscore", *rows])


FILES = [
    (r"\S*judgments\.tsv", judgments),
    (r"wmt22-comet-da/", comet("comet-da")),
    (r"wmt22-cometkiwi-da/", comet("kiwi")),
    (r"XCOMET-XL/", comet("xcomet", "encoder-xl")),
    (r"metricx-24-hybrid-xl-v2p6/", metricx),
    (r"lm\.safetensors", copied("lm/last.safetensors")),
    (r"r2l\S*\.safetensors", copied("r2l/last.safetensors")),
    (r"de-en\S*\.safetensors", copied("run/last.safetensors")),
    (r"\S+\.safetensors", copied("run/last.safetensors")),
    (r"\S+\.spm", copied("shared.spm")),
    (r"\S+\.nmtc", copied("train.nmtc")),
    (r"model\.npz", copied("marian/model.npz")),
    (r"(opus\S*|firefox\S*|folder|marian\S*)/", copied("marian")),
    (r"(model|training)\.yml", copied("training.yml")),
    (r"decoder\.yml", copied("decoder.yml")),
    (r"scorer\.yml", copied("scorer.yml")),
    (r"base\.yml", copied("base.yml")),
    (r"curriculum\.yml", copied("curriculum.yml")),
    (r"opustrainer\.yml", copied("opustrainer.yml")),
    (r"\S+\.align", constant("0-0 1-1")),
    (r"\S+\.weights", constant("1")),
    (r"lex\S*\.gz", lambda path: write_lines(path, ["e e 0.9", "n n 0.8"])),
    (r"\S+\.docx", word_document),
    (r"manual/", folder_of_documents),
    (r"\S+\.xz", packed_xz),
    (r"\S+\.(en|de|fr|src|tgt|ref|txt)(\.gz)?|ref|reference|hypothesis", text_file),
    (r"(run|runs|\S+-run|runs/\S+|other|student|tuned|lm)/?", copied("run")),
]


def make_fixtures():
    """What FILES copies, in a folder that all pages share."""
    folder = fixture("")
    folder.mkdir()

    def nmt(*arguments):
        subprocess.run([NMT, *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL)

    for name in ("train", "valid"):
        for language in ("en", "de"):
            text_file(folder / f"{name}.{language}")
    nmt("vocab", "-i", "train.en", "-i", "train.de", "-o", "shared.spm", "--size", SIZE, "--user-symbols", "<BT>", "--quiet")
    nmt("batch", "--source", "train.en", "--target", "train.de", "--vocab", "shared.spm", "-o", "train.nmtc", "--quiet")
    small = ["--d-model", "32", "--d-ff", "32", "--decoder-layers", "2", "--heads", "2", "--threads", "1", "--quiet",
             "--dropout", "0", "--vocab", "shared.spm", "--target", "train.de", "--valid-target", "valid.de", "--batch-tokens",
             "1000"]
    sources = ["--source", "train.en", "--valid-source", "valid.en", "--encoder-layers", "2", "--norm", "post", "--positions",
               "tensor2tensor", "--decoder-start", "zero"]
    nmt("train", *small, *sources, "--preset", "transformer-tiny", "--steps", "60", "--warmup", "30", "--save-every", "10",
        "--valid-every", "30", "-o", "run")
    nmt("train", *small, *sources, "--target-direction", "right-to-left", "--preset", "transformer-tiny", "--steps", "2", "-o",
        "r2l")
    nmt("train", *small, "--preset", "lm-small", "--steps", "2", "-o", "lm")
    nmt("convert", "-m", "run", "--to", "marian", "-o", "marian", "--quiet")
    (folder / "training.yml").write_text(
        "type: transformer\ndim-emb: 32\ntransformer-dim-ffn: 32\ntransformer-heads: 2\nenc-depth: 2\ndec-depth: 2\n"
        f"tied-embeddings-all: true\nvocabs: [{folder}/shared.spm, {folder}/shared.spm]\n"
        f"train-sets: [{folder}/train.en, {folder}/train.de]\nmini-batch-words: 1000\nafter-batches: 2\n")
    (folder / "decoder.yml").write_text(f"models: [{folder}/run/last.safetensors]\nbeam-size: 2\n")
    (folder / "scorer.yml").write_text(
        f"model: {folder}/run/last.safetensors\ntrain-sets: [{folder}/valid.en, {folder}/valid.de]\n")
    (folder / "base.yml").write_text(
        f"preset: transformer-tiny\nvocab: {folder}/shared.spm\nsource: {folder}/train.en\ntarget: {folder}/train.de\n"
        f"valid_source: {folder}/valid.en\nvalid_target: {folder}/valid.de\n")
    (folder / "curriculum.yml").write_text(
        f"corpora: {{packed: {folder}/train.nmtc}}\nstages:\n- {{name: first, mix: packed, until: 2 updates}}\n"
        "- {name: second, mix: packed}\n")
    (folder / "opustrainer.yml").write_text(
        f"datasets: {{packed: {folder}/train.nmtc}}\nstages: [only]\nonly: [packed 1, until packed inf]\n"
        "modifiers: [UpperCase: 0.1]\n")


def make_hub():
    """Serves models as the Hugging Face Hub does, and lets programs use this server."""
    folder = Path("hub").resolve()
    (folder / "Helsinki-NLP").mkdir(parents=True)
    subprocess.run([NMT, "convert", "-m", fixture("run"), "--to", "huggingface", "-o", folder / "Helsinki-NLP/opus-mt-en-de",
                    "--quiet"], check=True)
    if COMET.is_dir():
        shutil.copytree(COMET / "comet-da", folder / "Unbabel/wmt22-comet-da")
        shutil.copytree(COMET / "encoder", folder / "s/encoder")
    metricx(folder / "google/metricx-24-hybrid-large-v2p6")
    server = subprocess.Popen([sys.executable, HERE.parent / "hub.py", folder])
    atexit.register(server.kill)
    while not (folder / "port").exists():
        time.sleep(0.05)
    os.environ["HF_ENDPOINT"] = f"http://127.0.0.1:{(folder / 'port').read_text()}"
    os.environ.update(HF_HOME=f"{folder}/home", no_proxy="*")


def fixture(name):
    return Path(os.environ["DOCUMENTED_HOME"]) / "fixtures" / name


# Pages.

def blocks(page):
    """The fenced blocks of a page: line, language, text."""
    language, first, lines, indent = None, 0, [], ""
    for number, line in enumerate(Path(page).read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r"( *)```(.*)", line)
        if not fence:
            lines.append(line.removeprefix(indent))
        elif language is None:
            indent, language, first, lines = fence[1], fence[2].strip().lower(), number + 1, []
        else:
            yield first, language, "\n".join(lines)
            language = None
    if language is not None:
        raise SystemExit(f"{page}:{first}: the block does not end")


def is_complete(command):
    """Whether bash finds nothing missing: a quote, a here-document, the end of a loop, a line after a backslash."""
    if re.search(r"(\\|\||&&)$", command):
        return False
    parsed = subprocess.run(["bash", "-n"], input=command, stderr=subprocess.PIPE, text=True, check=False)
    return parsed.returncode == 0 and "here-document" not in parsed.stderr


def commands(text):
    """The commands of a block, each with its place in it. In a block with prompts, all else is output."""
    lines, has_prompts, at = text.split("\n"), bool(re.search(r"^\$ ", text, re.M)), 0
    while at < len(lines):
        first, command = at, lines[at]
        at += 1
        if has_prompts and not command.startswith("$ ") or not command.strip() or command.startswith("#"):
            continue
        command = command.removeprefix("$ ") if has_prompts else command
        while at < len(lines) and not is_complete(command):
            command += "\n" + lines[at]
            at += 1
        output = []
        while has_prompts and at < len(lines) and not lines[at].startswith("$ "):
            output.append(lines[at])
            at += 1
        yield first, command, output


def words_of(command):
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, "#"
    try:
        return list(lexer)
    except ValueError:
        return command.split()


def make_files(command):
    """Makes the files that a command reads and that are not there."""
    written, before = set(), ""
    for word in words_of(command):
        is_written = before in ("-o", "--output", ">", ">>", "--log-file", "--access-log")
        before = word
        word = re.sub(r"^[^/.]*=|(?<=\.nmtc):[\d.]+$", "", word)
        if is_written:
            written.add(word)
            if "$" not in word and not word.startswith("/"):
                Path(word).parent.mkdir(parents=True, exist_ok=True)
        elif word not in written:
            make_file(word)


def make_file(name):
    path = Path(name)
    if "$" in name or path.is_absolute() or path.exists():
        return
    for pattern, make in FILES:
        if re.fullmatch(pattern, name):
            path.parent.mkdir(parents=True, exist_ok=True)
            make(path)
            return


# What stands in for nmt, curl and comet-score.

def option(arguments, *names):
    return any(argument.split("=")[0] in names for argument in arguments)


def value_of(arguments, *names, default=None):
    for at, argument in enumerate(arguments):
        if argument in names and at + 1 < len(arguments):
            return arguments[at + 1]
    return default


def without(arguments, *names):
    kept, skips = [], False
    for argument in arguments:
        if not skips and argument not in names:
            kept.append(argument)
        skips = argument in names and not skips
    return kept


def complete_training(arguments):
    """The command of a page, with what `...` stands for."""
    if "..." in arguments:
        arguments = [argument for argument in arguments if argument != "..."]
        if not option(arguments, "--train", "--source", "--target", "--tsv"):
            arguments += ["--source", "train.en", "--target", "train.de"]
        if not option(arguments, "--train", "--from-weights"):
            arguments += ["--vocab", "shared.spm"]
        if not option(arguments, "--valid-source"):
            arguments += ["--valid-source", "valid.en", "--valid-target", "valid.de"]
        for name in arguments:
            make_file(name)
    return arguments if option(arguments, "-o", "--output") else [*arguments, "-o", "run/"]


def vocab(arguments):
    os.execv(NMT, [NMT, "vocab", *without(arguments, "--size"), "--size", SIZE])


def train(arguments):
    if option(arguments, "-h", "--help", "--list-presets", "--dry-run"):
        os.execv(NMT, [NMT, "train", *arguments])
    texts = ["--train", "--source", "--target", "--tsv", "--judgments", "--stages", "--opustrainer-config"]
    if not option(arguments, "...", *texts, "--config", "--marian-config"):
        os.execv(NMT, [NMT, "train", *arguments])  # continues with the run of an earlier command
    arguments = complete_training(arguments)
    shutil.rmtree(value_of(arguments, "-o", "--output"), ignore_errors=True)
    if not option(arguments, "--tsv"):  # which is read once
        dry_run = subprocess.run([NMT, "train", *arguments, "--dry-run"], stdout=subprocess.DEVNULL, check=False)
        if dry_run.returncode != 0:
            sys.exit(dry_run.returncode)
    preset = value_of(arguments, "--preset", default="transformer")
    sizes = {"--d-model": "32", "--d-ff": "32", "--heads": "2", "--encoder-layers": "1", "--decoder-layers": "1"}
    if preset.startswith("rnn"):
        sizes = {"--d-embedding": "16", "--d-state": "16"}
    if preset.startswith("lm"):
        del sizes["--encoder-layers"]
    if preset.startswith("comet"):
        del sizes["--decoder-layers"]
    if option(arguments, "--from-weights", "--marian-config", "--config"):
        sizes = {}
    limits = {"--steps": "5", "--batch-tokens": "1000", "--save-every": "1", "--threads": "1"}
    if option(arguments, "--valid-source", "--valid-target"):
        limits["--valid-every"] = "2"
    arguments = without(arguments, "--epochs", "--stop-after", "--keep-last", "--keep-best", *limits, *sizes)
    for name, value in {**limits, **sizes}.items():
        arguments += [name, value]
    os.execv(NMT, [NMT, "train", *arguments])


def serve(arguments):
    end_server()
    for word in arguments:
        make_file(word.split("=")[-1])
    arguments = without(arguments, "--port", "-p")
    if "--glossaries" not in arguments:
        arguments += ["--glossaries", "glossaries"]
    with open("server.log", "w") as log:
        server = subprocess.Popen([NMT, "serve", *arguments, "--port", os.environ["DOCUMENTED_PORT"]], stderr=log, stdout=log,
                                  start_new_session=True)
    Path("server.pid").write_text(str(server.pid))
    for _ in range(300):
        try:
            request("/health/ready")
            return
        except OSError:
            time.sleep(0.1)
        if server.poll() is not None:
            break
    sys.exit(f"the server did not start: {Path('server.log').read_text()}")


def end_server():
    try:
        os.kill(int(Path("server.pid").read_text()), signal.SIGTERM)
        time.sleep(0.2)
    except (FileNotFoundError, ProcessLookupError):
        pass
    Path("server.pid").unlink(missing_ok=True)


def need_server():
    if not Path("server.pid").exists():
        make_file("model.safetensors")
        serve(["-m", "en-de=model.safetensors"])


def request(path, body=None):
    url = f"http://127.0.0.1:{os.environ['DOCUMENTED_PORT']}{path}"
    with urllib.request.urlopen(urllib.request.Request(url, body and body.encode()), timeout=30) as answer:
        return answer.read().decode()


def make_programs(folder):
    """Programs that come before those on the PATH."""
    folder.mkdir()
    stand_in = f'exec python3 "{HERE}" --stand-in'
    programs = {"nmt": f'case ${{1:-}} in vocab | train | serve) {stand_in} "$@" ;; *) exec "{NMT}" "$@" ;; esac',
                "curl": f'exec {shutil.which("curl")} --silent --show-error --fail-with-body "$@"',
                "comet-score": 'echo "corpus score: 0.5"'}
    for name, body in programs.items():
        (folder / name).write_text(f"#!/usr/bin/env bash\n{body}\n")
        (folder / name).chmod(0o755)


# Running.

class Pages:
    def __init__(self):
        self.ran = self.left_out = 0
        self.failures = []
        self.options = {}
        for line in subprocess.run([NMT, "--help=json"], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines():
            table = json.loads(line)
            names = {option["name"] for option in table["options"]}
            self.options[table["command"]] = names | {f"no-{name}" for name in names}

    def fail(self, page, line, what, why):
        self.failures.append(f"{page}:{line}: {what}\n    {why.strip()}")

    def is_left_out(self, command):
        self.left_out += 1
        if any(re.search(pattern, command, re.M) for pattern, _ in NOT_RUN):
            return True
        if any(re.search(rf"\b{program}\b", command) and shutil.which(program) is None for program in MAY_LACK):
            return True
        self.left_out -= 1
        return False

    def run(self, page):
        # Pages of different folders may have the same name.
        folder = Path(os.environ["DOCUMENTED_HOME"]) / f"{Path(page).resolve().parent.name}-{Path(page).stem}"
        folder.mkdir()
        shown, python = os.path.relpath(page), []
        page = Path(page).resolve()
        home = Path.cwd()
        os.chdir(folder)
        try:
            for line, language, text in blocks(page):
                if language in PYTHON and not self.is_left_out(text):
                    python.append("\n" * (line - 1 - sum(part.count("\n") for part in python)) + text + "\n")
                elif language in SHELL:
                    self.run_block(shown, line, text)
            if python:
                self.run_python(shown, "".join(python))
            self.check_options(shown, page.read_text(encoding="utf-8"))
        finally:
            end_server()
            os.chdir(home)

    def run_block(self, page, line, text):
        if re.fullmatch(r'(\{".*\}\s*)+', text):
            return self.run_requests(page, line, text)
        for at, command, output in commands(text):
            if self.is_left_out(command):
                continue
            shown = re.fullmatch(r"cat (\S+)", command)
            if shown and not Path(shown[1]).exists():
                write_lines(shown[1], output)
            make_files(command)
            if "curl " in command:
                need_server()
            self.run_command(page, line + at, command)

    def run_command(self, page, line, command):
        self.ran += 1
        command = command.replace("localhost:8080", f"localhost:{os.environ['DOCUMENTED_PORT']}")
        # Variables stay for the next command, as in a shell.
        variables = " ".join(re.findall(r"^(\w+)=", command, re.M))
        script = (f"set -o pipefail\n[ ! -f variables ] || . ./variables\n{command}\nstatus=$?\nwait\n"
                  "[ $status != 141 ] || status=0\n"  # SIGPIPE: `head` ends what writes to it
                  f"for name in {variables}; do declare -p $name >>variables; done\nexit $status")
        try:
            done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return self.fail(page, line, command, "takes more than a minute")
        if done.returncode != 0:
            self.fail(page, line, command, f"exit code {done.returncode}: {done.stdout[-2000:].decode(errors='replace')}")

    def run_requests(self, page, line, text):
        need_server()
        for at, body in enumerate(text.splitlines()):
            self.ran += 1
            try:
                answer = request("/v1/translate", body)
                if '"error"' in answer:
                    self.fail(page, line + at, body, answer)
            except urllib.error.HTTPError as error:
                self.fail(page, line + at, body, error.read().decode())

    def run_python(self, page, text):
        if os.environ.get("DOCUMENTED_PYTHON") is None:
            print(f"{page}: its Python is not run: the module is not built")
            return
        self.ran += 1
        for name in re.findall(r'"([^"\n]*)"', text):
            make_file(name)
        given = ("first = second = references = baseline = ['Ein Hund rennt.', 'Zwei Hunde.']; "
                 "sources = ['A dog runs.', 'Two dogs.']; hypotheses = system = ['Ein Hund.', 'Zwei Hunde.']; import nmt; ")
        done = subprocess.run([sys.executable, "-c", given + text.lstrip("\n")], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        if done.returncode != 0:
            self.fail(page, 1, "the Python of this page", done.stderr[-2000:])

    def check_options(self, page, text):
        """Commands within text are often parts of commands, but their options exist."""
        text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)
        for code in re.findall(r"`([^`]+)`", text):
            found = re.match(r"nmt ([a-z]+)\b", " ".join(code.split()))
            if not found or f"nmt {found[1]}" not in self.options:
                continue
            for name in re.findall(r" --([a-z][a-z0-9-]*)", " ".join(code.split())):
                self.ran += 1
                if name not in self.options[f"nmt {found[1]}"]:
                    self.fail(page, 1, f"`{code}`", f"nmt {found[1]} has no option --{name}")


def main(pages):
    os.environ["DOCUMENTED_HOME"] = os.getcwd()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ["DOCUMENTED_PORT"] = str(free.getsockname()[1])
    make_fixtures()
    make_hub()
    make_programs(Path("programs"))
    os.environ["PATH"] = f"{os.getcwd()}/programs:{os.environ['PATH']}"
    run = Pages()
    for page in pages:
        run.run(page)
    for failure in run.failures:
        print(failure)
    print(f"{run.ran} run, {len(run.failures)} failed, {run.left_out} left out")
    return len(run.failures) > 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stand-in"]:
        {"vocab": vocab, "train": train, "serve": serve}[sys.argv[2]](sys.argv[3:])
    else:
        sys.exit(main(sys.argv[1:]))
