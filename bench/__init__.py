"""The project's benchmarks: what is promised in figures, measured over real builds and reads.

`python -m bench` prints one JSON document on stdout and writes only into a temporary folder. What
needs data that is not there says `{"skipped": "why"}`; `bench.data` tells where data is looked for.
"""
