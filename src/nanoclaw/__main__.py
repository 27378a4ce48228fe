"""The `nanoclaw` command, which is also `python -m nanoclaw`."""

from nanoclaw.app.loading import load


def main() -> None:
    load("nanoclaw.app.main").main()


if __name__ == "__main__":
    main()
