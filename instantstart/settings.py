"""Settings, all from the environment (12-factor); the defaults run everything on one machine."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path
from typing import Any

import environ

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# Where everything that is kept goes: database, logs, the sandbox's state, the secret key.
STATE_DIR = Path(env.str("INSTANTSTART_STATE_DIR", default=str(BASE_DIR / "var"))).resolve()


def _secret_key() -> str:
    """The key of this installation: from the environment, else made once and kept, readable by its owner alone."""
    given: str = env.str("INSTANTSTART_SECRET_KEY", default="")
    if given:
        return given
    from instantstart.secret_key import kept_secret_key

    return kept_secret_key(STATE_DIR)


SECRET_KEY = _secret_key()
DEBUG: bool = env.bool("INSTANTSTART_DEBUG", default=False)
ALLOWED_HOSTS: list[str] = env.list("INSTANTSTART_ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", "testserver"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("INSTANTSTART_TRUSTED_ORIGINS", default=[])
BEHIND_TLS: bool = env.bool("INSTANTSTART_BEHIND_TLS", default=False)
"""Whether a proxy in front speaks TLS: then cookies are secure and the forwarded scheme is believed."""

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "django_htmx",
    "csp",
    "channels",
    "instantstart",
    "accounts",
    "operations",
    "clusters",
    "agentapi",
    "django_q",  # behind operations, whose `qcluster` command goes before its
]

MIDDLEWARE = [
    "instantstart.api.request_id.RequestIdMiddleware",
    "instantstart.metrics.LatencyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "instantstart.static_files.StaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "instantstart.urls"
ASGI_APPLICATION = "instantstart.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {"web": "instantstart.web.tags"},
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- database -------------------------------------------------------------------------------------------------------

DATABASES: dict[str, dict[str, Any]] = {"default": env.db("DATABASE_URL", default=f"sqlite:///{STATE_DIR / 'instantstart.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Without IMMEDIATE a read-then-write transaction fails at once when another process writes (SQLITE_BUSY on upgrade).
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Connections belong to the threads of the web processes' pool (instantstart/handlers.py), of which there are WEB_THREADS.
DATABASES["default"]["CONN_MAX_AGE"] = 60
WEB_THREADS: int = env.int("INSTANTSTART_WEB_THREADS", default=32)
"""Calls that one web process answers at a time, and the most database connections it keeps; calls that wait come on top and keep none."""
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- queue and channel layer ----------------------------------------------------------------------------------------

REDIS_URL: str = env.str("REDIS_URL", default="")
WORKERS: int = env.int("INSTANTSTART_WORKERS", default=2)
Q_CLUSTER: dict[str, Any] = {
    "name": "instantstart",
    "workers": WORKERS,
    "poll": 0.2,
    "bulk": 1,
    "queue_limit": 4,
    "timeout": 110,
    "retry": 120,
    "max_attempts": 1,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": 200,
}
if REDIS_URL:
    Q_CLUSTER["redis"] = REDIS_URL
    CHANNEL_LAYERS: dict[str, Any] = {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}}
else:
    Q_CLUSTER["orm"] = "default"
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

# --- people ---------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
KNOX_TOKEN_MODEL = "accounts.ApiToken"  # noqa: S105  (a model)
REST_KNOX: dict[str, Any] = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_PREFIX": "is_", "TOKEN_TTL": None}
AUTHENTICATION_BACKENDS = ["accounts.backends.ThrottledBackend"]
TOKEN_DEFAULT_DAYS: int = env.int("INSTANTSTART_TOKEN_DEFAULT_DAYS", default=90)
TOKEN_MAX_DAYS: int = env.int("INSTANTSTART_TOKEN_MAX_DAYS", default=366)
LOGIN_URL = "accounts-web:sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = LOGIN_URL
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    },
}

# --- REST -----------------------------------------------------------------------------------------------------------

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.api.authentication.TokenAuthentication",
        "accounts.api.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.api.permissions.RolePermission"],
    "DEFAULT_PAGINATION_CLASS": "instantstart.api.paging.CursorPaging",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "instantstart.api.schema.Schema",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["instantstart.api.parser.ObjectParser"],
    "EXCEPTION_HANDLER": "instantstart.api.errors.problem_handler",
    "PAGE_SIZE": 50,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "InstantStart",
    "DESCRIPTION": "Control plane for AI infrastructure on Amazon EKS and SageMaker HyperPod.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    # Without it Swagger asks a validator on the internet about schemas that are not on localhost.
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "validatorUrl": None},
    "ENUM_NAME_OVERRIDES": {
        "Role": "accounts.choices.Role",
        "AuditOutcome": "accounts.choices.AuditOutcome",
        "OperationState": "operations.choices.OperationState",
        "StepState": "operations.choices.StepState",
        "Category": "operations.choices.Category",
        "Channel": "operations.choices.Channel",
        "EventLevel": "operations.models.event.Level",
        "AlertKind": "operations.models.alert.AlertKind",
        "DeliveryStatus": "operations.models.webhook.DeliveryStatus",
        "PhaseName": "clusters.choices.PhaseName",
        "ShownState": "clusters.choices.State",
        "DependencyState": "clusters.choices.DependencyState",
        "FeatureState": "clusters.choices.FeatureState",
        "PartState": "clusters.choices.PartState",
        "ResolvedOutcome": ["succeeded", "failed"],
    },
}

# --- static files ---------------------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True

# --- how the control plane works ------------------------------------------------------------------------------------

POLL_TRANSITION: float = env.float("INSTANTSTART_POLL_TRANSITION", default=12.0)
"""Seconds between two looks at something that is changing."""
POLL_STEADY: float = env.float("INSTANTSTART_POLL_STEADY", default=90.0)
"""Seconds between two looks at something that is not; jittered by a quarter."""
DISPATCH_INTERVAL: float = env.float("INSTANTSTART_DISPATCH_INTERVAL", default=0.2)
LEASE_SECONDS: float = env.float("INSTANTSTART_LEASE_SECONDS", default=60.0)
"""How long a worker owns an operation without renewing; longer than the longest external call."""
AWS_CONNECT_TIMEOUT: float = env.float("INSTANTSTART_AWS_CONNECT_TIMEOUT", default=3.0)
AWS_READ_TIMEOUT: float = env.float("INSTANTSTART_AWS_READ_TIMEOUT", default=20.0)
AWS_RATE: float = env.float("INSTANTSTART_AWS_RATE", default=10.0)
"""Calls per second for each account, region and service (observers; a person's own calls borrow ahead)."""
HELM_SECONDS: float = env.float("INSTANTSTART_HELM_SECONDS", default=40.0)
"""The longest that one run of Helm may take; with 8 s to end it, shorter than the lease."""
RETENTION_DAYS: int = env.int("INSTANTSTART_RETENTION_DAYS", default=180)
METRICS_TOKEN: str = env.str("INSTANTSTART_METRICS_TOKEN", default="")
"""Needed as a bearer token to read /metrics, when set."""
WEBHOOK_NETWORKS: list[str] = [str(ip_network(text.strip())) for text in env.list("INSTANTSTART_WEBHOOK_NETWORKS", default=[])]
"""Networks ("10.20.0.0/16") off the internet that webhooks may reach all the same, by plain HTTP too; none by default."""
PUBLIC_URL: str = env.str("INSTANTSTART_PUBLIC_URL", default="").rstrip("/")
"""Where people reach the pages ("https://ops.example.com"), for links in what is sent to webhooks; "": no links."""
APPROVAL_HOURS: float = env.float("INSTANTSTART_APPROVAL_HOURS", default=24.0)
"""How long an agent's change waits for a person's word before it expires."""
AGENT_COST_PER_HOUR: float | None = env.float("INSTANTSTART_AGENT_COST_PER_HOUR", default=None)
"""US dollars an hour: an agent's change that adds more, or of which that is not known, waits for a person. None: no such limit. An admin's
choice on the page of agents comes before it."""
IDEMPOTENCY_HOURS: int = env.int("INSTANTSTART_IDEMPOTENCY_HOURS", default=48)
ROLE_SESSION_NAME: str = env.str("INSTANTSTART_ROLE_SESSION_NAME", default="instantstart")
"""How CloudTrail names this installation's sessions in further accounts."""
DEFAULT_REGION: str = env.str("AWS_REGION", default=env.str("AWS_DEFAULT_REGION", default="us-west-2"))
PUBLIC_ADDRESS: str = env.str("INSTANTSTART_PUBLIC_ADDRESS", default="auto")
"""The IPv4 address that AWS sees this control plane under; "auto": asked for where it can be told, "none": never told."""
HYPERPOD_KUBERNETES_VERSIONS: list[str] = env.list(
    "INSTANTSTART_HYPERPOD_KUBERNETES_VERSIONS", default=["1.31", "1.32", "1.33", "1.34", "1.35", "1.36"]
)
DEPENDENCIES_CHART: str = env.str("INSTANTSTART_DEPENDENCIES_CHART", default=str(BASE_DIR / "deploy" / "charts" / "hyperpod-dependencies"))

KUBERAY_CHART: str = env.str("INSTANTSTART_KUBERAY_CHART", default="")
"""Path or OCI reference of KubeRay's chart; none is shipped, so `kuberay` is refused with a sentence while this is empty."""

# --- agents (/mcp) ---------------------------------------------------------------------------------------------------

MCP_CALLS_A_MINUTE: int = env.int("INSTANTSTART_MCP_CALLS_A_MINUTE", default=600)
"""Calls of one token a minute, in each web process."""
MCP_CALLS_AT_ONCE: int = env.int("INSTANTSTART_MCP_CALLS_AT_ONCE", default=8)
"""Calls of one token that are answered at a time, in each web process."""
MCP_CALLS_IN_ALL: int = env.int("INSTANTSTART_MCP_CALLS_IN_ALL", default=64)
MCP_LARGEST_BODY: int = env.int("INSTANTSTART_MCP_LARGEST_BODY", default=262_144)
"""Bytes of one call."""

# --- logs -----------------------------------------------------------------------------------------------------------

from instantstart.logs import logging_config  # noqa: E402  (needs nothing of Django; here so that it reads the values above)

LOG_JSON: bool = env.bool("INSTANTSTART_LOG_JSON", default=not DEBUG)
LOGGING = logging_config(json_lines=LOG_JSON, level=env.str("INSTANTSTART_LOG_LEVEL", default="INFO"))
