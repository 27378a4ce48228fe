"""Documents as people send them, made from nothing."""

import hashlib
import zipfile
from io import BytesIO

# The filler of the PDF specification, for passwords that are shorter than 32 bytes.
_FILLER = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_ID = bytes(range(16))
_NOT_FORBIDDEN = -4
_KEY_BYTES = 5


def word_document(**sections: str) -> bytes:
    """As small as Word would still open."""
    paragraphs = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{head}</w:t></w:r></w:p>'
        f"<w:p><w:r><w:t>{body}</w:t></w:r></w:p>"
        for head, body in sections.items()
    )
    space = "http://schemas.openxmlformats.org"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{space}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{space}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{space}/wordprocessingml/2006/main"><w:body>{paragraphs}</w:body>'
        "</w:document>",
    }
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return made.getvalue()


def word_bomb() -> bytes:
    """300 MB of nothing, packed."""
    made = BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(300):
            part.write(b"\0" * (1 << 20))
    return made.getvalue()


def pdf_document(*lines: str, opened_by: str | None = None) -> bytes:
    """One page of text, as PDF has been written since its first version; encrypted if a password opens it."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    font = b"/Font << /F1 5 0 R >>"
    page = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET".encode()
    encryption, key = _encryption(opened_by) if opened_by is not None else (b"", b"")
    if key:
        page = _rc4(hashlib.md5(key + b"\x04\0\0\0\0").digest()[: _KEY_BYTES + 5], page)  # noqa: S324 - as PDF has it
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << %b >> >>" % font,
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(page), page),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return made + (
        b"xref\n0 6\n0000000000 65535 f \n%btrailer << /Size 6 /Root 1 0 R %b>>\nstartxref\n%d\n%%%%EOF\n"
        % (table, encryption, len(made))
    )


def _encryption(password: str) -> tuple[bytes, bytes]:
    """The entries of the trailer, and the key: the standard handler of PDF 1.1, 40 bits."""
    padded = (password.encode() + _FILLER)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:_KEY_BYTES], padded)  # noqa: S324
    permitted = _NOT_FORBIDDEN.to_bytes(4, "little", signed=True)
    key = hashlib.md5(padded + owner + permitted + _ID).digest()[:_KEY_BYTES]  # noqa: S324
    entries = (owner.hex().encode(), _rc4(key, _FILLER).hex().encode(), _NOT_FORBIDDEN)
    told = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <%b> /U <%b> /P %d >> " % entries
    return told + b"/ID [<%b> <%b>] " % (_ID.hex().encode(), _ID.hex().encode()), key


def _rc4(key: bytes, content: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in content:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
