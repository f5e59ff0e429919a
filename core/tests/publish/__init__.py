"""Tests of the publishers' side of wheel variants."""
