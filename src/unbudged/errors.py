"""The errors a user can meet; every one is a sentence that says what to do."""

from __future__ import annotations


class UnbudgedError(Exception):
    """Base of every error raised on purpose; its text is one clear line."""


class UsageError(UnbudgedError):
    """Something the user passed cannot be used (exit code 2)."""


class CorpusError(UsageError):
    """A corpus is malformed; the text names file, entry and key."""


class TargetError(UsageError):
    """The target cannot be loaded or called, or changes what it returns between calls."""


class MissingExtra(UsageError):
    """A framework is needed and not installed, or older than its floor."""
