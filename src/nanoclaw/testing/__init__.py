"""Test tools, for this project and for those who build on it: only the far ends are fakes."""

from nanoclaw.testing.database import made_database
from nanoclaw.testing.embeddings_server import EmbeddingsServer
from nanoclaw.testing.far_end import FarEnd, Sent
from nanoclaw.testing.handover import CountedHandover
from nanoclaw.testing.host import started_host
from nanoclaw.testing.masking import mask
from nanoclaw.testing.memory_index import MemoryIndex, memory_index
from nanoclaw.testing.model import ScriptedModel
from nanoclaw.testing.model_parts import Asked, Cut, Fail, Full, Garbage, Reply, Say, Think, Use, Wait
from nanoclaw.testing.model_server import ModelServer, echo
from nanoclaw.testing.slack_like import SlackLikeServer
from nanoclaw.testing.starter import made_workspace
from nanoclaw.testing.telegram.server import TelegramServer
from nanoclaw.testing.voice_server import VoiceServer
from nanoclaw.testing.voices import voice

__all__ = [
    "Asked",
    "CountedHandover",
    "Cut",
    "EmbeddingsServer",
    "Fail",
    "FarEnd",
    "Full",
    "Garbage",
    "MemoryIndex",
    "ModelServer",
    "Reply",
    "Say",
    "ScriptedModel",
    "Sent",
    "SlackLikeServer",
    "TelegramServer",
    "Think",
    "Use",
    "VoiceServer",
    "Wait",
    "echo",
    "made_database",
    "made_workspace",
    "mask",
    "memory_index",
    "started_host",
    "voice",
]
