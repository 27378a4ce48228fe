"""The `nanoclaw` command, which is also `python -m nanoclaw`."""

from nanoclaw.app.guarding import be_private
from nanoclaw.app.loading import load


def main() -> None:
    be_private()  # before anything is written
    load("nanoclaw.app.main").main()


if __name__ == "__main__":
    main()
