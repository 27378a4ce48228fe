"""Assembles what asks people, takes their answers, and watches their deadlines."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Self

from nanoclaw.context.mounts import list_path
from nanoclaw.delivery.enclosed import EnclosedDocuments
from nanoclaw.durable.clock import now
from nanoclaw.flows.deadline import Deadlines
from nanoclaw.flows.human import cards as cards_of
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.commands import QuestionCommands
from nanoclaw.flows.human.conclusions import Conclusions
from nanoclaw.flows.human.deciders import Whereabouts
from nanoclaw.flows.human.decisions import Decisions
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.human.permissions import Permissions
from nanoclaw.flows.human.questions import Questions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.session_ends import SessionEnds
from nanoclaw.flows.human.session_requests import SessionRequests
from nanoclaw.flows.human.session_tool import SessionTool
from nanoclaw.flows.human.text_answers import PlanAnswers, TextAnswers
from nanoclaw.flows.human.waits import Waits
from nanoclaw.flows.live.overtime import Overtime
from nanoclaw.flows.live.terminal_transcripts import TerminalTranscripts
from nanoclaw.flows.tasks import cards as task_cards
from nanoclaw.host.admission import Admission
from nanoclaw.host.allowed_models import allowed_models
from nanoclaw.host.base import Base
from nanoclaw.sandbox.copies import Copies
from nanoclaw.sandbox.named_files import NamedFiles
from nanoclaw.sandbox.outcome_checks import OutcomeChecks
from nanoclaw.times.quiet import read_quiet


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionParts:
    questions: Questions
    new_questions: NewQuestions
    question_decisions: Decisions
    resolution: Resolution
    whereabouts: Whereabouts
    text_answers: TextAnswers
    permissions: Permissions
    deadlines: Deadlines
    overtime: Overtime
    waits: Waits
    copies: Copies
    documents: EnclosedDocuments
    conclusions: Conclusions
    session_ends: SessionEnds
    session_requests: SessionRequests
    session_tool: SessionTool

    @classmethod
    def of(cls, base: Base, admission: Admission, plan_answers: PlanAnswers, *, page: str = "") -> Self:
        """`page` is the address of the console."""
        settings, store, engine = base.settings, base.store, base.engine
        home, groups = base.home, base.groups
        limits = settings.questions
        quiet = read_quiet(limits.quiet) if limits.quiet else None
        whereabouts = Whereabouts(locale=settings.locale, quiet=quiet)
        waits, copies = Waits(limits.most_waiting), Copies(home)
        cards = QuestionCards(whereabouts, groups, page)
        resolution = Resolution(cards, settings.locale)
        new_questions = NewQuestions(cards=cards, waits=waits)
        session_ends = SessionEnds(cards=cards, resolution=resolution)
        question_decisions = Decisions(
            cards=cards,
            resolution=resolution,
            new_questions=new_questions,
            session_ends=session_ends,
            locale=settings.locale,
        )
        checks = OutcomeChecks()
        conclusions = Conclusions(
            store=store,
            decisions=question_decisions,
            session_ends=session_ends,
            checks=checks,
            said_at_terminal=TerminalTranscripts(home=home, store=store).of,
        )
        usual_timeout = timedelta(minutes=limits.timeout_minutes)
        session_requests = SessionRequests(
            home=home,
            mounts_list=list_path(),
            checks=checks,
            models=partial(allowed_models, settings, groups),
            usual_timeout=usual_timeout,
        )
        questions = Questions(
            store=store,
            engine=engine,
            new_questions=new_questions,
            waits=waits,
            copies=copies,
            session_requests=session_requests,
            locale=settings.locale,
            usual_timeout=usual_timeout,
            hold=limits.hold_minutes * 60,
        )
        overtime = Overtime(cards=cards, grace=timedelta(seconds=limits.conclude_seconds))
        deadlines = Deadlines(
            store=store,
            engine=engine,
            cards=cards,
            resolution=resolution,
            waits=waits,
            overtime=overtime,
            conclusions=conclusions,
            not_before=now() + timedelta(seconds=limits.grace_seconds),
        )
        commands = QuestionCommands(question_decisions, cards, resolution)
        admission.commands.learn(commands.answers(), stopped=commands.stopped)
        return cls(
            questions=questions,
            new_questions=new_questions,
            question_decisions=question_decisions,
            resolution=resolution,
            whereabouts=whereabouts,
            text_answers=TextAnswers(question_decisions, admission.message_admission, plan_answers),
            permissions=Permissions(
                store=store,
                questions=questions,
                groups=groups,
                locale=settings.locale,
                files=NamedFiles(home=home),
            ),
            deadlines=deadlines,
            overtime=overtime,
            waits=waits,
            copies=copies,
            documents=EnclosedDocuments(
                store=store,
                folder=copies.folder,
                makers={cards_of.DOCUMENT: cards_of.document_of, task_cards.DOCUMENT: task_cards.document_of},
            ),
            conclusions=conclusions,
            session_ends=session_ends,
            session_requests=session_requests,
            session_tool=SessionTool(
                store=store, questions=questions, session_requests=session_requests, resolution=resolution
            ),
        )
