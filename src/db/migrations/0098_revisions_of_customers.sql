-- Counts the saves of a customer, for If-Match. Orders, points and the password count for nothing.
alter table customers add column revision bigint not null default 1;
create trigger raise_revision before update on customers for each row
  when ((old.email, old.first_name, old.last_name, old.phone, old.accepts_marketing, old.address, old.city, old.state, old.zip,
      old.country, old.metadata)
    is distinct from (new.email, new.first_name, new.last_name, new.phone, new.accepts_marketing, new.address, new.city, new.state,
      new.zip, new.country, new.metadata))
  execute function raise_revision();
