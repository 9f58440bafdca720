-- After a failover, sending continues by itself where no commit was lost.
alter table installation
  -- The processes that send, by an id of their own: when they last wrote here (milliseconds since 1970), and from which database.
  add column senders jsonb not null default '{}',
  -- Messages that were handed over by commits that the database lost; set while sending is held because of a failover.
  add column lost_messages jsonb,
  drop constraint installation_sending_held_because_check,
  add constraint installation_sending_held_because_check
    check (sending_held_because in ('restored', 'asked', 'loaded', 'failover'));
