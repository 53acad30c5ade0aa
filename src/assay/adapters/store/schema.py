"""What all tables have in common: how their keys and indexes are named."""

from typing import Final

from sqlalchemy import MetaData

# The organisation of a store that nobody has divided.
DEFAULT_ORGANISATION: Final = "default"

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
