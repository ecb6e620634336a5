"""What a note draws: formulas, diagrams, plots and coloured code, as static HTML.

Every function here is a pure one of its source: equal source, equal bytes. Nothing that is drawn
has an id, a script or an address of another file.
"""
