import type { Queryable } from '../../db/pool.ts';
import { emptySql, type Statement, sql } from '../../db/sql.ts';
import { type Finding, markupFindings, sentenceOf } from '../../messaging/compose/warnings/findings.ts';
import { readBrandKit } from '../templates/brand/service.ts';
import { emptyParts } from '../templates/design/findings.ts';
import type { Design } from '../templates/design/schema.ts';
import { DATE_REACHED, SEGMENT_JOINED, type TriggerSettings } from './definition/trigger.ts';
import type { FlowRow } from './queries.ts';
import type { FlowWarning } from './schemas.ts';

/** What the writer of a flow should look at when it becomes active: it runs all the same. */
export async function activationWarnings(
  db: Queryable,
  companyId: number,
  { id, trigger_type, definition: { steps, trigger_settings: settings = null } }: FlowRow,
): Promise<FlowWarning[]> {
  const mails = steps.flatMap(({ step_id, type, config = {} }) =>
    type === 'send_email' && config.transactional !== true ? [{ step_id, config }] : [],
  );
  const ids = mails.flatMap(({ config }) => (typeof config.template_id === 'number' ? [config.template_id] : []));
  const [twins, templates, { address }] = await Promise.all([
    findActiveTwins(db, companyId, { id, trigger_type, settings }),
    ids.length === 0 ? [] : findTemplateContents(db, companyId, ids),
    readBrandKit(db, companyId),
  ]);
  const byId = new Map(templates.map((template) => [template.id, template]));
  const ofSteps = mails.flatMap(({ step_id, config }): FlowWarning[] => {
    const own = typeof config.content === 'string' ? { content: config.content, design: null } : undefined;
    const mail = own ?? byId.get(Number(config.template_id));
    return mail === undefined
      ? []
      : findingsOf(mail, address).map(({ code, detail, message }) => ({ code, step_id, detail, message }));
  });
  const sameTrigger = twins.map(({ name }): FlowWarning => {
    const message = `The active flow ${name} has the same trigger: contacts may get the messages of both`;
    return { code: 'same_trigger', step_id: null, detail: name, message };
  });
  return [...sameTrigger, ...ofSteps];
}

function findingsOf(mail: { content: string; design: Design | null }, address: string | null) {
  // Of a design, its own buttons are named.
  const links = mail.design === null ? markupFindings(mail.content).filter(({ code }) => code === 'empty_link') : [];
  const empty = links.map(({ code, detail }): Finding => ({ code, detail, field: 'content', suggestion: null }));
  return [...emptyParts(mail, address), ...empty].map((finding) => ({
    code: finding.code as Exclude<FlowWarning['code'], 'same_trigger'>,
    detail: finding.detail,
    message: sentenceOf(finding),
  }));
}

/** The contents of the e-mail templates among the ids. */
function findTemplateContents(
  db: Queryable,
  companyId: number,
  ids: number[],
): Promise<{ id: number; content: string; design: Design | null }[]> {
  return db.query(sql`
    select id, content, design from templates
    where company_id = ${companyId} and id = any(${ids}::bigint[]) and channel = 'email'`);
}

/** Other active flows with the same trigger, of the same date or segment, the oldest first; at most ten. */
function findActiveTwins(
  db: Queryable,
  companyId: number,
  { id, trigger_type, settings }: { id: number; trigger_type: string; settings: TriggerSettings | null },
): Promise<{ name: string }[]> {
  return db.query(sql`
    select name from flows
    where company_id = ${companyId} and trigger_type = ${trigger_type} and status = 'active' and deleted_at is null
      and id <> ${id} ${sameSettings(trigger_type, settings)}
    order by id limit 10`);
}

function sameSettings(triggerType: string, settings: TriggerSettings | null): Statement {
  if (triggerType === DATE_REACHED) {
    return sql`and definition -> 'trigger_settings' ->> 'date_field' = ${settings?.date_field ?? ''}`;
  }
  if (triggerType === SEGMENT_JOINED) {
    return sql`and (definition -> 'trigger_settings' ->> 'segment_id')::bigint = ${settings?.segment_id ?? 0}`;
  }
  return emptySql;
}
