"""The server's settings."""

from pathlib import Path

from pydantic import Field, SecretStr

from polyhead.config import Config
from polyhead.limits import LARGEST_BYTES, LONGEST_WAIT, MOST_COUNTED, MOST_SENTENCES, MOST_TOKENS_DECODED


class ServerConfig(Config):
    """What one server allows and keeps."""

    max_body: int = Field(default=1 << 20, ge=1, le=LARGEST_BYTES)
    """The most bytes of a request."""
    max_depth: int = Field(default=16, ge=1, le=200)
    """How deeply the JSON of a request may be nested."""
    max_characters: int = Field(default=10_000, ge=1, le=MOST_COUNTED)
    """The most characters of one text."""
    max_texts: int = Field(default=256, ge=1, le=MOST_SENTENCES)
    """The most texts of one request."""
    max_waiting: int = Field(default=1024, ge=1, le=MOST_SENTENCES)
    """The most texts that wait for one model; a request beyond is told to come again later."""
    timeout: float = Field(default=60.0, gt=0, le=LONGEST_WAIT)
    """Seconds until an answer is given up."""
    batch_tokens: int = Field(default=4096, ge=1, le=MOST_TOKENS_DECODED)
    """About how many padded source tokens are decoded together."""
    memory: int | None = Field(default=None, ge=1, le=LARGEST_BYTES)
    """The most bytes of weights to keep loaded, of the models used last; None: all. A model in use is always loaded."""
    trace_memory: int = Field(default=256 << 20, ge=0, le=LARGEST_BYTES)
    """Bytes of traces to keep, those used last."""
    trace_seconds: float = Field(default=900.0, gt=0, le=LONGEST_WAIT)
    """How long a trace is kept after its last use."""
    api_key: SecretStr | None = None
    """What clients must know to be answered; None: everybody who reaches the server is."""
    origins: tuple[str, ...] = ()
    """Other web pages that may ask (CORS), such as https://example.org; none by default, "*" for all."""
    allowed_hosts: tuple[str, ...] = ()
    """Names that the server answers to (`Host`), beside localhost and addresses in numbers; "*" for all."""
    suggestions: Path | None = None
    """The file that suggested translations are added to; None: suggestions are refused."""
    max_suggestions: int = Field(default=64 << 20, ge=1, le=LARGEST_BYTES)
    """The most bytes of the file of suggestions. When it is full, suggestions are refused."""
    max_file: int = Field(default=16 << 20, ge=1, le=LARGEST_BYTES)
    """The most bytes of a file to translate."""
    file_timeout: float = Field(default=600.0, gt=0, le=LONGEST_WAIT)
    """Seconds until the translation of a file is given up."""
    max_files_at_once: int = Field(default=4, ge=1, le=MOST_SENTENCES)
    """The most files that are translated at the same time."""
    file_memory: int = Field(default=128 << 20, ge=1, le=LARGEST_BYTES)
    """The most bytes of translated files to keep until they are fetched. The newest stay."""
    max_files: int = Field(default=100, ge=1, le=MOST_SENTENCES)
    """The most translated files to keep."""
    file_seconds: float = Field(default=1800.0, gt=0, le=LONGEST_WAIT)
    """How long a translated file is kept."""
