-- The blocks that a template's content was made from; null for content that was written as HTML or MJML.
alter table templates add column design jsonb;
