"""Routes of stacks."""

from django.urls import path

from clusters.api.stacks import StackViewSet

urlpatterns = [
    path("clusters/<slug:name>/stacks/", StackViewSet.as_view({"get": "list"}), name="cluster-stacks"),
    path("clusters/<slug:name>/stacks/<slug:stack>/", StackViewSet.as_view({"get": "retrieve"}), name="cluster-stack"),
    *(
        path(f"clusters/<slug:name>/stacks/<slug:stack>/{verb}/", StackViewSet.as_view({"post": method}), name=f"cluster-stack-{verb}")
        for verb, method in (("compare", "compare"), ("update", "update_stack"), ("discard", "discard"))
    ),
]
