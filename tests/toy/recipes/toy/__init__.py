"""A recipe as small as one can be: the longest word of a sentence is its blank, the other options
are words of the next sentences.
"""
