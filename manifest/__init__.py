"""The published contract: models, canonical bytes, tree, anchors, tokens, query plan.

Imports nothing of ours.
"""
