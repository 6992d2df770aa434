"""What names a file."""

import os
from typing import Union

Path = Union[str, "os.PathLike[str]"]
