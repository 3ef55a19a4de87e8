from docs.public_interface import described, to_fields


def test_lines_about_parameters_become_fields_of_their_own() -> None:
    lines = ["Reads a directory.", "", 'engine: "plain", or', "dtype, model: what", '"auto" is the fastest.', ""]
    assert to_fields(lines, ["model", "engine", "dtype"]) == [
        "Reads a directory.",
        "",
        "",
        ':param engine: "plain", or',
        ":param dtype: what",
        ":param model: what",
        "",
        '"auto" is the fastest.',
        "",
    ]


def test_other_lines_with_colons_stay() -> None:
    assert to_fields(["Note: engine is a name."], ["engine"]) == ["Note: engine is a name."]


def test_each_public_name_is_described_by_what_it_is() -> None:
    assert ".. autofunction:: polyhead.train\n" in described("train")
    assert ".. autoclass:: polyhead.Translator\n   :members:\n```" in described("Translator")
    assert ":undoc-members:" in described("Translation")
