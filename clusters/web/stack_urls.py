"""Routes of the pages of stacks."""

from django.urls import path

from clusters.web import stacks

urlpatterns = [path("clusters/<slug:name>/stacks/<slug:stack>/<slug:verb>/", stacks.stack_change, name="stack")]
