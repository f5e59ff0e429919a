"""Unit tests of the rooms of variants."""
