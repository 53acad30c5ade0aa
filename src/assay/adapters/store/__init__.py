"""The store: what playgrounds recorded, in a SQLite file or a PostgreSQL database.

Nothing here is imported before a store is opened, because the libraries for it are an extra and take their time.
"""
