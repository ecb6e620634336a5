"""The command line and configuration: the one place where the parts are put together."""
