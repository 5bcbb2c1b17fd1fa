"""Payloads in files other people have: plain lists and tables, and the files of other tools."""
