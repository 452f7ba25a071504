"""Routes of the account pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from accounts.web import views

app_name = "accounts-web"
urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("account/tokens/", views.token_list, name="tokens"),
    path("account/tokens/<uuid:uid>/revoke/", views.token_revoke, name="token-revoke"),
    path("account/tokens/<uuid:uid>/limits/", views.token_limits, name="token-limits"),
    path("account/password/", views.password, name="password"),
    path("users/", views.user_list, name="users"),
    path("users/<int:pk>/", views.user_change, name="user-change"),
    path("audit/", views.audit_trail, name="audit"),
]
