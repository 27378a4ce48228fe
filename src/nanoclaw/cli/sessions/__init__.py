"""The commands about interactive sessions."""
