-- Where the runs of a migration go whose steps the newest version lacks: [{"step_id": "a", "to": "b"}], to null ends them.
alter table flow_tasks add column moves jsonb not null default '[]';
