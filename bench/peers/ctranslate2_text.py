"""Translates standard input with CTranslate2 on one thread: ctranslate2_text.py FOLDER f32|int8 BEAM BATCH TOKENS. FOLDER
has a model and its vocabulary; each translation gets TOKENS tokens.
"""
import sys

import ctranslate2
import sentencepiece

folder, precision, beam, batch, tokens = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
pieces = sentencepiece.SentencePieceProcessor(model_file=folder + "/source.spm")
translator = ctranslate2.Translator(
    folder, compute_type={"f32": "float32", "int8": "int8"}[precision], inter_threads=1, intra_threads=1
)
lines = [pieces.encode(line.strip(), out_type=str) for line in sys.stdin]
length = {"min_decoding_length": tokens, "max_decoding_length": tokens}
for result in translator.translate_batch(lines, beam_size=beam, max_batch_size=batch, length_penalty=0.6, **length):
    print(pieces.decode(result.hypotheses[0]))
