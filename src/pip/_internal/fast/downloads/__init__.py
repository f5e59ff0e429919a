"""Download the files of a command several at a time."""
