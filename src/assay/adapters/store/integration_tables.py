"""Tables of what integrators build on: stored answers, retention, ids that senders give records, and webhooks."""

import sqlalchemy as sa

from assay.adapters.store.columns import (
    UtcTime,
    counted_id,
    list_index,
    listed_table,
    optional,
    organisation_column,
    playground_column,
    reference,
    required,
    table,
)

stored_answers = table(
    "stored_answers",
    organisation_column(),
    # Of a run token, or empty.
    *required(sa.Text, "benchmark_run", "key", "digest"),
    *required(UtcTime, "at"),
    *optional(sa.Text, "target"),
    *optional(sa.Integer, "status"),
    sa.Column("headers", sa.JSON(none_as_null=True)),
    *optional(sa.LargeBinary, "body"),
    sa.PrimaryKeyConstraint("organisation", "benchmark_run", "key"),
    sa.Index(None, "organisation", "at"),
)

# After how many days the runs of an organisation are pruned.
retention = table(
    "retention",
    sa.Column("organisation", sa.Text, sa.ForeignKey("organisations.id"), primary_key=True),
    *required(sa.Integer, "days"),
)

# ``record`` is how the record is known in its list.
sent_records = table(
    "sent_records",
    counted_id(),
    playground_column(),
    *required(sa.Text, "sender_id", "kind", "record", "digest"),
    sa.UniqueConstraint("playground", "sender_id"),
    sa.Index(None, "playground", "kind", "record"),
)

webhooks = listed_table(
    "webhooks",
    *required(sa.Text, "url"),
    *required(sa.JSON, "events"),
    *required(sa.LargeBinary, "secrets"),
)

webhook_deliveries = listed_table(
    "webhook_deliveries",
    reference("webhook", "webhooks.id"),
    *required(sa.Text, "event", "target"),
    *required(sa.JSON, "payload"),
    *required(sa.Integer, "tries"),
    *optional(sa.Integer, "status"),
    *optional(sa.Text, "error"),
    *optional(UtcTime, "tried_at", "delivered_at"),
    *map(list_index, ("webhook", "target")),
)
