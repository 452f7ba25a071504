"""From a handler's result, or its error, to the HTTP reply."""

from __future__ import annotations

import json
from typing import Any

from botocore.model import OperationModel

from sandbox.aws import models
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol import codes, jsonbody, values, xmlbody
from sandbox.aws.protocol.wire import FileSlice, Reply

_XML = "text/xml;charset=UTF-8"
_S3_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
# Root elements of S3's replies where they are not the shape's name (S3 API reference)
_S3_ROOTS = {
    "ListBuckets": "ListAllMyBucketsResult",
    "ListObjects": "ListBucketResult",
    "ListObjectsV2": "ListBucketResult",
    "ListObjectVersions": "ListVersionsResult",
    "CreateMultipartUpload": "InitiateMultipartUploadResult",
    "CompleteMultipartUpload": "CompleteMultipartUploadResult",
    "DeleteObjects": "DeleteResult",
    "ListParts": "ListPartsResult",
    "ListMultipartUploads": "ListMultipartUploadsResult",
    "GetBucketTagging": "Tagging",
    "GetObjectTagging": "Tagging",
    "GetBucketVersioning": "VersioningConfiguration",
    "GetBucketLifecycleConfiguration": "LifecycleConfiguration",
    "GetBucketAcl": "AccessControlPolicy",
    "GetBucketCors": "CORSConfiguration",
}


def success(operation: OperationModel, result: dict[str, Any], request_id: str) -> Reply:
    protocol = operation.service_model.metadata["protocol"]
    if protocol in ("rest-json", "rest-xml"):
        return _rest(operation, result, request_id, protocol)
    headers = {"x-amzn-requestid": request_id}
    shape = operation.output_shape
    if protocol == "ec2":
        namespace = operation.service_model.metadata.get("xmlNamespace", "")
        inner = xmlbody.members(shape, result, ec2=True) if shape is not None else "<return>true</return>"
        body = f'<{operation.name}Response xmlns="{namespace}"><requestId>{request_id}</requestId>{inner}</{operation.name}Response>'
        return Reply(200, {**headers, "content-type": _XML}, _document(body))
    if protocol == "query":
        namespace = operation.service_model.metadata.get("xmlNamespace", "")
        inner = (
            xmlbody.encode(shape, result, shape.serialization.get("resultWrapper", f"{operation.name}Result")) if shape is not None else ""
        )
        body = (
            f'<{operation.name}Response xmlns="{namespace}">{inner}'
            f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata></{operation.name}Response>"
        )
        return Reply(200, {**headers, "content-type": _XML}, _document(body))
    version = operation.service_model.metadata.get("jsonVersion", "1.1")
    document = jsonbody.encode(shape, result) if shape is not None else {}
    return Reply(200, {**headers, "content-type": f"application/x-amz-json-{version}"}, _json(document))


def failure(service: str, error: AWSError, request_id: str, *, head: bool = False) -> Reply:
    """An error as the service's protocol has it. `head`: the answer to HEAD, which has no body."""
    protocol, status = _protocol(service), _status(service, error)
    code = codes.spelled(service, error.code)
    headers = {"x-amzn-requestid": request_id}
    if protocol == "ec2":
        body = (
            f"<Response><Errors><Error><Code>{xmlbody.text(code)}</Code><Message>{xmlbody.text(error.message)}</Message></Error></Errors>"
            f"<RequestID>{request_id}</RequestID></Response>"
        )
        return Reply(status, {**headers, "content-type": _XML}, _document(body))
    if protocol == "query":
        namespace = models.service(service).metadata.get("xmlNamespace", "")
        body = (
            f'<ErrorResponse xmlns="{namespace}"><Error><Type>{"Sender" if status < 500 else "Receiver"}</Type>'
            f"<Code>{xmlbody.text(code)}</Code><Message>{xmlbody.text(error.message)}</Message></Error>"
            f"<RequestId>{request_id}</RequestId></ErrorResponse>"
        )
        return Reply(status, {**headers, "content-type": _XML}, _document(body))
    if protocol == "rest-xml":
        extra = "".join(f"<{name}>{xmlbody.text(str(value))}</{name}>" for name, value in error.extra.items())
        body = (
            f"<Error><Code>{xmlbody.text(code)}</Code><Message>{xmlbody.text(error.message)}</Message>{extra}"
            f"<RequestId>{request_id}</RequestId><HostId>sandbox</HostId></Error>"
        )
        return Reply(status, {"x-amz-request-id": request_id, "content-type": "application/xml"}, b"" if head else _document(body))
    document = {"__type": code, "message": error.message, **error.extra}
    kind = "application/json" if protocol == "rest-json" else "application/x-amz-json-1.1"
    return Reply(status, {**headers, "content-type": kind, "x-amzn-errortype": code}, _json(document))


def _protocol(service: str) -> str:
    try:
        return str(models.service(service).metadata["protocol"])
    except models.UnknownServiceError:
        return "json"


def _status(service: str, error: AWSError) -> int:
    """The status given, else (the default of 400) the one that the model has for the code."""
    if error.status != 400:
        return error.status
    try:
        shapes = models.service(service).error_shapes
    except models.UnknownServiceError:
        return error.status
    for shape in shapes:
        if error.code in (shape.name, shape.metadata.get("error", {}).get("code")):
            return int(shape.metadata.get("error", {}).get("httpStatusCode", 400))
    return error.status


def _rest(operation: OperationModel, result: dict[str, Any], request_id: str, protocol: str) -> Reply:
    shape = operation.output_shape
    status = int(operation.http.get("responseCode", 200))
    headers = {"x-amzn-requestid": request_id} if protocol == "rest-json" else {"x-amz-request-id": request_id, "x-amz-id-2": "sandbox"}
    if shape is None:
        return Reply(status, headers)
    for name, member in shape.members.items():
        location, value = member.serialization.get("location"), result.get(name)
        if value is None:
            continue
        if location == "header":
            headers[member.serialization.get("name", name).lower()] = _header(member, value)
        elif location == "headers":
            headers |= {f"{member.serialization.get('name', '').lower()}{key}": str(item) for key, item in value.items()}
        elif location == "statusCode":
            status = int(value)
    payload = shape.serialization.get("payload")
    if payload is not None:
        return _payload(operation, shape.members[payload], payload, result, status, headers)
    if protocol == "rest-json":
        return Reply(status, {**headers, "content-type": "application/json"}, _json(jsonbody.encode(shape, result)))
    if not any("location" not in member.serialization for member in shape.members.values()):
        return Reply(status, headers)
    return Reply(status, {**headers, "content-type": "application/xml"}, _s3_document(operation, xmlbody.members(shape, result)))


def _payload(operation: OperationModel, member: Any, name: str, result: dict[str, Any], status: int, headers: dict[str, str]) -> Reply:
    value = result.get(name)
    if value is None:
        return Reply(status, headers)
    if member.type_name in ("blob", "string"):
        body: bytes | FileSlice = value.encode() if isinstance(value, str) else value
        return Reply(status, headers, body)
    if operation.service_model.metadata["protocol"] == "rest-json":
        return Reply(status, {**headers, "content-type": "application/json"}, _json(jsonbody.encode(member, value)))
    tag = member.serialization.get("name", member.name)
    body_text = xmlbody.encode(member, value, tag, attributes=f' xmlns="{_S3_NAMESPACE}"')
    return Reply(status, {**headers, "content-type": "application/xml"}, _document(body_text))


def _s3_document(operation: OperationModel, inner: str) -> bytes:
    if operation.name == "GetBucketLocation":  # the value itself is the root
        value = inner.removeprefix("<LocationConstraint>").removesuffix("</LocationConstraint>")
        return _document(f'<LocationConstraint xmlns="{_S3_NAMESPACE}">{value}</LocationConstraint>')
    shape = operation.output_shape
    root = _S3_ROOTS.get(operation.name) or (shape.name.removesuffix("Output") + "Result" if shape is not None else "Result")
    return _document(f'<{root} xmlns="{_S3_NAMESPACE}">{inner}</{root}>')


def _header(member: Any, value: Any) -> str:
    if member.type_name == "timestamp":
        return str(values.timestamp_text(value, member.serialization.get("timestampFormat", "rfc822")))
    if member.type_name == "boolean":
        return "true" if value else "false"
    if member.type_name == "list":
        return ",".join(str(item) for item in value)
    return str(value)


def _document(body: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}'.encode()


def _json(document: Any) -> bytes:
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
