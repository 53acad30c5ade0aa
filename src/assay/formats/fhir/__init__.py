"""FHIR's REST interface: what a search means, what a server answers, and how its pages follow each other."""
