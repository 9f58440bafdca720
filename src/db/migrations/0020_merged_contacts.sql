-- Who was merged of late: looked for when the audience of a campaign is complete.
create index contact_activity_merged on contact_activity (company_id, created_at) where type = 'merged';
