"""The commands about handoffs."""
