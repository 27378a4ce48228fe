"""Plans: questions with buttons before an agent begins."""
