"""The tasks that Inspect AI finds once both are installed: verdict_injection, verdict_forging."""
