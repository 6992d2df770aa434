"""Functions that take settings from a table as keyword arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from . import settings as tables
from .lib import _nmt

_F = TypeVar("_F", bound=Callable[..., Any])


def names(options: type) -> tuple[str, ...]:
    """Returns the names of the settings of a TypedDict of settings.py."""
    return tuple(options.__annotations__)


def types_of(options: type) -> dict[str, str]:
    """Returns the types of the settings of a TypedDict of settings.py, as they are written there."""
    return {name: str(getattr(kind, "__forward_arg__", kind)) for name, kind in options.__annotations__.items()}


def takes(options: type) -> Callable[[_F], _F]:
    """Returns a decorator that adds settings to the signature and the help of a function that takes them as `**settings`."""

    def show(function: _F) -> _F:
        signature = inspect.signature(function)
        types = types_of(options)
        parameters = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=..., annotation=kind)
                       for name, kind in types.items()]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        helps = tables.HELP[options.__name__]
        lines = [f"{name}: {helps[name]}" if name in helps else name for name in types]
        text = inspect.cleandoc(function.__doc__ or "")
        function.__doc__ = text + "\n\nSettings:\n" + "\n".join(f"    {line}" for line in lines)
        return function

    return show


def check_names(function: str, settings: Iterable[str], options: type, others: Iterable[str] = ()) -> None:
    """Raises TypeError for an unknown name, and suggests the name that may be meant, a setting or one of the other parameters."""
    for name in settings:
        if name not in names(options):
            meant = _nmt.did_you_mean_setting(name, [*names(options), *others])
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'{meant}")


def set_all(target: Any, function: str, settings: dict[str, Any], options: type) -> None:
    """Sets attributes of `target`. Raises TypeError, with the expected type, for a value of another type."""
    for name, value in settings.items():
        try:
            setattr(target, name, value)
        except TypeError:
            kind = types_of(options).get(name, "int")
            raise TypeError(f"{function}(): {name} takes {kind}, not {described(value)}") from None


def texts(value: Any, function: str, name: str) -> list[str]:
    """Returns the texts of an argument that is a text or an iterable of texts. Raises TypeError for anything else."""
    if isinstance(value, str):
        return [value]
    expected = f"{function}(): {name} takes a str or an iterable of str"
    if isinstance(value, (bytes, bytearray)) or not isinstance(value, Iterable):
        raise TypeError(f"{expected}, not {described(value)}")
    found = list(value)
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"{expected}; {name}[{place}] is {described(text)}")
    return found


def described(value: Any) -> str:
    """Describes a value for messages, such as `the int 3`."""
    text = repr(value)
    return f"the {type(value).__name__} {text if len(text) <= 40 else text[:40] + '...'}"
