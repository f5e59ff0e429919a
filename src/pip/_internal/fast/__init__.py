"""Speed: what is fetched, unpacked and replaced at the same time. Knows no variant."""
