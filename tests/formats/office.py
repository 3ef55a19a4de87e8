"""Small office documents, made here part by part."""

import io
import zipfile

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
RELATIONS = """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>
</Relationships>"""
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def docx(body, **parts):
    """A Word document with a body, and more parts of the folder word by name."""
    files = {"[Content_Types].xml": TYPES, "_rels/.rels": RELATIONS}
    files["word/document.xml"] = f"{HEAD}<w:document {W}><w:body>{body}</w:body></w:document>"
    files |= {f"word/{name}.xml": f"{HEAD}<w:hdr {W}>{content}</w:hdr>" for name, content in parts.items()}
    return archive(files)


ODF = "urn:oasis:names:tc:opendocument:xmlns:"
NAMES = " ".join(f'xmlns:{name}="{ODF}{name}:1.0"' for name in ("office", "text", "style"))
NAMES += f' xmlns:draw="{ODF}drawing:1.0" office:version="1.3"'
TEXT = "application/vnd.oasis.opendocument.text"
MANIFEST = f"""<?xml version="1.0"?><manifest:manifest xmlns:manifest="{ODF}manifest:1.0" manifest:version="1.3">
<manifest:file-entry manifest:full-path="/" manifest:media-type="{TEXT}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>"""


def odt(body):
    """An OpenDocument text with a body."""
    content = f"{HEAD}<office:document-content {NAMES}><office:body><office:text>{body}</office:text></office:body>"
    return archive(
        {"mimetype": TEXT, "content.xml": f"{content}</office:document-content>", "META-INF/manifest.xml": MANIFEST}
    )


def archive(files, method=zipfile.ZIP_DEFLATED):
    """A zip archive of texts by name; the first of an OpenDocument text is not compressed."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        for name, content in files.items():
            made.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else method)
    return written.getvalue()


def body(content, name="word/document.xml"):
    """What stands in the body of a document, or in a part of it."""
    with zipfile.ZipFile(io.BytesIO(content)) as read:
        text = read.read(name).decode()
    for start, end in (("<w:body>", "</w:body>"), ("<office:text>", "</office:text>"), (f"<w:hdr {W}>", "</w:hdr>")):
        if start in text:
            return text.partition(start)[2].rpartition(end)[0]
    return text
