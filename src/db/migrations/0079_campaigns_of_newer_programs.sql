-- A program of before hold-out groups and time zones of contacts would send such a campaign to all at once. Until its recipients are drawn,
-- the transactions of such a program neither lock nor change it: they find no row, and leave it to a newer one. A program that knows
-- them says so in each transaction on a company's behalf (src/db/transaction.ts). Reading is as before.
create policy drawn_by_newer on campaigns as restrictive for update to public using (
  current_user <> 'tradeloom_tenant' or recipients is not null or (holdout_percent = 0 and not send_in_contact_time_zone)
  or current_setting('tradeloom.draws', true) = 'groups');
