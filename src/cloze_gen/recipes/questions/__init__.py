"""Choice of impostors and questions, answer positions and few-shot examples for question recipes."""
