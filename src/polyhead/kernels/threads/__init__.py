"""Threads that share the work of one kernel."""
