-- Each check of a foreign key is a statement of its own for every new contact: two of them took an eighth of what an import costs
-- (docs/decisions/0280). Companies are never deleted, and a row behind the barrier can name no other company.
alter table contact_last_activity drop constraint contact_last_activity_company_id_fkey;
alter table contacts drop constraint contacts_company_id_fkey;
