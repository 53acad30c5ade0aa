-- Work of the service as a view of procrastinate's jobs: one truth, in the columns that the table has on SQLite.
-- A row that is inserted is a job that is deferred, in the same transaction as whatever else is written.
-- The kind is the queue. What procrastinate has no column for is among the job's arguments.

CREATE VIEW work AS
SELECT
    args->>'id' AS id,
    args->>'organisation' AS organisation,
    (args->>'created_at')::timestamptz AS created_at,
    queue_name::text AS kind,
    args->>'target' AS target,
    CASE status WHEN 'todo' THEN 'queued' WHEN 'doing' THEN 'running' WHEN 'succeeded' THEN 'done' ELSE 'set_aside' END
        AS state,
    coalesce((args->>'priority')::integer, 0) AS priority,
    attempts + (status = 'doing')::integer - coalesce((args->>'uncounted')::integer, 0) AS tries,
    -jobs.priority AS turn,
    (args->>'source_down_since')::timestamptz AS source_down_since,
    coalesce((args->>'source_waits')::integer, 0) AS source_waits,
    coalesce(scheduled_at, (args->>'created_at')::timestamptz) AS not_before,
    NULL::text AS claim,
    args->>'reason' AS reason,
    CASE status WHEN 'doing' THEN now() END AS claimed_until,
    CASE WHEN status NOT IN ('todo', 'doing') THEN
        (SELECT max(at) FROM procrastinate_events AS events
         WHERE events.job_id = jobs.id AND events.type IN ('succeeded', 'failed', 'cancelled', 'aborted'))
    END AS finished_at,
    jobs.id AS job
FROM procrastinate_jobs AS jobs WHERE task_name = 'work';

CREATE UNIQUE INDEX work_ids ON procrastinate_jobs ((args->>'organisation'), (args->>'id')) WHERE task_name = 'work';
CREATE INDEX work_targets ON procrastinate_jobs ((args->>'target')) WHERE task_name = 'work';
CREATE INDEX work_turns ON procrastinate_jobs ((args->>'organisation'), priority) WHERE status = 'todo';
CREATE INDEX work_done ON procrastinate_events (at) WHERE type = 'succeeded';

-- Organisations take turns among work of the same priority: one after the last of their own that waits, but not before
-- what waits for longest. Procrastinate takes the highest priority first, so a later turn is a lower number.
CREATE FUNCTION work_place(wanted text, level integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    top integer := level * 100000000;
    own integer;
    front integer;
BEGIN
    SELECT min(priority) INTO own FROM procrastinate_jobs
        WHERE args->>'organisation' = wanted AND status = 'todo' AND priority BETWEEN top - 99999999 AND top;
    SELECT priority INTO front FROM procrastinate_jobs
        WHERE status = 'todo' AND priority BETWEEN top - 99999999 AND top ORDER BY priority DESC, id LIMIT 1;
    RETURN greatest(least(coalesce(own, top), coalesce(front, top - 1) + 1) - 1, top - 99999999);
END $$;

CREATE FUNCTION work_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    level integer := least(greatest(coalesce(NEW.priority, 0), -20), 20);
    place integer := coalesce(-NEW.turn, work_place(NEW.organisation, level));
    told jsonb := jsonb_strip_nulls(jsonb_build_object(
        'id', NEW.id, 'organisation', NEW.organisation, 'target', NEW.target, 'created_at', NEW.created_at,
        'priority', nullif(level, 0), 'reason', NEW.reason, 'source_down_since', NEW.source_down_since,
        'source_waits', nullif(NEW.source_waits, 0)));
    later timestamptz := CASE WHEN NEW.not_before > NEW.created_at THEN NEW.not_before END;
    deferred bigint;
BEGIN
    deferred := (procrastinate_defer_jobs_v1(
        ARRAY[ROW(NEW.kind, 'work', place, NULL, NULL, told, later)]::procrastinate_job_to_defer_v1[]))[1];
    -- What a dump brings back may have been tried before, and may be over.
    IF NEW.tries > 0 OR NEW.state IN ('done', 'set_aside') THEN
        UPDATE procrastinate_jobs SET attempts = NEW.tries, status = CASE NEW.state
            WHEN 'done' THEN 'succeeded' WHEN 'set_aside' THEN 'failed' ELSE 'todo' END::procrastinate_job_status
            WHERE id = deferred;
        IF NEW.finished_at IS NOT NULL THEN
            DELETE FROM procrastinate_events WHERE job_id = deferred;
            INSERT INTO procrastinate_events (job_id, type, at) SELECT deferred,
                (CASE NEW.state WHEN 'done' THEN 'succeeded' ELSE 'failed' END)::procrastinate_job_event_type,
                NEW.finished_at;
        END IF;
    END IF;
    RETURN NEW;
END $$;

-- States change by procrastinate's own hand, but for what is sent again.
CREATE FUNCTION work_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE procrastinate_jobs SET args = (args - ARRAY['reason', 'source_down_since', 'source_waits', 'uncounted'])
        || jsonb_strip_nulls(jsonb_build_object(
            'reason', NEW.reason, 'source_down_since', NEW.source_down_since,
            'source_waits', nullif(NEW.source_waits, 0), 'uncounted', nullif(attempts + 1 - NEW.tries, 0)))
        WHERE id = OLD.job;
    IF OLD.state = 'set_aside' AND NEW.state = 'queued' THEN
        PERFORM procrastinate_retry_job_v2(OLD.job, NEW.not_before, NULL, NULL, NULL);
        PERFORM pg_notify('procrastinate_queue_v1#' || OLD.kind, '{"type": "job_inserted"}');
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION work_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM procrastinate_jobs WHERE id = OLD.job;
    RETURN OLD;
END $$;

CREATE TRIGGER work_added INSTEAD OF INSERT ON work FOR EACH ROW EXECUTE FUNCTION work_added();
CREATE TRIGGER work_changed INSTEAD OF UPDATE ON work FOR EACH ROW EXECUTE FUNCTION work_changed();
CREATE TRIGGER work_removed INSTEAD OF DELETE ON work FOR EACH ROW EXECUTE FUNCTION work_removed();
