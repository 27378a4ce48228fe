"""What survives a crash: the store, its schema, the rows, and the engine that continues from them."""
