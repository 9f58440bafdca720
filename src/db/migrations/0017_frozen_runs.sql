-- Runs that came due while their flow was paused go on in the order in which they came due, a piece at a time: without
-- it every piece sorts all that are left.
create index flow_runs_frozen on flow_runs (company_id, flow_id, due_at) where status = 'paused';
