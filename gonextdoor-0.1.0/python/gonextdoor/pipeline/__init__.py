"""The pipeline of a loader: batches are drawn and gathered by threads while the caller uses the previous ones."""
