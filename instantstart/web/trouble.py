"""Whether AWS can be used at all: two cheap reads, for the hint on the first page."""

from __future__ import annotations

from dataclasses import dataclass

from instantstart import cloud
from instantstart.cloud import errors
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import advice, sentence


@dataclass(frozen=True)
class Trouble:
    sentence: str
    advice: str


def find_trouble(region: str) -> Trouble | None:
    """None when there are credentials and AWS knows them."""
    try:
        aws = cloud.connect(region)
        if not aws.credentials_method():
            nothing = CloudError("sts", "credentials", errors.NO_CREDENTIALS, "there are none", sent=False)
            return Trouble("There are no AWS credentials.", advice(nothing))
        aws.identity()
    except CloudError as error:
        return Trouble(sentence(error), advice(error))
    return None
