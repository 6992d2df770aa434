#!/usr/bin/env python3
"""Compares how fast nmt and unbabel-comet score a text with the same COMET model on one thread, in turns.

The models have random weights and the shape of XLM-RoBERTa large, unless --shape says otherwise: the time depends on the
shape only. `comet` (COMET-22, regression) reads source, translation and reference, `kiwi` (CometKiwi-22, unified) reads
source and translation. Each figure is segments per second of CPU time, without the start of the program: the time of nmt
is that of the whole program, minus that for one segment. The output has medians over rounds, and the median, the
smallest and the largest of the ratios of nmt to unbabel-comet within a round.

Needs the package unbabel-comet.
"""
import argparse
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import pytorch_lightning
import torch
import yaml
from comet import load_from_checkpoint
from comet.models import str2model

SETTINGS = {
    "comet": {"class_identifier": "regression_metric", "layer": "mix", "pool": "avg"},
    "kiwi": {"class_identifier": "unified_metric", "sent_layer": "mix", "input_segments": ["mt", "src"]},
}
TOKENIZER = ("sentencepiece.bpe.model", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


def write_encoder(folder, options):
    """A folder with the tokenizer and the shape of the encoder."""
    layers, width, heads, inner = map(int, options.shape.split(","))
    config = json.loads((options.encoder / "config.json").read_text())
    config |= {"hidden_size": width, "intermediate_size": inner, "num_attention_heads": heads}
    config |= {"num_hidden_layers": layers, "vocab_size": options.vocabulary, "max_position_embeddings": 514}
    folder.mkdir()
    for name in TOKENIZER:
        if (options.encoder / name).exists():
            shutil.copyfile(options.encoder / name, folder / name)
    (folder / "config.json").write_text(json.dumps(config))
    return width


def write_model(metric, folder, options):
    """A checkpoint as unbabel-comet stores it, with the tokenizer beside it."""
    width = write_encoder(folder, options)
    settings = {"encoder_model": "XLM-RoBERTa", "pretrained_model": str(folder), "load_pretrained_weights": False}
    settings |= {"layer_norm": False, "hidden_sizes": [3 * width, width], **SETTINGS[metric]}
    model = str2model[settings.pop("class_identifier")](**settings)
    with torch.no_grad():  # so that scores differ
        for name, weight in model.named_parameters():
            if name.startswith("estimator") or "word_embeddings" in name:
                weight.mul_(3)
    trainer = pytorch_lightning.Trainer(logger=False, accelerator="cpu", enable_progress_bar=False)
    trainer.strategy.connect(model)
    trainer.save_checkpoint(folder / "checkpoints/model.ckpt", weights_only=True)
    (folder / "hparams.yaml").write_text(yaml.safe_dump(settings | SETTINGS[metric]))


class Comet:
    """unbabel-comet in this process."""

    name = "unbabel-comet f32"

    def __init__(self, folder):
        self.model = load_from_checkpoint(str(folder / "checkpoints/model.ckpt"), local_files_only=True)

    def run(self, segments):
        """CPU seconds and the system score."""
        start = time.process_time()
        found = self.model.predict(segments, batch_size=16, gpus=0, num_workers=0, progress_bar=False)
        return time.process_time() - start, found.system_score


class Nmt:
    """nmt with a precision, and with the model in one file of this precision."""

    def __init__(self, nmt, folder, precision, references):
        self.name, self.references = f"nmt {precision}", references
        model = folder / f"{precision}.safetensors"
        subprocess.run([nmt, "convert", folder, "--precision", precision, "-o", model, "--quiet"], check=True)
        self.command = [nmt, "bleu", "--metrics", "comet", "--comet", str(model), "--precision", precision]
        self.command += ["--threads", "1", "--score-only", "--force"]

    def run(self, segments):
        whole, score = self.whole(segments)
        return whole - self.whole(segments[:1])[0], score

    def whole(self, segments):
        with tempfile.TemporaryDirectory() as folder:
            files = {}
            for side in ("src", "mt", "ref"):
                files[side] = Path(folder, side)
                files[side].write_text("".join(segment[side] + "\n" for segment in segments))
            command = [*self.command, "--source", str(files["src"])]
            if self.references:
                command.append(str(files["ref"]))
            with files["mt"].open() as text, tempfile.TemporaryFile("w+") as log:
                process = subprocess.Popen(command, stdin=text, stdout=subprocess.PIPE, stderr=log, text=True)
                answer = process.stdout.read()
                _, status, usage = os.wait4(process.pid, 0)
                log.seek(0)
                if status != 0:
                    sys.exit(f"{' '.join(command)}: {log.read()}")
        return usage.ru_utime + usage.ru_stime, float(answer)


def compare(metric, segments, options):
    if options.work:
        os.makedirs(options.work, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        folder = Path(work, metric)
        write_model(metric, folder, options)
        programs = [Comet(folder)]
        programs += [Nmt(options.nmt, folder, precision, metric == "comet") for precision in options.precisions]
        programs[0].run(segments[:2])  # warm-up
        rounds = [[program.run(segments) for program in programs] for _ in range(options.rounds)]
    for i, program in enumerate(programs):
        speeds = [len(segments) / one[i][0] for one in rounds]
        ratios = sorted(one[0][0] / one[i][0] for one in rounds)
        print(f"{metric}\t{program.name}\t{median(speeds):.2f}\t{rounds[0][i][1]:.4f}", end="\t")
        print("" if i == 0 else f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)


def arguments_of_models(description):
    """A parser of the arguments that concern nmt and the models that write_model() makes."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nmt", required=True, help="the program")
    parser.add_argument("--encoder", required=True, type=Path, help="a folder with a tokenizer of XLM-RoBERTa and config.json")
    parser.add_argument("--precisions", nargs="+", default=["f32", "int8"], help="of nmt")
    parser.add_argument("--shape", default="24,1024,16,4096", help="layers, width, heads, inner width of the encoder")
    parser.add_argument("--vocabulary", type=int, default=250002, help="rows of the embedding table")
    parser.add_argument("--work", help="a folder for 2.3 GB of a model, on a disk")
    return parser


def main():
    parser = arguments_of_models(__doc__)
    for side in ("source", "translations", "references"):
        parser.add_argument(f"--{side}", required=True, type=Path, help="a text, one segment per line")
    parser.add_argument("--segments", type=int, default=60, help="the number of lines to score")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--metrics", nargs="+", choices=SETTINGS, default=list(SETTINGS))
    options = parser.parse_args()
    torch.set_num_threads(1)
    lines = [path.read_text().splitlines() for path in (options.source, options.translations, options.references)]
    segments = [dict(zip(("src", "mt", "ref"), line)) for line in zip(*lines)][: options.segments]
    print("metric\tprogram\tsegments per second\tscore\tnmt is ... times as fast")
    for metric in options.metrics:
        compare(metric, segments, options)


if __name__ == "__main__":
    main()
