"""Neural machine translation: translates and scores text with models of nmt, Marian, Hugging Face, CTranslate2 and others.

>>> import nmt
>>> translator = nmt.Translator("model.safetensors")           # doctest: +SKIP
>>> translator.translate("Ein Hund rennt.").text               # doctest: +SKIP
'A dog is running.'

Errors are `nmt.Error` (such as a damaged file, or too little memory) and its subclass `nmt.UsageError` (such as a setting
out of range). Their messages say what is wrong and what to do.
"""

from . import metrics
from .lib._nmt import Error, Translation, UsageError
from .lib._nmt import version as __version__
from .model import Model, average
from .notebook import show_results
from .run import Run, train
from .translator import Scorer, Translator
from .vocabulary import Vocabulary

for _class in (Error, Translation, UsageError, metrics.Score):
    _class.__module__ = "nmt"
show_results()

__all__ = ["Error", "Model", "Run", "Scorer", "Translation", "Translator", "UsageError", "Vocabulary", "average", "metrics",
           "train", "__version__"]
