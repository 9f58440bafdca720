-- An erasure removes a person's addresses from the names and conditions of flow versions. Nothing else changes them.
drop trigger append_only on flow_versions;
create trigger append_only before delete or truncate on flow_versions
  for each statement execute function refuse_change();
create trigger append_only_except_erasures before update on flow_versions
  for each statement when (current_setting('tradeloom.erasing', true) is distinct from 'on') execute function refuse_change();
