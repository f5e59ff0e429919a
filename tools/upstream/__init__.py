"""Run stock pip's test suite with the fork and with stock pip."""
