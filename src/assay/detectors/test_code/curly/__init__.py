"""What the readers of Java, Rust and C# share: tokens, conditions, chains of calls, the flow of statements."""
