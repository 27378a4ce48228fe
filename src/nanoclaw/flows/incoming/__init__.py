"""The door: what the stories of letting someone in share. A message is met, judged, held, asked about, let go."""
