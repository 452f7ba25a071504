"""AWS::Logs::LogGroup."""

from __future__ import annotations

from typing import Any

from sandbox.aws.cloudformation.resources.base import Properties, ResourceType, Work, changed_tags, number, resource_type


@resource_type
class LogGroup(ResourceType):
    name = "AWS::Logs::LogGroup"
    service = "CloudWatchLogs"
    optional = frozenset({"LogGroupName", "RetentionInDays", "LogGroupClass", "Tags"})
    immutable = frozenset({"LogGroupName", "LogGroupClass"})
    custom_name = "LogGroupName"

    def create(self, work: Work) -> str:
        name = str(work.properties.get("LogGroupName") or work.invented_name(512))
        params = {"logGroupName": name, "tags": work.tag_map(), "logGroupClass": work.properties.get("LogGroupClass")}
        work.call("logs", "CreateLogGroup", params)
        self._retention(work, name)
        return name

    def _retention(self, work: Work, name: str) -> None:
        days = number(work.properties.get("RetentionInDays"))
        if days is not None:
            work.call("logs", "PutRetentionPolicy", {"logGroupName": name, "retentionInDays": days})

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        if before.get("RetentionInDays") != work.properties.get("RetentionInDays"):
            if work.properties.get("RetentionInDays") is None:
                work.call("logs", "DeleteRetentionPolicy", {"logGroupName": work.physical_id})
            else:
                self._retention(work, work.physical_id)
        setting, unwanted = changed_tags(work, tags_before)
        arn = self._arn(work).removesuffix(":*")
        if setting:
            work.call("logs", "TagResource", {"resourceArn": arn, "tags": {tag["Key"]: tag["Value"] for tag in setting}})
        if unwanted:
            work.call("logs", "UntagResource", {"resourceArn": arn, "tagKeys": unwanted})

    @staticmethod
    def _arn(work: Work) -> str:
        return work.context.arn("logs", f"log-group:{work.physical_id}:*")

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"Arn": self._arn(work)}

    def delete(self, work: Work) -> None:
        work.call("logs", "DeleteLogGroup", {"logGroupName": work.physical_id})
