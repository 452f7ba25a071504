from accounts.models.audit import AuditEntry
from accounts.models.preference import Preference
from accounts.models.sign_in import SignInAttempt
from accounts.models.token import ApiToken
from accounts.models.token_use import TokenUse
from accounts.models.user import User

__all__ = ["ApiToken", "AuditEntry", "Preference", "SignInAttempt", "TokenUse", "User"]
