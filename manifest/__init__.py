"""The published contract: models, canonical bytes, hashes, the tree, anchors, tokens and the query plan. Imports nothing of ours."""
