"""Intrinsic functions: what a template's values become, given parameters, resources and exports."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Any

from sandbox.aws.cloudformation.template import Template, error


class _NoValue:
    """AWS::NoValue: what holds it disappears."""


NO_VALUE = _NoValue()


@dataclass
class Made:
    """A resource as far as it can be referred to."""

    physical_id: str
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass
class Resolver:
    template: Template
    parameters: Mapping[str, Any]
    pseudo: Mapping[str, Any]
    resources: Mapping[str, Made]
    exports: Callable[[str], str | None]
    zones: Callable[[str], list[str]]
    _conditions: dict[str, bool] = field(default_factory=dict)
    _under_way: set[str] = field(default_factory=set)

    def condition(self, name: str) -> bool:
        if name not in self._conditions:
            if name not in self.template.get("Conditions", {}):
                raise error(f"Template error: unresolved condition {name}")
            if name in self._under_way:
                raise error(f"Template error: Circular dependency between conditions: [{name}]")
            self._under_way.add(name)
            self._conditions[name] = self._truth(self.template["Conditions"][name])
            self._under_way.discard(name)
        return self._conditions[name]

    def _truth(self, value: Any) -> bool:
        result = self.value(value)
        if isinstance(result, bool):
            return result
        if result in ("true", "false"):
            return bool(result == "true")
        raise error(f"Template error: every condition must evaluate to true or false, not {result!r}")

    def value(self, value: Any) -> Any:
        """The value with every function worked out; members and items that are AWS::NoValue are left out."""
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            return [item for item in items if item is not NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name, argument) = next(iter(value.items()))
            if name == "Ref":
                return self._ref(argument)
            if name == "Condition" and isinstance(argument, str):
                return self.condition(argument)
            if isinstance(name, str) and name.startswith("Fn::"):
                return self._function(name[4:], argument)
        members = {key: self.value(inner) for key, inner in value.items()}
        return {key: inner for key, inner in members.items() if inner is not NO_VALUE}

    def _ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return NO_VALUE
        for known in (self.pseudo, self.parameters):
            if name in known:
                return known[name]
        made = self.resources.get(name)
        if made is None:
            raise error(f"Template format error: Unresolved resource dependencies [{name}] in the Resources block of the template")
        return made.physical_id

    def _get_att(self, argument: Any) -> Any:
        name, attribute = argument.split(".", 1) if isinstance(argument, str) else (argument[0], self.value(argument[1]))
        made = self.resources.get(name)
        if made is None:
            raise error(f"Template error: instance of Fn::GetAtt references undefined resource {name}")
        if attribute not in made.attributes:
            kind = self.template["Resources"][name]["Type"]
            raise error(f"Template error: resource {name} does not support attribute type {attribute} in Fn::GetAtt ({kind})")
        return made.attributes[attribute]

    def _function(self, name: str, argument: Any) -> Any:
        if name == "GetAtt":
            return self._get_att(argument)
        if name == "If":
            if not isinstance(argument, list) or len(argument) != 3:
                raise error("Template error: Fn::If requires a list argument with three elements")
            return self.value(argument[1] if self.condition(argument[0]) else argument[2])
        if name == "Sub":
            return self._sub(argument)
        method = getattr(self, f"_fn_{name.lower()}", None)
        if method is None:
            raise error(f"Template error: Fn::{name} is not simulated by the sandbox")
        return method(self.value(argument))

    def _sub(self, argument: Any) -> str:
        text, names = (argument, {}) if isinstance(argument, str) else (argument[0], self.value(argument[1]))
        if not isinstance(text, str):
            raise error("Template error: One or more Fn::Sub intrinsic functions don't specify expected arguments.")

        def fill(match: re.Match[str]) -> str:
            if match[1]:
                return "${" + match[2] + "}"
            name = match[2].strip()
            if name in names:
                found = names[name]
            elif "." in name and not name.startswith("AWS::"):
                found = self._get_att(name)
            else:
                found = self._ref(name)
            if isinstance(found, list | dict):
                raise error(f"Template error: variable {name} in Fn::Sub expression does not resolve to a string")
            return _text(found)

        return re.sub(r"\$\{(!?)([^}]+)\}", fill, text)

    def _fn_join(self, argument: Any) -> str:
        if not isinstance(argument, list) or len(argument) != 2 or not isinstance(argument[1], list):
            raise error(
                "Template error: every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of strings"
                " to be joined"
            )
        return str(argument[0]).join(_text(item) for item in argument[1])

    def _fn_select(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 2 or not isinstance(argument[1], list):
            raise error("Template error: Fn::Select requires a list argument with two elements: an integer index and a list")
        index, items = int(argument[0]), argument[1]
        if not 0 <= index < len(items):
            raise error(f"Template error: Fn::Select cannot select nonexistent value at index {index}")
        return items[index]

    def _fn_split(self, argument: Any) -> list[str]:
        return str(argument[1]).split(str(argument[0]))

    def _fn_getazs(self, argument: Any) -> list[str]:
        return self.zones(str(argument or self.pseudo["AWS::Region"]))

    def _fn_cidr(self, argument: Any) -> list[str]:
        block, count, bits = argument[0], int(argument[1]), int(argument[2]) if len(argument) > 2 else 8
        network = IPv4Network(block)
        if not 1 <= count <= 256:
            raise error("Template error: Fn::Cidr count must be between 1 and 256")
        if 32 - bits < network.prefixlen:
            raise error(f"Template error: Fn::Cidr: {block} is too small for blocks of {bits} bits")
        blocks = [str(one) for one, _ in zip(network.subnets(new_prefix=32 - bits), range(count), strict=False)]
        if len(blocks) < count:
            raise error(f"Template error: Fn::Cidr: {block} does not hold {count} blocks of {bits} bits")
        return blocks

    def _fn_findinmap(self, argument: Any) -> Any:
        found: Any = self.template.get("Mappings", {})
        for key in argument[:3]:
            if not isinstance(found, dict) or str(key) not in found:
                raise error(f"Template error: Unable to get mapping for {'::'.join(str(one) for one in argument[:3])}")
            found = found[str(key)]
        return found

    def _fn_importvalue(self, argument: Any) -> str:
        found = self.exports(str(argument))
        if found is None:
            raise error(f"No export named {argument} found.")
        return found

    def _fn_base64(self, argument: Any) -> str:
        return base64.b64encode(str(argument).encode()).decode()

    def _fn_equals(self, argument: Any) -> bool:
        return _text(argument[0]) == _text(argument[1])

    def _fn_not(self, argument: Any) -> bool:
        return not self._truth(argument[0])

    def _fn_and(self, argument: Any) -> bool:
        return all(self._truth(item) for item in argument)

    def _fn_or(self, argument: Any) -> bool:
        return any(self._truth(item) for item in argument)


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def prune(value: Any, resolver: Resolver) -> Any:
    """The value with each Fn::If replaced by its branch in force: what the other branch names is no dependency."""
    if isinstance(value, list):
        return [prune(item, resolver) for item in value]
    if isinstance(value, dict):
        if len(value) == 1 and "Fn::If" in value:
            argument = value["Fn::If"]
            return prune(argument[1] if resolver.condition(argument[0]) else argument[2], resolver)
        return {key: prune(inner, resolver) for key, inner in value.items()}
    return value
