-- The export of a contact and its erasure ask for the notifications of one contact.
create index flow_notifications_contact on flow_notifications (company_id, contact_id);
