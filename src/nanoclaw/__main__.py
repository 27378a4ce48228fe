"""`python -m nanoclaw` is the same as the `nanoclaw` command."""

from nanoclaw.app.main import main

main()
