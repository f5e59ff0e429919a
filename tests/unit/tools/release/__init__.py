"""Tests of how a release is made."""
