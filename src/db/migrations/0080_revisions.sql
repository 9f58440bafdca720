-- Counts the saves of what people edit, for If-Match: a trigger, so that every statement is counted, those of an older program too.
-- What the program keeps beside it, such as the stock of a product and the progress of a campaign, counts for nothing.
create function raise_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;

alter table products add column revision bigint not null default 1;
create trigger raise_revision before update on products for each row
  when ((old.name, old.slug, old.description, old.price, old.subscription_enabled, old.sku, old.tax_class, old.categories,
      old.images, old.archived_at)
    is distinct from (new.name, new.slug, new.description, new.price, new.subscription_enabled, new.sku, new.tax_class,
      new.categories, new.images, new.archived_at))
  execute function raise_revision();

alter table templates add column revision bigint not null default 1;
create trigger raise_revision before update on templates for each row
  when ((old.name, old.subject, old.preview_text, old.content, old.design)
    is distinct from (new.name, new.subject, new.preview_text, new.content, new.design))
  execute function raise_revision();

alter table campaigns add column revision bigint not null default 1;
create trigger raise_revision before update on campaigns for each row
  when ((old.name, old.status, old.subject, old.preview_text, old.content, old.template_id, old.sender, old.list_id,
      old.segment_id, old.variants, old.ab_test, old.max_lateness_hours, old.holdout_percent, old.send_in_contact_time_zone,
      old.scheduled_at)
    is distinct from (new.name, new.status, new.subject, new.preview_text, new.content, new.template_id, new.sender,
      new.list_id, new.segment_id, new.variants, new.ab_test, new.max_lateness_hours, new.holdout_percent,
      new.send_in_contact_time_zone, new.scheduled_at))
  execute function raise_revision();

alter table flows add column revision bigint not null default 1;
create trigger raise_revision before update on flows for each row
  when ((old.name, old.status, old.trigger_type, old.definition)
    is distinct from (new.name, new.status, new.trigger_type, new.definition))
  execute function raise_revision();
