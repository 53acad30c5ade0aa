"""Jobs, trials and kept runs in folders."""
