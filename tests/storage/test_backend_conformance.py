"""What every backend does alike. Each test runs on all of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Backend, Conflict, MissingReference, ReadTx, Tx
from storage.schema import PRESENT, Row

if TYPE_CHECKING:
    from types import SimpleNamespace


def shelf(number: int, **changes: str | int | None) -> Row:
    return {"id": f"s{number}", "name": f"shelf {number}", "rank": number, "room": None, **changes}


def book(shelf_number: int, n: int, **changes: str | bytes | None) -> Row:
    row: Row = {"shelf_id": f"s{shelf_number}", "n": n, "state": "in", "reader": None, "body": b""}
    return {**row, **changes}


async def test_what_a_unit_inserts_is_read_back_whole(
    backend: Backend, library: SimpleNamespace
) -> None:
    row = book(1, 1, reader="Ана 读者 \x00", body=bytes(range(256)))

    def unit(tx: Tx) -> None:
        tx.insert(library.shelves, shelf(1))
        tx.insert(library.books, row)

    await backend.write(unit)
    assert await backend.read(lambda tx: tx.get(library.books, ("s1", 1))) == row
    assert await backend.read(lambda tx: tx.get(library.books, ("s1", 2))) is None


async def test_a_failing_unit_leaves_nothing_and_its_exception_comes_through(
    backend: Backend, library: SimpleNamespace
) -> None:
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))

    def unit(tx: Tx) -> None:
        tx.insert(library.shelves, shelf(2))
        tx.update(library.shelves, ("s1",), {"name": "changed"})
        tx.insert(library.books, book(2, 1))
        tx.delete(library.shelves, {"id": "s1"})
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        await backend.write(unit)
    rows = await backend.read(lambda tx: tx.page(library.shelves, {}, limit=9))
    assert rows == [shelf(1)]
    assert await backend.read(lambda tx: tx.page(library.books, {}, limit=9)) == []


async def test_a_conflict_names_its_index_and_the_unit_may_go_on(
    backend: Backend, library: SimpleNamespace
) -> None:
    def unit(tx: Tx) -> list[str]:
        found = []
        tx.insert(library.shelves, shelf(1))
        tx.insert(library.books, book(1, 1, state="lent", reader="a"))
        for row in (
            book(1, 1, reader="b"),
            book(1, 2, state="late"),
            book(1, 1, state="lent", reader="c"),
        ):
            try:
                tx.insert(library.books, row)
            except Conflict as error:
                found.append(error.index)
        try:
            tx.insert(library.shelves, shelf(2, name="shelf 1"))
        except Conflict as error:
            found.append(error.index)
        tx.insert(library.books, book(1, 2))
        return found

    assert (await backend.write(unit))[:2] == ["primary", "books_lent"]
    assert len(await backend.read(lambda tx: tx.page(library.books, {}, limit=9))) == 2


async def test_a_partial_index_lets_go_when_the_row_leaves_it(
    backend: Backend, library: SimpleNamespace
) -> None:
    def unit(tx: Tx) -> None:
        tx.insert(library.shelves, shelf(1))
        tx.insert(library.books, book(1, 1, state="lent"))
        assert tx.update(library.books, ("s1", 1), {"state": "in"}, {"state": "lent"})
        tx.insert(library.books, book(1, 2, state="late"))
        with pytest.raises(Conflict):
            tx.update(library.books, ("s1", 1), {"state": "lent"})

    await backend.write(unit)


async def test_absent_values_never_collide(backend: Backend, library: SimpleNamespace) -> None:
    def unit(tx: Tx) -> None:
        tx.insert(library.shelves, shelf(1))
        tx.insert(library.shelves, shelf(2))
        tx.insert(library.books, book(1, 1))
        tx.insert(library.books, book(2, 1))

    await backend.write(unit)


async def test_a_row_needs_what_it_refers_to_and_falls_with_it(
    backend: Backend, library: SimpleNamespace
) -> None:
    def unit(tx: Tx) -> None:
        with pytest.raises(MissingReference):
            tx.insert(library.books, book(1, 1))
        tx.insert(library.shelves, shelf(1))
        tx.insert(library.books, book(1, 1))
        tx.insert(library.books, book(1, 2))
        assert tx.delete(library.shelves, {"id": "s1"}) == 1
        assert tx.page(library.books, {}, limit=9) == []

    await backend.write(unit)


async def test_a_row_that_is_referred_to_cannot_be_deleted_without_cascade(
    backend: Backend, library: SimpleNamespace
) -> None:
    def unit(tx: Tx) -> None:
        tx.insert(library.shelves, shelf(1))
        tx.insert(library.books, book(1, 1))
        tx.insert(library.marks, {"id": "m", "shelf_id": "s1", "n": 1})
        tx.insert(library.marks, {"id": "loose", "shelf_id": None, "n": 1})
        for table, where in ((library.books, {"n": 1}), (library.shelves, {"id": "s1"})):
            with pytest.raises(MissingReference):
                tx.delete(table, where)
        assert tx.get(library.books, ("s1", 1)) is not None
        tx.delete(library.marks, {"id": "m"})
        assert tx.delete(library.shelves, {}) == 1

    await backend.write(unit)


async def test_update_is_compare_and_set(backend: Backend, library: SimpleNamespace) -> None:
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    key = ("s1",)
    won = [
        await backend.write(
            lambda tx: tx.update(library.shelves, key, {"room": "hall"}, {"room": None})
        )
        for _ in range(2)
    ]
    assert won == [True, False]
    assert not await backend.write(lambda tx: tx.update(library.shelves, ("s9",), {"rank": 1}))
    assert await backend.write(
        lambda tx: tx.update(library.shelves, key, {"rank": 7}, {"room": PRESENT, "rank": (1, 2)})
    )


async def test_sequences_count_within_their_key(backend: Backend, library: SimpleNamespace) -> None:
    def unit(tx: Tx) -> list[int]:
        tx.insert(library.shelves, shelf(1))
        tx.insert(library.shelves, shelf(2))
        given = []
        for number in (1, 1, 2, 1):
            n = tx.next(library.books, {"shelf_id": f"s{number}"}, "n")
            tx.insert(library.books, book(number, n))
            given.append(n)
        return given

    assert await backend.write(unit) == [1, 2, 1, 3]


@pytest.mark.parametrize("descending", [False, True])
async def test_pages_join_without_gap_or_overlap(
    backend: Backend, library: SimpleNamespace, descending: bool
) -> None:
    def fill(tx: Tx) -> None:
        for number in range(10):
            tx.insert(library.shelves, shelf(number, rank=number // 3))

    await backend.write(fill)
    order = library.shelves.order("shelves_rank")
    seen: list[str] = []
    after = None

    def page(tx: ReadTx) -> list[Row]:
        return tx.page(
            library.shelves,
            {},
            index="shelves_rank",
            after=after,
            limit=3,
            descending=descending,
        )

    while rows := await backend.read(page):
        seen += [str(row["id"]) for row in rows]
        after = tuple(rows[-1][name] for name in order)
    expected = [f"s{number}" for number in range(10)]
    assert seen == (expected[::-1] if descending else expected)


async def test_a_cursor_of_first_columns_skips_all_rows_that_share_them(
    backend: Backend, library: SimpleNamespace
) -> None:
    def unit(tx: Tx) -> list[Row]:
        for number in range(6):
            tx.insert(library.shelves, shelf(number, rank=number // 2))
        return tx.page(
            library.shelves, {}, index="shelves_rank", after=(0,), limit=9, columns=("id",)
        )

    assert [row["id"] for row in await backend.write(unit)] == ["s2", "s3", "s4", "s5"]


async def test_text_sorts_by_code_point(backend: Backend, library: SimpleNamespace) -> None:
    names = ["a", "Z", "é", "z", "死", "𐀀", "\uffee"]

    def unit(tx: Tx) -> list[object]:
        for name in names:
            tx.insert(library.shelves, shelf(0, id=name, name=name))
        return [row["id"] for row in tx.page(library.shelves, {}, limit=99)]

    assert await backend.write(unit) == sorted(names)


@pytest.mark.parametrize(
    "after", [("x",), (1, "s1", "more"), (None,)], ids=["wrong kind", "too long", "absent"]
)
async def test_a_cursor_that_does_not_fit_is_refused(
    backend: Backend, library: SimpleNamespace, after: tuple[object, ...]
) -> None:
    with pytest.raises(NoteBridgeError) as caught:
        await backend.read(
            lambda tx: tx.page(library.shelves, {}, index="shelves_rank", after=after, limit=1)  # type: ignore[arg-type]
        )
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


async def test_values_that_do_not_fit_their_column_are_refused(
    backend: Backend, library: SimpleNamespace
) -> None:
    bad: list[Row] = [
        shelf(1, rank="1"),
        shelf(1, rank=True),
        shelf(1, rank=2**63),
        shelf(1, name=None),
        shelf(1, name="\ud800"),
        {**shelf(1), "colour": "red"},
    ]
    for row in bad:
        with pytest.raises(ValueError, match="shelves"):
            await backend.write(lambda tx, row=row: tx.insert(library.shelves, row))  # type: ignore[misc]
    with pytest.raises(ValueError, match="key"):
        await backend.write(lambda tx: tx.update(library.shelves, ("s1",), {"id": "s2"}))
    with pytest.raises(ValueError, match="compared"):
        await backend.read(lambda tx: tx.page(library.shelves, {"rank": "1"}, limit=1))
    with pytest.raises(ValueError, match="absent"):
        await backend.read(lambda tx: tx.page(library.shelves, {}, index="shelves_room", limit=1))


async def test_the_rows_given_out_are_copies(backend: Backend, library: SimpleNamespace) -> None:
    def unit(tx: Tx) -> None:
        given = shelf(1)
        tx.insert(library.shelves, given)
        given["name"] = "changed"
        got = tx.get(library.shelves, ("s1",))
        assert got is not None
        got["name"] = "changed"

    await backend.write(unit)
    assert await backend.read(lambda tx: tx.get(library.shelves, ("s1",))) == shelf(1)


async def test_a_transaction_cannot_be_kept(backend: Backend, library: SimpleNamespace) -> None:
    kept: list[ReadTx] = []
    await backend.write(kept.append)
    await backend.read(kept.append)
    for tx in kept:
        with pytest.raises(RuntimeError):
            tx.get(library.shelves, ("s1",))


async def test_the_tx_tells_its_time_and_whether_it_is_durable(backend: Backend) -> None:
    seen = [
        await backend.write(lambda tx: (tx.now, tx.durable), durable=durable)
        for durable in (True, False)
    ]
    assert seen == [(1_700_000_000_000, True), (1_700_000_000_000, False)]


async def test_a_rule_broken_and_not_caught_leaves_as_internal(
    backend: Backend, library: SimpleNamespace
) -> None:
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    with pytest.raises(NoteBridgeError) as caught:
        await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    assert caught.value.code is ErrorCode.INTERNAL


async def test_what_follows_a_commit_comes_in_order_of_commits_and_only_after_them(
    backend: Backend, library: SimpleNamespace
) -> None:
    published: list[int] = []

    def unit(tx: Tx) -> int:
        n = len(tx.page(library.shelves, {}, limit=99))
        tx.insert(library.shelves, shelf(n))
        if n == 3:
            raise LookupError
        return n

    await asyncio.gather(
        *(backend.write(unit, on_commit=published.append) for _ in range(6)),
        return_exceptions=True,
    )
    assert published == [0, 1, 2]


async def test_what_follows_a_commit_may_fail_without_undoing_it(
    backend: Backend, library: SimpleNamespace
) -> None:
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))

    def publish(_: None) -> None:
        raise LookupError

    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)), on_commit=publish)
    assert await backend.read(lambda tx: tx.get(library.shelves, ("s1",))) is not None
    assert len(complaints) == 1


async def test_the_cap_refuses_growth_but_the_reserve_lets_runs_end(
    open_backend: object, library: SimpleNamespace
) -> None:
    backend: Backend = await open_backend(limit=400_000)  # type: ignore[operator]
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    body = bytes(50_000)
    stored = 0

    async def fill() -> None:
        nonlocal stored
        for n in range(20):
            await backend.write(lambda tx, n=n: tx.insert(library.books, book(1, n, body=body)))  # type: ignore[misc]
            stored += 1

    with pytest.raises(NoteBridgeError) as caught:
        await fill()
    assert caught.value.code is ErrorCode.STORAGE_FULL
    assert caught.value.hint
    assert 3 <= stored <= 8
    rows = await backend.read(lambda tx: tx.page(library.books, {}, limit=99, columns=("n",)))
    assert len(rows) == stored
    await backend.write(lambda tx: tx.insert(library.books, book(1, 99, body=body)), reserve=True)
    usage = await backend.usage()
    assert usage.limit == 400_000
    assert usage.used > stored * 50_000
    await backend.write(lambda tx: tx.delete(library.books, {}), reserve=True)
    await backend.write(lambda tx: tx.insert(library.books, book(1, 1, body=body)))
    assert (await backend.usage()).used < 300_000


async def test_closing_twice_is_fine_and_then_nothing_is_done(
    backend: Backend, library: SimpleNamespace
) -> None:
    await backend.close()
    await backend.close()
    with pytest.raises(NoteBridgeError):
        await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))


async def test_a_sound_backend_has_no_problems(backend: Backend) -> None:
    assert await backend.check() == []
