"""How releases are shown: text, HTML, workbooks, pictures."""
