"""What the stories of incoming messages share: a message is judged, held, asked about, released."""
