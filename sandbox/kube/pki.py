"""The certificates and keys of a sandbox's control planes: made once, kept in one folder.

One CA signs the serving certificate and the client certificates; the front proxy has a CA of its own, without which the apiserver
refuses to start. Service accounts' tokens are signed with an RSA key that all control planes share.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SERVICE_ADDRESS = "172.20.0.1"
_LIFETIME = dt.timedelta(days=3650)
_SKEW = dt.timedelta(minutes=5)


@dataclass(frozen=True)
class Pki:
    """The files in `folder`, PEM: `<name>.crt` and `<name>.key`."""

    folder: Path

    def certificate(self, name: str) -> Path:
        return self.folder / f"{name}.crt"

    def key(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    @property
    def ca_pem(self) -> str:
        return self.certificate("ca").read_text()


@dataclass(frozen=True)
class _Pair:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def ensure(folder: Path) -> Pki:
    """The PKI in `folder`, made when it is not there. The last file written marks it whole."""
    pki = Pki(folder)
    if pki.key("service-account").exists():
        return pki
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    ca = _issue("kubernetes")
    front_proxy_ca = _issue("front-proxy-ca")
    names: list[x509.GeneralName] = [
        *(x509.DNSName(name) for name in dict.fromkeys(("localhost", socket.gethostname(), "kubernetes.default.svc"))),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in ("127.0.0.1", SERVICE_ADDRESS)),
    ]
    pairs = {
        "ca": ca,
        "server": _issue("kube-apiserver", issuer=ca, alternative_names=names),
        "admin": _issue("sandbox", ("system:masters",), issuer=ca, client=True),
        "controller-manager": _issue("system:kube-controller-manager", issuer=ca, client=True),
        "scheduler": _issue("system:kube-scheduler", issuer=ca, client=True),
        "front-proxy-ca": front_proxy_ca,
        "front-proxy": _issue("front-proxy-client", issuer=front_proxy_ca, client=True),
    }
    for name, pair in pairs.items():
        pki.certificate(name).write_bytes(pair.certificate.public_bytes(serialization.Encoding.PEM))
        _write_key(pki.key(name), pair.key)
    _write_key(pki.key("service-account"), rsa.generate_private_key(public_exponent=65537, key_size=2048))
    return pki


def _issue(
    common_name: str,
    organizations: Sequence[str] = (),
    *,
    issuer: _Pair | None = None,
    alternative_names: Sequence[x509.GeneralName] = (),
    client: bool = False,
) -> _Pair:
    """A certificate with a new key; without an issuer a CA that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
            *(x509.NameAttribute(NameOID.ORGANIZATION_NAME, name) for name in organizations),
        ]
    )
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + _LIFETIME)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if issuer:
        usage = ExtendedKeyUsageOID.CLIENT_AUTH if client else ExtendedKeyUsageOID.SERVER_AUTH
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    if alternative_names:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternative_names), critical=False)
    return _Pair(builder.sign(issuer.key if issuer else key, hashes.SHA256()), key)


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> None:
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    temporary = path.with_suffix(".new")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(pem)
    temporary.rename(path)
