"""What the stories of a company's context share: its files and their versions, proposals, interviews, documents."""
