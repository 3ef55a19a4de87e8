"""Text in, numbers out: scores with signatures, significance of differences, quality by source length."""
