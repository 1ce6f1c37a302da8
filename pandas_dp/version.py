"""The version, which every label carries."""

VERSION = "0.1.0"
