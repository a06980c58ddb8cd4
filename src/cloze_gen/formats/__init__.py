"""Published formats: records to text and back; no file is opened here."""
