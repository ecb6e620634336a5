"""Runs: the loop, budgets, evidence and citations."""
