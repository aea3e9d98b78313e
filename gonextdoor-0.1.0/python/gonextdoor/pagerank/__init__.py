"""Personalised PageRank from random walks, with standard errors and error bounds."""
