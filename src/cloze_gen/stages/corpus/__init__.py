"""From raw files to counted, tagged and numbered books; every recipe begins here."""
