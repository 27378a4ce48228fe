"""Admission: who may speak, to whom, and which commands they may give."""
