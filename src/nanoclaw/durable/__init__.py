"""What survives a crash: the store, its schema, the rows that are the truth, and the engine that goes on with them."""
