"""`ask`: a question to a published site, answered with pinned citations."""

from __future__ import annotations

import asyncio

import click
from rich.console import Console

from agent.agent import Agent, Submission
from agent.answer import Answer, read_answer
from agent.models import extractive
from bridge_reader.site import SiteState
from note_bridge.answering import bridge, new_id
from note_bridge.commands.reading import JSON, REVISION, tell_state
from note_bridge.console import Exit, Output, output
from note_bridge.group import cli
from storage.stores.evidence import Evidence

EXIT_BY_STATUS = {
    "completed": Exit.DONE,
    "not_found": Exit.NO,
    "failed": Exit.COULD_NOT,
    "cancelled": Exit.COULD_NOT,
}


@cli.command()
@click.argument("site")
@click.argument("question")
@click.option("--model", default=extractive.NAME, show_default=True)
@click.option("--session", default="", help="Go on in this session instead of a new one.")
@REVISION
@JSON
def ask(site: str, question: str, model: str, session: str, revision: str, as_json: bool) -> int:
    """Ask SITE (an address or a folder) a QUESTION. Exit code 1: the notes do not answer."""
    said = output(as_json=as_json)
    with said.progress("Asking"):
        state, answer = asyncio.run(_ask(site, question, model, session or new_id(), revision))
    tell_state(said, state)
    said.result(answer.document(), lambda console: show_answer(console, said, answer))
    return EXIT_BY_STATUS[answer.status]


async def _ask(
    address: str, question: str, model: str, session_id: str, revision: str
) -> tuple[SiteState, Answer]:
    async with bridge() as parts:
        # What an earlier process left unfinished is finished first: it was accepted.
        for run_id in await parts.agent.recover():
            await parts.agent.wait(run_id)
        site = parts.sites.at(address)
        state = await site.refresh()
        if revision:
            # Before anything is accepted: a revision that is not there is a wrong question.
            await site.bind(revision)
        await parts.storage.write(
            lambda tx: parts.storage.sessions.create(
                tx,
                session_id,
                knowledge_base_id=state.manifest.knowledgeBaseId,
                manifest_address=address,
                title=question[:80],
            )
        )
        submission = Submission(
            session_id=session_id,
            client_request_id=new_id(),
            text=question,
            model=model,
            revision=revision or state.revision,
        )
        run_id = (await parts.agent.submit(submission)).run_id
        await _until_done(parts.agent, run_id)
        return state, await read_answer(parts.storage, run_id)


async def _until_done(agent: Agent, run_id: str) -> None:
    """Waits; Ctrl+C stops the run, which then says so itself."""
    try:
        await agent.wait(run_id)
    except asyncio.CancelledError:
        await agent.cancel(run_id)
        raise


def _place(evidence: Evidence) -> str:
    """Where a passage stands: the note's title, and the headings below it."""
    path = evidence.heading_path
    return " > ".join((evidence.title, *(path[1:] if path[:1] == (evidence.title,) else path)))


def show_answer(console: Console, said: Output, answer: Answer) -> None:
    """Prints an answer for a person: the words, then each citation with its place."""
    if answer.message:
        said.warning(f"{answer.run.error_code}: {answer.message}")
    console.print(answer.text, markup=False, highlight=False)
    for cited in answer.citations:
        mark = "verified" if cited.verified else "not verified"
        console.print()
        console.print(
            f"[{cited.citation.n}] {_place(cited.evidence)} ({mark})",
            style="bold" if cited.verified else "yellow",
            markup=False,
            highlight=False,
        )
        console.print(cited.evidence.url, style="dim", markup=False, highlight=False)
    if answer.dropped:
        said.warning(f"{answer.dropped} citations named no evidence and were left out")
    console.print()
    console.print(f"revision {answer.run.revision}", style="dim", markup=False, highlight=False)
    console.print(f"run {answer.run.id}", style="dim", markup=False, highlight=False)
