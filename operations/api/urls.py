from django.urls import URLPattern, path
from rest_framework.routers import SimpleRouter

from operations.api import views
from operations.api.wait import waiting

router = SimpleRouter(use_regex_path=False)
router.register("operations", views.OperationViewSet, basename="operation")

urlpatterns = [
    path("operations/<uuid:operation_id>/events/", views.OperationEventViewSet.as_view({"get": "list"}), name="operation-events"),
    *router.urls,
]
for pattern in urlpatterns:
    if isinstance(pattern, URLPattern) and pattern.name == "operation-detail" and pattern.callback is not None:
        pattern.callback = waiting(pattern.callback)
