"""The web page, and the HTTP API that it is made of. The page uses nothing else."""
