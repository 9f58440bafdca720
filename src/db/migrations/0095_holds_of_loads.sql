-- Sending is held by a load, too: another installation may still run the company.
alter table installation
  drop constraint installation_sending_held_because_check,
  add constraint installation_sending_held_because_check check (sending_held_because in ('restored', 'asked', 'loaded'));
