"""From an HTTP request to an operation and its parameters, by the service's model."""

from __future__ import annotations

from typing import Any

from botocore.model import OperationModel, OperationNotFoundError

from sandbox.aws import models
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol import jsonbody, query, routes, values, xmlbody
from sandbox.aws.protocol.wire import Request, decoded_pairs


def find(service: str, request: Request) -> tuple[OperationModel, dict[str, str]]:
    """The operation that is called, and the labels of its path. Raises AWSError."""
    protocol = models.service(service).metadata["protocol"]
    if request.header("smithy-protocol") == "rpc-v2-cbor":
        raise AWSError("NotImplemented", "The sandbox does not speak rpc-v2-cbor: use a client that speaks JSON.", 501)
    if request.header("x-amz-target"):
        return _named(service, request.header("x-amz-target").rpartition(".")[2]), {}
    if protocol in ("query", "ec2"):
        name = dict(reversed(_form(request))).get("Action", "")
        if not name:
            raise AWSError("MissingAction", "The request must contain the parameter Action.")
        return _named(service, name), {}
    if protocol in ("rest-json", "rest-xml"):
        found = routes.match(service, request)
        if found is None:
            raise AWSError("UnknownOperationException", f"{service} has no {request.method} {request.raw_path}.", 404)
        return found
    raise AWSError("MissingAuthenticationToken" if not request.body else "UnknownOperationException", "X-Amz-Target is missing.")


def parameters(operation: OperationModel, labels: dict[str, str], request: Request) -> dict[str, Any]:
    """The operation's parameters as handlers see them. Raises AWSError(SerializationException) for what cannot be read."""
    shape = operation.input_shape
    if shape is None:
        return {}
    protocol = operation.service_model.metadata["protocol"]
    if protocol == "ec2":
        return query.decode(shape, _form(request), ec2=True)
    if protocol == "query":
        return query.decode(shape, _form(request), ec2=False)
    if protocol in ("rest-json", "rest-xml"):
        return _rest(operation, labels, request, protocol)
    document = jsonbody.read(request.body)
    decoded: dict[str, Any] = jsonbody.decode(shape, document)
    return decoded


def _named(service: str, name: str) -> OperationModel:
    try:
        return models.operation(service, name)
    except OperationNotFoundError as error:
        if service in ("ec2", "iam", "sts", "cloudformation"):
            version = models.service(service).api_version
            raise AWSError("InvalidAction", f"Could not find operation {name} for version {version}") from error
        raise AWSError("UnknownOperationException", f"{service} has no operation {name}.") from error


def _form(request: Request) -> list[tuple[str, str]]:
    try:
        body = request.body.decode()
    except UnicodeDecodeError as error:
        raise values.malformed("The form is not UTF-8.") from error
    return decoded_pairs(body) + request.query


def _rest(operation: OperationModel, labels: dict[str, str], request: Request, protocol: str) -> dict[str, Any]:
    shape = operation.input_shape
    assert shape is not None  # noqa: S101 - parameters() has looked
    decoded: dict[str, Any] = {}
    payload = shape.serialization.get("payload")
    in_body = False
    pairs = request.query
    for name, member in shape.members.items():
        serialization = member.serialization
        location, wire_name = serialization.get("location"), serialization.get("name", name)
        if location == "uri":
            if wire_name in labels:
                decoded[name] = values.scalar(member, labels[wire_name], name, text=True)
        elif location == "querystring":
            value = _from_query(member, wire_name, pairs, name)
            if value is not None:
                decoded[name] = value
        elif location == "header":
            text = request.headers.get(wire_name.lower())
            if text is not None:
                decoded[name] = _from_header(member, text, name)
        elif location == "headers":
            decoded[name] = {key[len(wire_name) :]: value for key, value in request.headers.items() if key.startswith(wire_name.lower())}
        elif name == payload:
            value = _payload(member, request.body, protocol)
            if value is not None:
                decoded[name] = value
        else:
            in_body = True
    if in_body and payload is None:
        if protocol == "rest-json":
            document = jsonbody.read(request.body)
            if not isinstance(document, dict):
                raise values.malformed("The request body is not a JSON object.")
            decoded |= jsonbody.structure(shape, document)
        elif request.body:
            decoded |= xmlbody.decode(shape, xmlbody.read(request.body))
    return decoded


def _from_query(member: Any, wire_name: str, pairs: list[tuple[str, str]], name: str) -> Any:
    found = [value for key, value in pairs if key == wire_name]
    if member.type_name == "list":
        return [values.scalar(member.member, value, name, text=True) for value in found] or None
    if member.type_name == "map":
        return dict(pairs)
    return values.scalar(member, found[0], name, text=True) if found else None


def _from_header(member: Any, text: str, name: str) -> Any:
    if member.type_name == "list":
        return [values.scalar(member.member, part.strip(), name, text=True) for part in text.split(",")]
    return values.scalar(member, text, name, text=True)


def _payload(member: Any, body: bytes, protocol: str) -> Any:
    if member.type_name == "blob":
        return body
    if member.type_name == "string":
        try:
            return body.decode()
        except UnicodeDecodeError as error:
            raise values.malformed("The request body is not UTF-8.") from error
    if not body:
        return None
    return jsonbody.decode(member, jsonbody.read(body)) if protocol == "rest-json" else xmlbody.decode(member, xmlbody.read(body))
