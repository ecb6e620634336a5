"""Checking a published site whole: every object, every reference, every promise of the contract."""
