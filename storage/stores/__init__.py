"""The stores, one noun each.

Every method is a unit of work, or part of one: its first argument is the `Tx` (or `ReadTx`)
of the unit it runs in, so several stores compose into one commit:

    def step(tx: Tx) -> list[Evidence]:
        app.tool_calls.finish(tx, run_id, call_id, result=result)
        found = app.evidence.add(tx, session_id, passages, proofs)
        app.events.append(tx, session_id, "tool.result", {...}, run_id=run_id)
        return found

    await app.write(step, durable=True, on_commit=publish)
"""
