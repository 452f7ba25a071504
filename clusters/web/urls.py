"""Routes of the clusters' pages."""

from django.urls import include, path

from clusters.web import cost, features, from_config, group_change, groups, imports, nodes, quotas, rules, training_plans, views, wizard

app_name = "clusters-web"
urlpatterns = [
    path("", include("clusters.accounts.web.urls")),
    path("", views.cluster_list, name="list"),
    path("cost/", cost.cost, name="cost"),
    path("training-plans/", training_plans.training_plan_list, name="training-plans"),
    path("training-plans/buy/", training_plans.training_plan_buy, name="training-plan-buy"),
    path("quotas/", quotas.quota_list, name="quotas"),
    path("quotas/observe/", quotas.quota_observe, name="quota-observe"),
    path("quotas/<int:pk>/increase/", quotas.quota_increase, name="quota-increase"),
    path("rules/", rules.rule_list, name="rules"),
    path("new-cluster/", wizard.cluster_new, name="new"),
    path("new-cluster/from-config/", from_config.cluster_from_config, name="from-config"),
    path("clusters/<slug:name>/export/", from_config.cluster_export, name="export"),
    path("clusters/<slug:name>/", views.cluster_detail, name="detail"),
    path("clusters/<slug:name>/groups/new/", groups.group_new, name="group-new"),
    path("clusters/<slug:name>/groups/<slug:group>/change/", group_change.group_change, name="group-change"),
    path("clusters/<slug:name>/groups/<slug:group>/replace/", group_change.group_replace, name="group-replace"),
    path("clusters/<slug:name>/groups/<slug:group>/scale/", groups.group_scale, name="group-scale"),
    path("clusters/<slug:name>/groups/<slug:group>/delete/", groups.group_delete, name="group-delete"),
    path("", include("clusters.node_groups.web.urls")),
    path("clusters/<slug:name>/features/", features.feature_list, name="features"),
    path("clusters/<slug:name>/features/<slug:feature>/on/", features.feature_on, name="feature-on"),
    path("clusters/<slug:name>/features/<slug:feature>/off/", features.feature_off, name="feature-off"),
    path("clusters/<slug:name>/software/", groups.software_update, name="software"),
    path("clusters/<slug:name>/nodes/", nodes.node_list, name="nodes"),
    path("", include("clusters.diagnosis.web.urls")),
    path("clusters/<slug:name>/nodes/<slug:node>/", groups.node_detail, name="node"),
    path("clusters/<slug:name>/nodes/<slug:node>/<slug:verb>/", groups.node_verb, name="node-verb"),
    path("", include("clusters.web.drift_urls")),
    path("", include("clusters.web.stack_urls")),
    path("", include("clusters.web.orphan_urls")),
    path("clusters/<slug:name>/raw/", views.cluster_raw, name="raw"),
    path("clusters/<slug:name>/delete/", views.cluster_delete, name="delete"),
    path("clusters/<slug:name>/phases/<slug:phase>/retry/", views.phase_retry, name="retry"),
    path("clusters/<slug:name>/protect/", views.cluster_protect, name="protect"),
    path("import/", imports.import_list, name="import"),
    path("import/search/", imports.import_search, name="import-search"),
    path("import/review/", imports.import_review, name="import-review"),
    path("clusters/<slug:name>/adopt/", imports.cluster_adopt, name="adopt"),
    path("clusters/<slug:name>/forget/", imports.cluster_forget, name="forget"),
    path("clusters/<slug:name>/prefer/", views.cluster_prefer, name="prefer"),
]
