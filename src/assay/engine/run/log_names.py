"""The names of the files that the agent's output is kept in, among its logs."""

# Harbor uses another name for the output of the oracle.
ORACLE_LOG, AGENT_LOG = "oracle.txt", "output.txt"
