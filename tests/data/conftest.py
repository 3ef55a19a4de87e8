"""Settings of the property tests."""

from hypothesis import settings

# On a busy machine one example may take long, which is no fault of the code.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
