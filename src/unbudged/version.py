"""The version, in the one place everything else reads it from."""

VERSION = "0.2.0"
