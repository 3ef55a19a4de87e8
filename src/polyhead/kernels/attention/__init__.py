"""Equation 1 and its gradients."""
