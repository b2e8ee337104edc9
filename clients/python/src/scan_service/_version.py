"""The version, as the service sees it."""

VERSION = "0.1.0"
USER_AGENT = f"scan-service-python/{VERSION}"
