"""AWS. The only importer of boto3 and botocore.

`connect(region, account)` gives an Aws: `.read`, `.pages`, `.write`, `.identity`, `.eks_token`. Credentials and AWS_ENDPOINT_URL are
taken from the environment at that moment. Everything that goes wrong is a CloudError.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from instantstart.cloud.errors import CloudError

if TYPE_CHECKING:
    from collections.abc import Callable

    from instantstart.cloud.aws import Aws
    from instantstart.cloud.roles import Role


def connect(region: str, account: str = "", *, background: bool = False) -> Aws:
    """AWS in that region. No call is made. account: its twelve digits, "" for that of the installation's own credentials.

    An account that was added (clusters.accounts) is reached through its role; any other by the installation's own credentials.
    """
    from instantstart.cloud.aws import Aws
    from instantstart.cloud.roles import role_of

    return Aws(region, account, background=background, role=role_of(account))


def assume(region: str, role: Role) -> Aws:
    """AWS in that region as that role, whether its account is known or not: by a session of its own, so that the role is taken on
    again and not believed. No call is made."""
    from instantstart.cloud import sessions
    from instantstart.cloud.aws import Aws, forget_identity

    made = Aws(region, role=role)
    sessions.drop(made.surroundings)
    forget_identity(made)
    return made


def warm_up(region: str, then: Callable[[], None]) -> None:
    """Makes the clients that a plan needs, in a thread of its own: the first ones of a process take a second or two. Calls `then` there."""
    import threading

    from instantstart.cloud import sessions

    def make() -> None:
        surroundings = sessions.Surroundings.current()
        with suppress(CloudError):  # whoever needs one will be told
            for service in ("sts", "ec2", "eks", "sagemaker", "cloudformation", "iam", "service-quotas", "s3", "logs"):
                sessions.client(surroundings, region, service, write=False)
        then()

    threading.Thread(target=make, name="cloud-warm-up", daemon=True).start()


def forget() -> None:
    """Drops kept clients and identities, after the credentials were changed."""
    from instantstart.cloud import aws, sessions

    sessions.forget()
    aws.forget_identities()
