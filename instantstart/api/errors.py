"""Every error as problem details (RFC 9457): from our own Problems, from REST framework, from Django and from what nobody expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.views import defaults
from pydantic import ValidationError as PydanticError
from rest_framework import exceptions
from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response
from rest_framework.views import set_rollback

from instantstart.api import refusals, request_id
from instantstart.input_errors import field_errors
from instantstart.problem import FieldError, Problem

CONTENT_TYPE = "application/problem+json"
TYPE_PREFIX = "/problems/"
"""`type` is a reference relative to this installation that names the code; problems are told apart by `code`."""

_log = structlog.get_logger(__name__)

# REST framework's own refusals: exception class → code, title, hint.
_KNOWN: tuple[tuple[type[exceptions.APIException], str, str, str], ...] = (
    (exceptions.ParseError, "malformed_body", "Malformed body", "Send one well-formed JSON document."),
    (exceptions.AuthenticationFailed, "authentication_failed", "Authentication failed", "Send a valid token, or sign in again."),
    (exceptions.NotAuthenticated, "not_signed_in", "Not signed in", "Sign in, or send 'Authorization: Bearer <token>'."),
    (exceptions.NotFound, "not_found", "Not found", "Check the name; the list shows what there is."),
    (exceptions.MethodNotAllowed, "method_not_allowed", "Method not allowed", "The Allow header names the methods of this address."),
    (exceptions.NotAcceptable, "not_acceptable", "Not acceptable", "Ask for application/json."),
    (exceptions.UnsupportedMediaType, "unsupported_media_type", "Unsupported media type", "Send application/json."),
    (exceptions.Throttled, "throttled", "Too many requests", "Wait as long as Retry-After says."),
)


MOST_ERRORS = 50
_LONGEST_SENTENCE = 300
# The fix, by the code of a field's error; REST framework's sentences tell only what is wrong.
_FIXES = {
    "extra_forbidden": "Leave it out, or correct its name.",
    "required": "Give this field.",
    "blank": "Give a value.",
    "null": "Give a value, or leave the field out.",
    "empty": "Give at least one, or leave the field out.",
    "invalid_choice": "Choose one of those that the schema names.",
    "max_length": "Make it shorter.",
    "min_length": "Make it longer.",
    "max_value": "Give a smaller number.",
    "min_value": "Give a larger number.",
}
_FIX_OTHERWISE = "See the schema at /api/docs/ for what is expected."


def problem_body(problem: Problem) -> dict[str, Any]:
    """The JSON of a problem: type, title, status, code, detail, hint, errors, request_id, and the problem's own extras."""
    return {
        "type": TYPE_PREFIX + problem.code,
        "title": problem.title,
        "status": problem.status,
        "code": problem.code,
        "detail": problem.detail,
        "hint": problem.hint,
        "errors": [asdict(error) for error in problem.errors],
        "request_id": request_id.current().id,
        **problem.extra,
    }


def problem_response(problem: Problem) -> JsonResponse:
    """A problem as Django's response, for views outside REST framework."""
    return JsonResponse(problem_body(problem), status=problem.status, content_type=CONTENT_TYPE)


def problem_handler(exception: Exception, context: Mapping[str, Any]) -> Response:
    """REST framework's exception handler. What nobody expected is logged with its trace and told without it."""
    problem, headers = _as_problem(exception)
    set_rollback()
    request = context.get("request")
    if isinstance(exception, exceptions.ValidationError) and request is not None and request.method in SAFE_METHODS:
        problem = invalid_parameter(problem.errors)  # a read has no other input
    if problem.status >= 500 and not isinstance(exception, Problem):
        _log.error("request_failed", exc_info=exception, path=getattr(request, "path", ""))
    if request is not None:
        refusals.note(request, problem)
    return Response(problem_body(problem), status=problem.status, headers=headers, content_type=CONTENT_TYPE)


def _as_problem(exception: Exception) -> tuple[Problem, dict[str, str]]:
    if isinstance(exception, Problem):
        headers = {"WWW-Authenticate": "Bearer"} if exception.status == 401 else {}
        if "retry_after" in exception.extra:
            headers["Retry-After"] = str(exception.extra["retry_after"])
        return exception, headers
    if isinstance(exception, PydanticError):
        return invalid_input(field_errors(exception)), {}
    if isinstance(exception, Http404):
        exception = exceptions.NotFound()
    elif isinstance(exception, PermissionDenied):
        exception = exceptions.PermissionDenied()
    if isinstance(exception, RequestDataTooBig):
        return too_large(), {}
    if isinstance(exception, exceptions.APIException):
        return _from_rest_framework(exception)
    return internal_error(), {}


def _from_rest_framework(exception: exceptions.APIException) -> tuple[Problem, dict[str, str]]:
    headers: dict[str, str] = {}
    if header := getattr(exception, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if wait := getattr(exception, "wait", None):
        headers["Retry-After"] = str(int(wait))
    if isinstance(exception, exceptions.ValidationError):
        return invalid_input(list(_flatten(exception.get_full_details()))), headers
    for kind, code, title, hint in _KNOWN:
        if isinstance(exception, kind):
            return Problem(exception.status_code, code, title, _sentence(exception), hint), headers
    if isinstance(exception, exceptions.PermissionDenied):
        if "CSRF" in str(exception.detail):
            return Problem(
                403, "csrf_failed", "CSRF check failed", _sentence(exception), "Send the csrftoken cookie as X-CSRFToken."
            ), headers
        return Problem(403, "forbidden", "Forbidden", _sentence(exception), "Ask an admin for the right."), headers
    return Problem(exception.status_code, exception.default_code, "Error", _sentence(exception)), headers


def _sentence(exception: exceptions.APIException) -> str:
    return str(exception.detail)


def _flatten(details: Any, path: str = "") -> Iterator[FieldError]:
    """REST framework's nested error details as a flat list with dotted paths."""
    if isinstance(details, Mapping) and set(details) == {"message", "code"} and isinstance(details["message"], str):
        code = str(details["code"])
        yield FieldError(path, code, _shortened(str(details["message"])), _FIXES.get(code, _FIX_OTHERWISE))
    elif isinstance(details, Mapping):
        for name, inner in details.items():
            step = "" if name == "non_field_errors" else str(name)
            yield from _flatten(inner, ".".join(part for part in (path, step) if part))
    elif isinstance(details, Sequence) and not isinstance(details, str):
        for position, inner in enumerate(details):
            leaf = isinstance(inner, Mapping) and "message" in inner and "code" in inner
            yield from _flatten(inner, path if leaf else f"{path}.{position}".lstrip("."))


def _shortened(sentence: str) -> str:
    """REST framework quotes what was sent, however long."""
    return sentence if len(sentence) <= _LONGEST_SENTENCE else f"{sentence[:_LONGEST_SENTENCE]}…"


def invalid_input(errors: list[FieldError]) -> Problem:
    """422 with the fields at fault: the first of them, for an answer is not to be a multiple of what was sent."""
    left_out, errors = len(errors) - MOST_ERRORS, errors[:MOST_ERRORS]
    named = ", ".join(dict.fromkeys(error.field for error in errors if error.field))
    detail = f"Not acceptable: {named}." if named else "The input is not acceptable."
    if left_out > 0:
        detail += f" {left_out} more of its values are not either."
    return Problem(422, "invalid_input", "Invalid input", detail, "Correct the fields named in errors and send it again.", errors=errors)


def invalid_parameter(errors: list[FieldError]) -> Problem:
    """400 with the query parameters at fault."""
    named = ", ".join(dict.fromkeys(error.field for error in errors))
    return Problem(
        400, "invalid_parameter", "Invalid parameter", f"Not acceptable: {named}.", "Correct the parameters named.", errors=errors
    )


def too_large() -> Problem:
    """413 for a body above what Django reads."""
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return Problem(413, "body_too_large", "Body too large", f"A body has at most {most} bytes.", "Send less, or send it in several calls.")


def internal_error() -> Problem:
    return Problem(
        500,
        "internal_error",
        "Internal error",
        "Something went wrong on our side; it is in the log under this request_id.",
        "Try again with the same Idempotency-Key; if it stays, give the request_id to who runs this installation.",
    )


def wants_problem(request: HttpRequest) -> bool:
    """Whether the caller is a program: anything under /api/, and the probes."""
    return request.path.startswith(("/api/", "/livez", "/readyz", "/metrics"))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """handler400"""
    if wants_problem(request):
        return problem_response(
            Problem(400, "bad_request", "Bad request", "The request can't be understood.", "Check host name, headers and encoding.")
        )
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """handler403"""
    if wants_problem(request):
        return problem_response(Problem(403, "forbidden", "Forbidden", "You may not do this.", "Ask an admin for the right."))
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """handler404"""
    if wants_problem(request):
        return problem_response(
            Problem(404, "not_found", "Not found", "There is no such address.", "See /api/docs/ for those there are; each ends in a slash.")
        )
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse | HttpResponseBase:
    """handler500"""
    if wants_problem(request):
        return problem_response(internal_error())
    return defaults.server_error(request)
