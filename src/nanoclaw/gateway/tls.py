"""Reads which host a TLS connection is for: the name in its first message, the only part that is not encrypted."""

_HANDSHAKE, _CLIENT_HELLO, _SERVER_NAME, _HOST_NAME = 22, 1, 0, 0
_BIGGEST = 16 << 10  # of the message, and of each record
_MOST_RECORDS = 8  # parsed again with each piece that arrives: many small records would cost more each time
UNRECOGNIZED_NAME = bytes.fromhex("15030100020270")
"""The alert by which a server refuses a name that it does not serve."""


class NotTls(Exception):
    """These bytes do not begin a TLS connection, or two readers could understand them differently."""


def looks_like_tls(data: bytes) -> bool:
    return data[:1] == bytes([_HANDSHAKE])


def server_name(data: bytes) -> str | None:
    """The name in the client's first message, empty if it has none; None if more bytes are needed."""
    message = _first_message(data)
    if message is None:
        return None
    try:
        return _name_in(_ByteReader(message))
    except (IndexError, UnicodeDecodeError) as error:
        raise NotTls from error


def _first_message(data: bytes) -> bytes | None:
    """The first message, which may be split into several records."""
    content, at = b"", 0
    for _ in range(_MOST_RECORDS + 1):
        if len(content) >= 4:
            if content[0] != _CLIENT_HELLO:
                raise NotTls
            length = int.from_bytes(content[1:4], "big")
            if length > _BIGGEST:
                raise NotTls
            if len(content) >= 4 + length:
                return content[4 : 4 + length]
        head = data[at : at + 5]
        if (head[:1] and head[0] != _HANDSHAKE) or (head[1:2] and head[1] != 3):
            raise NotTls
        if len(head) < 5:
            return None
        length = int.from_bytes(head[3:5], "big")
        if not length or length > _BIGGEST:
            raise NotTls
        content += data[at + 5 : at + 5 + length]
        if len(data) < at + 5 + length:
            return None
        at += 5 + length
    raise NotTls


def _name_in(hello: "_ByteReader") -> str:
    hello.take(2 + 32)  # version and random
    hello.block(1)  # session
    hello.block(2)  # ciphers
    hello.block(1)  # compressions
    if not hello.left:
        return ""
    extensions, names = _ByteReader(hello.block(2)), []
    while extensions.left:
        kind, content = int.from_bytes(extensions.take(2), "big"), extensions.block(2)
        if kind == _SERVER_NAME:
            listed = _ByteReader(_ByteReader(content).block(2))
            while listed.left:
                if listed.take(1)[0] != _HOST_NAME:
                    raise NotTls
                names.append(listed.block(2).decode("ascii"))
    if len(names) > 1:
        raise NotTls
    return names[0] if names else ""


class _ByteReader:
    """Takes bytes from the front. Raises IndexError if there are not enough."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise IndexError(count)
        self._at += count
        return self._data[self._at - count : self._at]

    def block(self, width: int) -> bytes:
        """A block preceded by its length."""
        return self.take(int.from_bytes(self.take(width), "big"))
