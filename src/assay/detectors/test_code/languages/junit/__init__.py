"""What Java and Kotlin share: JUnit 3 to 5, TestNG, AssertJ, Truth, Hamcrest, Mockito."""
