"""The memory of the process: what is given back to the system, what lies on large pages, what stays in its file."""
