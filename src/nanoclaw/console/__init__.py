"""The web page, and the HTTP API behind it. The page uses nothing else."""
