"""All input and output. What an agent could have written is opened here, and nowhere else."""
