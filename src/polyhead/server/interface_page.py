"""`/docs`: the description of the interface as a page for people, without scripts and with nothing from elsewhere."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any, cast

Schema = dict[str, Any]

STYLE = "docs.css"

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>polyhead: what the server answers</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<main>
<h1>What the server answers</h1>
<p>The same for programs: <a href="openapi.json">openapi.json</a> (OpenAPI).
An answer that is no success has a sentence that says what was wrong.</p>
"""
_TAIL = "</main>\n</body>\n</html>\n"


def interface_page(schema: Schema) -> str:
    """An OpenAPI description → an HTML page: every address, its fields, and an example for curl."""
    groups: dict[str, list[tuple[str, str, Schema]]] = {}
    for path, operations in cast("dict[str, dict[str, Schema]]", schema["paths"]).items():
        for method, operation in operations.items():
            for tag in operation.get("tags", ["other"]):
                groups.setdefault(tag, []).append((path, method.upper(), operation))
    parts = [_HEAD]
    for tag, members in groups.items():
        parts.append(f"<h2>{escape(tag)}</h2>\n")
        parts += [_operation(schema, *member) for member in members]
    return "".join([*parts, _TAIL])


def _operation(schema: Schema, path: str, method: str, operation: Schema) -> str:
    fields = [*_parameters(operation), *_body_fields(schema, operation)]
    rows = "".join(
        f"<tr><th scope='row'><code>{escape(name)}</code></th><td>{escape(place)}</td>"
        f"<td>{'yes' if needed else ''}</td><td>{escape(kind)}</td></tr>\n"
        for name, place, needed, kind in fields
    )
    head = "".join(f"<th scope='col'>{title}</th>" for title in ("field", "in", "needed", "is"))
    table = f"<div class='wide' tabindex='0'><table>\n<tr>{head}</tr>\n{rows}</table></div>\n" if rows else ""
    said = escape(str(operation.get("description", "")))
    return (
        f"<section>\n<h3><span>{method}</span> <code>{escape(path)}</code></h3>\n<p>{said}</p>\n{table}"
        f"<pre tabindex='0'>{escape(_example(schema, path, method, operation))}</pre>\n</section>\n"
    )


def _parameters(operation: Schema) -> Iterator[tuple[str, str, bool, str]]:
    for each in cast("list[Schema]", operation.get("parameters", [])):
        yield each["name"], each["in"], bool(each.get("required")), _kind(each.get("schema", {}))


def _body_fields(schema: Schema, operation: Schema) -> Iterator[tuple[str, str, bool, str]]:
    content = cast("dict[str, Schema]", operation.get("requestBody", {}).get("content", {}))
    for body in list(content.values())[:1]:  # every encoding has the same fields
        whole = _found(schema, body["schema"])
        for name, field in cast("dict[str, Schema]", whole.get("properties", {})).items():
            kinds = ", ".join(kind.rpartition("/")[2] for kind in content)
            yield name, f"body ({kinds})", name in whole.get("required", []), _kind(field)


def _found(schema: Schema, part: Schema) -> Schema:
    """A part of the description, or what it refers to."""
    name = str(part.get("$ref", "")).rpartition("/")[2]
    return schema["components"]["schemas"][name] if name else part


def _kind(field: Schema) -> str:
    """A field's type in words, with its choices and what it is if left out."""
    kinds = [_one_kind(each) for each in cast("list[Schema]", field.get("anyOf", [field]))]
    said = " or ".join(dict.fromkeys(kind for kind in kinds if kind not in ("", "null")))
    if field.get("default") not in (None, ""):
        said += f"; {json.dumps(field['default'])} if left out"
    return said + (f". {field['description']}" if "description" in field else "")


def _one_kind(kind: Schema) -> str:
    if "enum" in kind or "const" in kind:
        choices = cast("list[str]", kind.get("enum", [kind.get("const")]))
        return ", ".join(str(choice) for choice in choices if choice != "")
    if kind.get("type") == "array":
        return f"list of {_one_kind(kind.get('items', {})) or 'values'}"
    return str(kind.get("type") or str(kind.get("$ref", "")).rpartition("/")[2])


def _example(schema: Schema, path: str, method: str, operation: Schema) -> str:
    """A curl command that calls an operation, with every field that is needed."""
    content = cast("dict[str, Schema]", operation.get("requestBody", {}).get("content", {}))
    command = f"curl -s {'' if method in ('GET', 'POST') else f'-X {method} '}http://127.0.0.1:8000{path}"
    if not content:
        return command
    whole = _found(schema, next(iter(content.values()))["schema"])
    needed = {name: whole["properties"][name] for name in cast("list[str]", whole.get("required", []))}
    if list(content) == ["multipart/form-data"]:
        return " ".join([command, *(f"-F {name}={_sample(field, '@file.txt')}" for name, field in needed.items())])
    body = json.dumps({name: _sample(field) for name, field in needed.items()})
    return f"{command} -H 'Content-Type: application/json' -d '{body}'"


def _sample(field: Schema, file: str = "Hello!") -> str:
    kinds = cast("list[Schema]", field.get("anyOf", [field]))
    choices = [each for kind in kinds for each in cast("list[str]", kind.get("enum", []))]
    return choices[0] if choices else file if field.get("format") == "binary" else "Hello!"
