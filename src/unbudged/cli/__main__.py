"""``python -m unbudged.cli``."""

from . import main

main()
