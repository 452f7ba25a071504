"""A Kubernetes API of a test's own: real TLS on a free port, answers by a function."""

from __future__ import annotations

import base64
import datetime as dt
import ipaddress
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from instantstart.kube.target import KubeTarget


@dataclass
class Asked:
    method: str
    path: str
    query: dict[str, str]
    token: str
    content_type: str
    body: Any


@dataclass
class ApiServer:
    target: KubeTarget
    asked: list[Asked] = field(default_factory=list)
    answer: Callable[[Asked], tuple[int, Any]] = lambda _asked: (200, {})
    """Status and body: JSON, or bytes for another kind of server, or an iterator of lines for a watch."""


def certificate(folder: Path) -> tuple[Path, str]:
    """A certificate for 127.0.0.1 that signs itself: path of key and certificate in one file, and the PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    file = folder / "server.pem"
    plain = serialization.NoEncryption()
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain) + pem)
    return file, pem.decode()


@contextmanager
def api_server(folder: Path) -> Iterator[ApiServer]:
    file, pem = certificate(folder)
    made: list[ApiServer] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            url = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            asked = Asked(self.command, url.path, dict(parse_qsl(url.query)), token, self.headers.get("Content-Type") or "", body)
            made[0].asked.append(asked)
            status, said = made[0].answer(asked)
            self.send_response(status)
            if isinstance(said, bytes | dict):
                raw = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
                return
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for line in said:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - the names that http.server calls

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    endpoint = f"https://127.0.0.1:{server.server_address[1]}"
    made.append(ApiServer(KubeTarget("demo", "us-west-2", endpoint, base64.b64encode(pem.encode()).decode())))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made[0]
    finally:
        server.shutdown()
        server.server_close()


def status(reason: str, code: int, message: str = "") -> tuple[int, dict[str, Any]]:
    """A refusal as the API server words it."""
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message or reason, "code": code}
