"""Fetch the wheels of one command several at a time: ``--use-feature parallel-downloads``.

This has to do with wheels of any kind, variants or not: a command hands over what is left
to download once it has resolved its requirements, and upstream's own downloader is run
for each file in a thread (``downloader``, ``pool``, ``fetch``). What is to be installed is
unpacked and compiled meanwhile (``staging``), and moved when upstream installs it
(``staged``).

What is replaced is replaced at once (``replacing``), also where variants are installed one
download at a time; what a run that was killed has left of that is finished by the next one
(``recovery``).
"""
