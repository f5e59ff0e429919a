"""Run upstream's own test-suite with the fork as its pip, and with the release."""
