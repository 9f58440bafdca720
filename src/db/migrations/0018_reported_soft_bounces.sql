-- Whose refusals are counted, and when one was last reported for a mail that another server had taken: that a relay takes the
-- next mail says nothing of the recipient's address.
alter table soft_bounces add column email text, add column reported_at timestamptz;
