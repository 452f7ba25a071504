"""Routes of clusters and of the catalogue."""

from importlib.util import find_spec

from django.urls import include, path
from rest_framework.routers import SimpleRouter

from clusters.api import configs, cost, features, groups, nodes, rules, software, views

router = SimpleRouter(use_regex_path=False)
router.register("clusters", views.ClusterViewSet, basename="cluster")

PARTS = {
    "phases": views.PhaseViewSet,
    "nodes": nodes.NodeViewSet,
    "events": views.ClusterEventViewSet,
    "dependencies": views.DependencyViewSet,
    "resources": views.ResourceViewSet,
}

urlpatterns = [
    path("", include("clusters.diagnosis.api.urls")),
    *(path(f"clusters/<slug:name>/{part}/", view.as_view({"get": "list"}), name=f"cluster-{part}") for part, view in PARTS.items()),
    path(
        "clusters/<slug:name>/groups/",
        groups.InstanceGroupViewSet.as_view({"get": "list", "post": "create"}),
        name="cluster-groups",
    ),
    path(
        "clusters/<slug:name>/groups/<slug:group>/",
        groups.InstanceGroupViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
        name="cluster-group",
    ),
    path(
        "clusters/<slug:name>/groups/<slug:group>/replacement/",
        groups.InstanceGroupViewSet.as_view({"post": "replace"}),
        name="cluster-group-replacement",
    ),
    path("", include("clusters.node_groups.api.urls")),
    path("clusters/<slug:name>/nodes/batch/<slug:verb>/", nodes.NodeBatchView.as_view(), name="cluster-nodes-batch"),
    path(
        "clusters/<slug:name>/nodes/<slug:node>/",
        nodes.NodeViewSet.as_view({"get": "retrieve", "delete": "destroy"}),
        name="cluster-node",
    ),
    path("clusters/<slug:name>/nodes/<slug:node>/<slug:verb>/", nodes.NodeVerbView.as_view(), name="cluster-node-verb"),
    path("clusters/<slug:name>/phases/<slug:phase>/retry/", views.PhaseRetryView.as_view(), name="cluster-phase-retry"),
    path(
        "clusters/<slug:name>/features/",
        features.FeatureViewSet.as_view({"get": "list", "patch": "change"}),
        name="cluster-features",
    ),
    path(
        "clusters/<slug:name>/features/<slug:feature>/",
        features.FeatureViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="cluster-feature",
    ),
    path("clusters/<slug:name>/software-updates/", software.SoftwareUpdateView.as_view(), name="cluster-software-updates"),
    path("clusters/<slug:name>/raw/", views.ClusterRawView.as_view(), name="cluster-raw"),
    path("clusters/<slug:name>/prefer/", views.ClusterPreferView.as_view(), name="cluster-prefer"),
    path("clusters/<slug:name>/protection/", views.ClusterProtectionView.as_view(), name="cluster-protection"),
    path("clusters/<slug:name>/export/", configs.ClusterExportView.as_view(), name="cluster-export"),
    path("cluster-configs/", configs.ClusterConfigsView.as_view(), name="cluster-configs"),
    path("", include("clusters.api.quota_urls")),
    path("", include("clusters.api.import_urls")),
    path("cost/", cost.CostView.as_view(), name="cost"),
    path("rules/", rules.RulesView.as_view(), name="rules"),
    path("", include("clusters.accounts.api.urls")),
    path("", include("clusters.api.drift_urls")),
    path("", include("clusters.api.stack_urls")),
    path("", include("clusters.api.orphan_urls")),
    *router.urls,
]
if find_spec("clusters.api.catalog_urls"):
    urlpatterns.append(path("", include("clusters.api.catalog_urls")))
