"""The use cases of the service: keys, benchmarks, runs of tasks, and work that is done later."""
