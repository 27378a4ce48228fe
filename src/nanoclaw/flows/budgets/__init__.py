"""Flow J. The budgets of companies: shown, changed by owners, and told when they are nearly used."""
