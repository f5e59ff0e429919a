"""Remember what an index was made from, so that only changed files are read again."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from wheel_variants.manifest_parser import parse_document
from wheel_variants.publish.files import open_regular, write_if_changed
from wheel_variants.publish.simple_index import FileFacts

__all__ = ["IndexState", "STATE_FILE"]

#: Its name in the folder of the index.
STATE_FILE = ".pip-variants-index.json"

# Raise it when something else is read of a wheel, or wheels are judged differently.
_FORMAT = 2

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class IndexState:
    """What earlier runs read and wrote.

    :ivar files: facts by file name.
    :ivar written: digests of the files written, by path within the folder.
    """

    files: dict[str, FileFacts] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str) -> IndexState:
        """Read the state of a folder; an empty one if there is no usable one."""
        try:
            with open_regular(STATE_FILE, folder) as file:
                content = json.load(file)
            if content["format"] == _FORMAT:
                files = {name: _facts(each) for name, each in content["files"].items()}
                return cls(files, dict(content["written"]))
        except FileNotFoundError:
            pass
        # An invalid manifest is a ValueError.
        except (
            *(OSError, RecursionError, ValueError),
            *(KeyError, TypeError, AttributeError),
        ) as error:
            logger.debug("Reading everything again: %s: %r", STATE_FILE, error)
        return cls()

    def save(self, folder: str) -> None:
        """Write the state of a folder."""
        content = {
            "format": _FORMAT,
            "files": {name: asdict(each) for name, each in sorted(self.files.items())},
            "written": dict(sorted(self.written.items())),
        }
        text = json.dumps(content, indent=1)
        write_if_changed(folder, STATE_FILE, text.encode("ascii"))


def _facts(content: Mapping[str, Any]) -> FileFacts:
    facts = FileFacts(**content)
    texts = (facts.sha256, facts.metadata_sha256, facts.requires_python)
    if not all(each is None or isinstance(each, str) for each in texts):
        raise TypeError(f"not text: {texts!r}")
    if facts.document is not None:
        parse_document(facts.document)
    return facts
