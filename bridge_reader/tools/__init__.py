"""The six tools by which a model, a script or an MCP client reads a site."""
