"""Fetch the files of one command several at a time, and unpack wheels meanwhile.

This is for wheels of any kind, variants or not. When a command has resolved its
requirements, it hands over what is left to download (``fast.fetching``), and threads
run upstream's own downloader for each file (``downloader``, ``pool``, ``fetch``). Meanwhile
wheels are unpacked and compiled (``staging``), to be moved when upstream installs them
(``staged``).

Packages that replace others are prepared first (``atomic_upgrade``), also if variants are
downloaded one after the other.
"""
