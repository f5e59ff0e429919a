"""Speed: parallel downloads, unpacking and upgrades, independent of variants."""
