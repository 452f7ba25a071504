"""What CreateStack and UpdateStack have in common: template source, capabilities, tokens."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from sandbox.aws.cloudformation import stacks, template
from sandbox.aws.cloudformation.resources import base
from sandbox.aws.cloudformation.template import Template, error
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol.wire import FileSlice

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_TOKENS = "_cloudformation.token"
_TOKENS_KEPT = 2000


def body(context: Context, params: dict[str, Any]) -> str | None:
    """The template's text, from the request or the simulated S3. None when the request has none."""
    if params.get("TemplateBody") and params.get("TemplateURL"):
        raise error("Only one of TemplateBody and TemplateURL can be given.")
    if params.get("TemplateBody"):
        text = str(params["TemplateBody"])
        if len(text.encode()) > template.BODY_LIMIT:
            raise error(
                "1 validation error detected: Value at 'templateBody' failed to satisfy constraint: "
                f"Member must have length less than or equal to {template.BODY_LIMIT}"
            )
        return text
    if params.get("TemplateURL"):
        return _from_s3(context, str(params["TemplateURL"]))
    return None


def _from_s3(context: Context, url: str) -> str:
    parts = urlsplit(url)
    host, path = parts.hostname or "", unquote(parts.path.lstrip("/"))
    match = re.fullmatch(r"(.+)\.s3[.-].*amazonaws\.com", host)
    bucket, _, key = (match[1], "", path) if match else path.partition("/")
    if not bucket or not key:
        raise error("TemplateURL must be a supported URL.")
    try:
        content = context.call("s3", "GetObject", {"Bucket": bucket, "Key": key})["Body"]
    except AWSError as failure:
        raise error(f"S3 error: {failure.message}") from failure
    raw = content
    if isinstance(content, FileSlice):
        with content.path.open("rb") as file:
            file.seek(content.start)
            raw = file.read(min(content.length, template.URL_LIMIT + 1))
    if len(raw) > template.URL_LIMIT:
        raise error(f"Template may not exceed {template.URL_LIMIT} bytes in size.")
    return bytes(raw).decode()


def required_capabilities(parsed: Template) -> tuple[list[str], str]:
    """Which capabilities a template wants, and why. Empty when it wants none."""
    iam = {name: one for name, one in parsed["Resources"].items() if base.find(one["Type"]).is_iam}
    # OIDC providers are IAM's too, but give nobody rights, and CloudFormation asks for no capability.
    iam = {name: one for name, one in iam.items() if not one["Type"].endswith("OIDCProvider")}
    if not iam:
        return [], ""
    named = [one for one in iam.values() if one.get("Properties", {}).get(base.find(one["Type"]).custom_name)]
    needed = "CAPABILITY_NAMED_IAM" if named else "CAPABILITY_IAM"
    kinds = ", ".join(dict.fromkeys(one["Type"] for one in iam.values()))
    return [needed], f"The following resource(s) require capabilities: [{kinds}]"


def check_capabilities(parsed: Template, given: list[str]) -> None:
    needed, _ = required_capabilities(parsed)
    if needed and needed[0] not in given and "CAPABILITY_NAMED_IAM" not in given:
        raise AWSError("InsufficientCapabilitiesException", f"Requires capabilities : [{needed[0]}]")


def check_tags(tags: list[dict[str, str]]) -> None:
    if len(tags) > 50:
        raise error("Stack tags: at most 50 tags can be given.")
    for tag in tags:
        if tag["Key"].lower().startswith("aws:"):
            raise error(f"aws: prefixed tag key names are not allowed for external use; got {tag['Key']}")


def replay(context: Context, params: dict[str, Any]) -> str | None:
    """The stack id that an earlier request with this ClientRequestToken got, while that stack is there.

    A token counts for one stack's name. Errors: it came with another request for that stack already.
    """
    token = params.get("ClientRequestToken")
    if not token:
        return None
    found = context.world.store.get(_TOKENS, context.scope, _key(params))
    if found is None or context.world.store.get(stacks.KIND, context.scope, found["stack"]) is None:
        return None
    if found["fingerprint"] != _fingerprint(context, params):
        raise AWSError("TokenAlreadyExistsException", f"A client request token {token} was used with another request already.")
    return str(found["stack"])


def remember(context: Context, params: dict[str, Any], stack_id: str) -> None:
    if not params.get("ClientRequestToken"):
        return
    store = context.world.store
    store.put(_TOKENS, context.scope, _key(params), {"stack": stack_id, "fingerprint": _fingerprint(context, params)})
    for old in store.keys(_TOKENS, context.scope)[:-_TOKENS_KEPT]:
        store.delete(_TOKENS, context.scope, old)


def _key(params: dict[str, Any]) -> str:
    name = str(params["StackName"])
    return f"{name.split('/')[1] if name.startswith('arn:') else name} {params['ClientRequestToken']}"


def _fingerprint(context: Context, params: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps([context.operation, params], sort_keys=True, default=str).encode()).hexdigest()
