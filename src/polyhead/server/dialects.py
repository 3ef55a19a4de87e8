"""How problems are told by the three interfaces: polyhead's own, LibreTranslate's and DeepL's.

Every problem is made as polyhead's own. LibreTranslate's clients look for 400 and 403 where polyhead has other
statuses, and for `error`, which all its problems have and in which some compare the words of LibreTranslate's own
problems. DeepL's clients look for `message`, and read nothing else.
"""

from http import HTTPStatus

from starlette.responses import JSONResponse

from polyhead.errors import shortened
from polyhead.server.problems import FieldMissing, KeyMissing, Problem, TooManyTexts, UnknownLanguage, answer

LIBRETRANSLATE = ("/translate", "/detect", "/suggest", "/translate_file", "/download_file/", "/languages", "/frontend/")
DEEPL = "/v2/"
_LONGEST_CODE = 60
"""Characters of a language's code as an answer repeats it."""


def speaks_libretranslate(path: str) -> bool:
    """Whether LibreTranslate has this address."""
    return any(path == known or (known[-1] == "/" and path.startswith(known)) for known in LIBRETRANSLATE)


def speaks_deepl(path: str) -> bool:
    """Whether DeepL has this address."""
    return path.startswith(DEEPL)


def respond(path: str, problem: Problem) -> JSONResponse:
    """The answer that tells of a problem at an address, as that address's clients expect it."""
    if speaks_deepl(path):
        return JSONResponse({"message": problem.detail}, _usual_status(problem), problem.headers)
    if speaks_libretranslate(path):
        status = HTTPStatus.BAD_REQUEST if isinstance(problem, KeyMissing) else _usual_status(problem)
        return answer(problem, status, _in_its_words(problem))
    return answer(problem)


def _in_its_words(problem: Problem) -> str | None:
    """What LibreTranslate itself says of a problem; None where it has no such problem, or says less."""
    if isinstance(problem, FieldMissing):
        return f"Invalid request: missing {problem.name} parameter"
    if isinstance(problem, UnknownLanguage):
        return f"{shortened(problem.language, _LONGEST_CODE)} is not supported"
    return None


def _usual_status(problem: Problem) -> int:
    """The status at both other interfaces: 403 in place of 401, and 400 in place of 415 and for too many texts."""
    if problem.status_code == HTTPStatus.UNAUTHORIZED:
        return HTTPStatus.FORBIDDEN
    if problem.status_code == HTTPStatus.UNSUPPORTED_MEDIA_TYPE or isinstance(problem, TooManyTexts):
        return HTTPStatus.BAD_REQUEST
    return problem.status_code
