"""Tests of how the fork is assembled."""
