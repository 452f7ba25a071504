"""Routes of the pages of AWS accounts."""

from django.urls import path

from clusters.accounts.web import views

urlpatterns = [
    path("aws-accounts/", views.account_list, name="aws-accounts"),
    path("aws-accounts/new/", views.account_new, name="aws-account-new"),
    path("aws-accounts/<slug:name>/test/", views.account_test, name="aws-account-test"),
    path("aws-accounts/<slug:name>/remove/", views.account_remove, name="aws-account-remove"),
]
