"""What agents can ask their host for, and who does it."""

from nanoclaw.context.founding import Founding
from nanoclaw.domain.ports import Mouth
from nanoclaw.flows.request import Requests
from nanoclaw.flows.sending.elsewhere import Elsewhere
from nanoclaw.flows.sending.messages import Sending
from nanoclaw.host.base import Base
from nanoclaw.host.humans import Humans
from nanoclaw.host.tasking import Tasking


def make_requests(base: Base, humans: Humans, tasking: Tasking, mouth: Mouth | None) -> Requests:
    locale = base.settings.locale
    sending = Sending(store=base.store, copies=humans.copies, locale=locale, mouth=mouth)
    return Requests(
        store=base.store,
        groups=base.groups,
        founding=Founding(base.home),
        elsewhere=Elsewhere(store=base.store, questions=humans.questions, groups=base.groups, locale=locale),
        locale=locale,
        acts={
            "send_message": sending.send_message,
            "send_file": sending.send_file,
            "request_human": humans.questions.answer,
            "schedule_task": tasking.tools.schedule,
            "list_tasks": tasking.tools.show,
            "change_task": tasking.tools.change,
            "background_task": tasking.background.answer,
        },
    )
