"""The `nanoclaw` command, which is also `python -m nanoclaw`."""

from nanoclaw.host.guarding import be_private
from nanoclaw.host.loading import load


def main() -> None:
    be_private()  # before anything is written
    load("nanoclaw.cli.main").main()


if __name__ == "__main__":
    main()
