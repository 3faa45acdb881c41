"""Tokens of texts, and language models that write.

    model, tokenizer = zoo.open("gpt2.safetensors"), text.load("tokenizer.json")
    text.generate(model, tokenizer, "It was", most=50, temperature=0.7)
"""

import os

from tyto import _core
from tyto._base import attributes_of
from tyto._core import c

__all__ = ["Tokenizer", "generate", "load", "stream", "train"]


class Tokenizer:
    """A byte-pair encoding.  The text of tokens that are no whole characters has U+FFFD."""

    def __init__(self, handle=None):
        """Take a handle of tyto.c; None: the tokens are the 256 bytes."""
        self.handle = c.tokenizer_new() if handle is None else handle

    def __reduce__(self):
        return _parsed, (self.handle.to_json(),)

    def encode(self, text):
        """Return the tokens of a text, or of bytes: int32."""
        return self.handle.encode(text.encode() if isinstance(text, str) else text)

    def decode(self, tokens):
        """Return the text of tokens."""
        return self.decode_bytes(tokens).decode("utf-8", "replace")

    def decode_bytes(self, tokens):
        """Return the bytes of tokens."""
        if not isinstance(tokens, _core.Array):
            tokens = _core.asarray(tokens, dtype="int64")
        return self.handle.decode(tokens)

    def __len__(self):
        """Return the number of tokens."""
        return self.handle.size()

    @property
    def end(self):
        """The token that ends a text; None if there is none."""
        found = c.tokenizer_end(self.handle)
        return None if found < 0 else found

    def save(self, path):
        """Write tokenizer.json, which Hugging Face's tokenizers read."""
        self.handle.save(os.fspath(path))


def _parsed(json):
    """Return the tokenizer of the text of a tokenizer.json."""
    return Tokenizer(c.tokenizer_parse(json.encode()))


def load(path):
    """Return the tokenizer of a tokenizer.json, or of a file of weights."""
    return Tokenizer(c.tokenizer_load(path))


def train(text, size):
    """Train a tokenizer of at most `size` tokens on a text."""
    return Tokenizer(c.tokenizer_train(text.encode() if isinstance(text, str) else text, size))


def stream(model, start, *, most=100, end=None, **options):
    """Yield tokens that a language model of the zoo draws behind the tokens `start`.

    most: number of tokens; end: a token that ends the text.  Options: temperature (0: the
    likeliest token), top_k, top_p, seed, and tokens: draw below this one alone.
    """
    decoder = model.handle.decoder_new()
    if not isinstance(start, _core.Array):
        start = _core.asarray(start, dtype="int64")
    decoder.read(start)
    for i in range(most):
        token = decoder.draw(**options)
        if token == end:
            return
        yield token
        if i + 1 < most:
            decoder.read(token)


def generate(model, tokenizer, prompt, *, most=100, **options):
    """Return the text that a language model writes behind a prompt; options as of stream."""
    options.setdefault("tokens", len(tokenizer))
    start = tokenizer.encode(prompt)
    found = list(stream(model, start, most=most, end=tokenizer.end, **options))
    return tokenizer.decode(found) if found else ""


__getattr__, __dir__ = attributes_of(__name__)
