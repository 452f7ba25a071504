"""The base of every view of the API: what DESIGN.md §5 promises for all of them, in one place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from accounts.principal import Principal
from accounts.principals import principal_of
from instantstart.api import idempotency, parameters
from instantstart.api.etag import add_etag
from instantstart.api.fields import keep_fields
from instantstart.problem import FieldError, Problem

Handler = Callable[..., Response]


class Conventions(APIView):
    """Idempotency keys, entity tags, and no query parameter that nobody reads.

    query_parameters: what the view itself reads, by method ("GET") or viewset action ("list"); the rest (paging, filters, `fields`)
    is known from the classes in use. All of them are in the schema, and any other one is refused.
    idempotency_atomic: set where the handler changes only our own database: the change and its kept answer then commit together.
    """

    query_parameters: ClassVar[Mapping[str, Sequence[OpenApiParameter]]] = {}
    idempotency_atomic: ClassVar[bool] = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        request._request.body  # noqa: B018  (read it now, so that both the parser and the key's fingerprint can)
        super().initial(request, *args, **kwargs)
        self.refuse_unknown_parameters(request)
        if request.method not in SAFE_METHODS and not wants_plan_only(request):
            key = idempotency.key_of(request)
            name = (request.method or "").lower()
            if key is not None and hasattr(self, name):
                setattr(self, name, functools.partial(self._once, getattr(self, name), key))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if isinstance(response, Response):
            add_etag(request, response)
        return response

    # --- query parameters ---

    def own_parameters(self) -> list[OpenApiParameter]:
        """Parameters that this view declares for the call at hand."""
        method = (self.request.method if getattr(self, "request", None) is not None else None) or ""
        action = getattr(self, "action", None) or ""
        return [*self.query_parameters.get(method, ()), *(self.query_parameters.get(action, ()) if action else ())]

    def known_parameters(self) -> set[str]:
        """Names of all query parameters that this call may carry."""
        return {parameter.name for parameter in self.own_parameters() if parameter.location == OpenApiParameter.QUERY} | {"format"}

    def refuse_unknown_parameters(self, request: Request) -> None:
        """Problem 400: a misspelt filter that is quietly ignored would answer another question than was asked."""
        known = self.known_parameters()
        unknown = sorted(set(request.query_params) - known)
        if unknown:
            hint = f"Known here: {', '.join(sorted(known - {'format'})) or 'none'}."
            errors = [FieldError(name, "unknown_parameter", f"There is no parameter {name}.", hint) for name in unknown]
            raise Problem(400, "unknown_parameter", "Unknown parameter", f"Unknown: {', '.join(unknown)}.", hint, errors=errors)

    # --- idempotency ---

    def _once(self, handler: Handler, key: str, request: Request, *args: Any, **kwargs: Any) -> Response:
        scope = idempotency.scope_of(principal_of(request))
        fingerprint = idempotency.fingerprint_of(request)
        while True:
            claimed = idempotency.claim(scope, key, fingerprint)
            if isinstance(claimed, Response):
                return claimed
            try:
                if self.idempotency_atomic:
                    return _carry_out_atomically(handler, claimed, request, *args, **kwargs)
                response = handler(request, *args, **kwargs)
                idempotency.answer(claimed, response)
                return response
            except idempotency.ClaimLost:
                continue  # whoever has the claim now answers for both
            except BaseException:
                idempotency.reopen(claimed)
                raise


def _carry_out_atomically(handler: Handler, claimed: idempotency.Claim, request: Request, *args: Any, **kwargs: Any) -> Response:
    refusal: Problem | APIException | None = None
    with transaction.atomic():
        try:
            response = handler(request, *args, **kwargs)
        except (Problem, APIException) as raised:
            # Actions raise before they write, or undo what they wrote; what stays is the refusal's audit entry.
            refusal = raised
        else:
            idempotency.answer(claimed, response)
    if refusal is not None:
        raise refusal
    return response


def wants_plan_only(request: Request) -> bool:
    """Whether the call is a dry run. Problem 400 for a value that is neither yes nor no."""
    given = request.query_params.get(parameters.DRY_RUN.name)
    if given is None:
        return False
    known = {"true": True, "1": True, "false": False, "0": False}
    if given.lower() not in known:
        error = FieldError("dry_run", "not_a_boolean", "dry_run is true or false.", "Send dry_run=true or dry_run=false.")
        raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])
    return known[given.lower()]


class ApiView(Conventions):
    """For what is no collection of rows."""


class ApiViewSet(Conventions, GenericViewSet[Any]):
    """For rows: adds paging, filters and `?fields=` to what a view reads."""

    def known_parameters(self) -> set[str]:
        known = super().known_parameters()
        if self.request.method not in SAFE_METHODS or not self.reads_rows():
            return known
        known.add(parameters.FIELDS.name)
        if not self.detail:
            known |= {"cursor", "limit"} if self.paginator is not None else set()
            known |= self.filter_names()
        return known

    def filter_names(self) -> set[str]:
        """Names of the parameters that narrow a list."""
        names: set[str] = set()
        for backend in self.filter_backends:
            filterset = getattr(backend(), "get_filterset_class", lambda *_: None)(self, type(self).queryset)
            names |= set(filterset.base_filters) if filterset is not None else set()
        return names

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Without a filter in the query there is nothing to narrow: building the filters' form would take longer than the query."""
        if not self.filter_names() & set(self.request.query_params):
            return queryset
        narrowed: QuerySet[Any] = super().filter_queryset(queryset)
        return narrowed

    def get_queryset(self) -> QuerySet[Any]:
        """What the caller may see; `visible` narrows it. While the schema is being generated there is no caller."""
        rows: QuerySet[Any] = super().get_queryset()
        return rows.none() if getattr(self, "swagger_fake_view", False) else self.visible(rows, principal_of(self.request))

    def visible(self, rows: QuerySet[Any], principal: Principal) -> QuerySet[Any]:
        """The rows of `rows` within the principal's reach. What is out of reach is not found, so that its existence is not told."""
        return rows

    def reads_rows(self) -> bool:
        """Whether the call at hand answers with the view's own serializer: list, retrieve, and extra actions that say so."""
        return getattr(self, "action", None) in ("list", "retrieve")

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        serializer = super().get_serializer(*args, **kwargs)
        request = getattr(self, "request", None)
        if request is not None and request.method in SAFE_METHODS and self.reads_rows():
            keep_fields(serializer, request)
        return serializer
