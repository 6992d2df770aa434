"""Packs a model of nmt as a package of Argos Translate, which LibreTranslate uses."""
import json
import subprocess
from pathlib import Path

from .ctranslate2_model import convert

# A pipeline of spaCy without parts, to which Argos Translate adds rules for the ends of sentences. The models that find
# them otherwise would have to be downloaded, and take longer.
SPLITTER = "import sys, spacy; spacy.blank('xx').to_disk(sys.argv[1])"


def write_package(python, model, folder, source, target):
    """Writes what a package, a zip archive elsewhere, has into a folder: from one language, by its code, to another."""
    (folder / "model").mkdir(parents=True)
    vocabulary = convert(model, str(folder / "model"))
    (folder / "sentencepiece.model").write_bytes(vocabulary.serialized_model_proto())
    subprocess.run([python, "-c", SPLITTER, folder / "spacy"], check=True)
    metadata = {
        "package_version": "1.0",
        "argos_version": "1.9",
        "from_code": source,
        "from_name": source,
        "to_code": target,
        "to_name": target,
    }
    (folder / "metadata.json").write_text(json.dumps(metadata))


def install(python, model, folder):
    """Installs a model into a folder of its own, for both directions, as LibreTranslate downloads others where there
    are fewer than two; returns the environment in which it is found. `python` has LibreTranslate and spaCy."""
    folder = Path(folder)
    for source, target in (("en", "de"), ("de", "en")):
        write_package(python, model, folder / "packages" / f"{source}_{target}", source, target)
    cache = folder / "cache" / "argos-translate" / "spacy" / "senter"
    cache.mkdir(parents=True)
    (cache / "model").touch()  # lest one be downloaded that is not used
    return {
        "ARGOS_PACKAGES_DIR": str(folder / "packages"),
        "ARGOS_CHUNK_TYPE": "SPACY",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
