"""What tests are made with, for this project and for those who build on it."""
