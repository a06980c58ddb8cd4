"""The choice of the set: four impostors a question, and the questions (MSR 2.3, guideline 7)."""
