"""Judgement by people: tasks, studies, agreement, and the judges' pages."""
