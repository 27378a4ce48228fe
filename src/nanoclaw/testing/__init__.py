"""What tests are made with, for this project and for those who build on it: only the far ends are played."""

from nanoclaw.testing.far_end import FarEnd, Sent
from nanoclaw.testing.host import made_workspace, started_host
from nanoclaw.testing.model import ScriptedModel

__all__ = ["FarEnd", "ScriptedModel", "Sent", "made_workspace", "started_host"]
