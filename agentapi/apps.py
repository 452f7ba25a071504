from django.apps import AppConfig


class AgentApiConfig(AppConfig):
    name = "agentapi"
    verbose_name = "Agents"

    def ready(self) -> None:
        from agentapi.sets import TOOLSETS
        from instantstart import toolsets

        toolsets.tell(TOOLSETS)
