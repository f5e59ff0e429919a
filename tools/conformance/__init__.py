"""Run the conformance cases of core against this project and other implementations."""
