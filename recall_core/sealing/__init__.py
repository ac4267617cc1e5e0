"""A run sealed in one file: everything that its numbers follow from, to be recomputed anywhere."""

from recall_core.sealing.container import packed
from recall_core.sealing.verifying import Break, Verification, verify_file, verify_package

__all__ = ["Break", "Verification", "packed", "verify_file", "verify_package"]
