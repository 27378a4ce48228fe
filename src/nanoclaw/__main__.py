"""The `nanoclaw` command, which is also `python -m nanoclaw`."""

from nanoclaw.host.quick_import import load
from nanoclaw.host.workspace_guard import be_private


def main() -> None:
    be_private()  # before anything is written
    load("nanoclaw.cli.main").main()


if __name__ == "__main__":
    main()
