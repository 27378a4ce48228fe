"""The commands about budgets."""
