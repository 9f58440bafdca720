import { type Statement, sql } from '../../db/sql.ts';
import { insertingOutbox } from '../../outbox/service.ts';

/**
 * The part of a statement that raises `list_joined` for those memberships of its part `written` that are active now. One statement, since
 * upserts of contacts send it together with COMMIT. An import moves contacts here who joined elsewhere, perhaps years ago: it raises none.
 */
export function announceWritten(companyId: number): Statement {
  return insertingOutbox(
    companyId,
    'list_joined',
    sql`
      select jsonb_build_object('contact_id', w.contact_id, 'list_id', w.list_id, 'list_name', l.name),
        w.updated_at
      from written w join lists l on l.company_id = ${companyId} and l.id = w.list_id
      where w.status = 'active' and w.consent_source <> 'import'
      order by w.list_id, w.contact_id`,
  );
}
