-- How far the migration of a flow's runs has come: {"version": 3, "position": 17, "held": 5}.
alter table flow_tasks add column walk jsonb;
