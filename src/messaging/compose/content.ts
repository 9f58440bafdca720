import type { Queryable } from '../../db/pool.ts';
import { createTextCache } from '../../lib/text-cache.ts';
import { accountMail } from '../account-mails.ts';
import { LANGUAGES, type Language } from '../consent/languages.ts';
import { textsOf } from '../consent/texts.ts';
import { pausedNotice } from '../deliverability/notice.ts';
import type { Channel, ClaimedMessage, Origin } from '../ledger/message.ts';
import { orderMail } from '../order-mails.ts';
import { staffNoticeMail } from '../staff-notices/mail.ts';
import type { RenderContext } from './liquid/render.ts';
import * as queries from './queries.ts';

/** What the messages of one campaign variant, flow step or system message have in common. */
export interface Template {
  subject: string | null;
  previewText: string | null;
  content: string;
  sender: string | null;
  /** Variables that all of them share, in addition to the company. */
  context: RenderContext;
}

/** The template of a message, and the variables of this message only. */
export interface MessageContent {
  template: Template;
  context: RenderContext;
}

export type ContentOf = (message: ClaimedMessage) => MessageContent | Missing;

interface Missing {
  missing: string;
}

export interface ContentLoader {
  /** Loads the contents of one company's messages, in a constant number of statements. */
  load(db: Queryable, companyId: number, messages: ClaimedMessage[]): Promise<ContentOf>;
}

type FlowOrigin = Origin & { kind: 'flow' };

const KEPT_STEPS = 1_000;
const KEPT_CHARACTERS = 16_000_000;

/** Steps of frozen versions never change, so they are cached; campaigns, templates and runs are read for each call. */
export function createContentLoader(): ContentLoader {
  const steps = createTextCache<queries.Content>(KEPT_STEPS, KEPT_CHARACTERS);

  async function loadSteps(
    db: Queryable,
    companyId: number,
    origins: FlowOrigin[],
  ): Promise<Map<string, queries.Content>> {
    const found = new Map<string, queries.Content>();
    const missing = new Map<string, FlowOrigin>();
    for (const origin of origins) {
      const key = stepKey(companyId, origin);
      const kept = steps.get(key);
      if (kept === undefined) missing.set(key, origin);
      else found.set(key, kept);
    }
    if (missing.size === 0) return found;
    for (const row of await queries.findStepContents(db, companyId, [...missing.values()])) {
      const { flow_id: flowId, version, step_id: stepId, ...content } = row;
      const key = stepKey(companyId, { flowId, version, stepId });
      found.set(key, content);
      steps.set(key, content, { size: (content.content?.length ?? 0) + 200 });
    }
    return found;
  }

  return {
    async load(db, companyId, messages) {
      const flows = messages.flatMap(({ origin }) => (origin.kind === 'flow' ? [origin] : []));
      const campaignIds = distinct(messages.flatMap(({ origin }) => campaignIdsOf(origin)));
      const [stepContents, runs, campaigns] = await Promise.all([
        flows.length === 0 ? new Map<string, queries.Content>() : loadSteps(db, companyId, flows),
        flows.length === 0 ? [] : queries.findRunContexts(db, companyId, distinct(flows.map((flow) => flow.runId))),
        campaignIds.length === 0 ? [] : queries.findCampaignContents(db, companyId, campaignIds),
      ]);
      const templateIds = distinct([
        ...messages.flatMap(({ origin }) => testedTemplate(origin) ?? []),
        ...[...stepContents.values(), ...campaigns, ...campaigns.flatMap((campaign) => campaign.variants)].flatMap(
          ({ template_id }) => template_id ?? [],
        ),
      ]);
      const templates = templateIds.length === 0 ? [] : await queries.findTemplateContents(db, companyId, templateIds);
      const set: ContentSet = {
        companyId,
        stepContents,
        runs: new Map(runs.map((run) => [run.id, run])),
        campaigns: new Map(campaigns.map((campaign) => [campaign.id, campaign])),
        templates: new Map(templates.map((template) => [template.id, template])),
        known: new Map(),
      };
      return ({ origin, channel }) => {
        const template = templateOf(set, origin, channel);
        return 'missing' in template ? template : { template, context: contextOf(set, origin) };
      };
    },
  };
}

interface ContentSet {
  companyId: number;
  stepContents: Map<string, queries.Content>;
  runs: Map<number, queries.RunContext>;
  campaigns: Map<number, queries.CampaignContent>;
  templates: Map<number, queries.TemplateContent>;
  /** The templates found so far: messages that share one get the same object. */
  known: Map<string, Template | Missing>;
}

function templateOf(set: ContentSet, origin: Origin, channel: Channel): Template | Missing {
  const key = keyOf(set.companyId, origin, channel);
  const template = set.known.get(key) ?? findTemplate(set, origin, channel);
  set.known.set(key, template);
  return template;
}

function keyOf(companyId: number, origin: Origin, channel: Channel): string {
  if (origin.kind === 'flow') return `flow ${stepKey(companyId, origin)}`;
  if (origin.kind === 'campaign') return `campaign ${origin.campaignId} ${origin.variant ?? ''}`;
  const { template, data } = origin;
  const tested = `${data.campaign_id ?? ''} ${data.variant ?? ''} ${data.template_id ?? ''}`;
  return `system ${template} ${channel} ${languageOf(data)} ${tested}`;
}

function findTemplate(set: ContentSet, origin: Origin, channel: Channel): Template | Missing {
  if (origin.kind === 'flow') {
    const content = set.stepContents.get(stepKey(set.companyId, origin));
    return content === undefined
      ? { missing: 'The step is not in this version of the flow' }
      : filled(set, content, {});
  }
  if (origin.kind === 'campaign') return campaignTemplate(set, origin.campaignId, origin.variant ?? null);
  const { template, data } = origin;
  if (template === 'campaign_test') {
    const { campaign_id: campaignId, variant = null } = data as { campaign_id: number; variant?: string | null };
    return campaignTemplate(set, campaignId, variant);
  }
  if (template === 'template_test') {
    const content = { subject: null, preview_text: null, content: null, sender: null };
    return filled(set, { ...content, template_id: testedTemplate(origin) }, {});
  }
  const known = systemContent(template, data, channel);
  if (known === null) return { missing: `There is no system message ${template}` };
  return { subject: known.subject, previewText: null, content: known.content, sender: null, context: {} };
}

function campaignTemplate(set: ContentSet, campaignId: number, key: string | null): Template | Missing {
  const campaign = set.campaigns.get(campaignId);
  if (campaign === undefined) return { missing: 'The campaign does not exist any more' };
  const { subject, preview_text, content, template_id, sender, name, id } = campaign;
  const variant = campaign.variants.find((one) => one.key === key);
  // A variant with its own content replaces the campaign's template.
  const template = variant?.content === undefined ? (variant?.template_id ?? template_id) : null;
  const own = { sender: variant?.from ?? sender, template_id: template };
  const chosen = { subject, preview_text, content, ...variant, ...own };
  return filled(set, chosen, { campaign: { campaign_id: id, name, variant: variant?.key ?? null } });
}

/** A subject or preview text set alongside a template overrides the template's own. */
function filled(set: ContentSet, content: queries.Content, context: RenderContext): Template | Missing {
  const template = content.template_id === null ? undefined : set.templates.get(content.template_id);
  if (content.template_id !== null && template === undefined)
    return { missing: `There is no template ${content.template_id}` };
  const body = template?.content ?? content.content;
  if (body == null) return { missing: 'There is no content' };
  return {
    subject: content.subject ?? template?.subject ?? null,
    previewText: content.preview_text ?? template?.preview_text ?? null,
    content: body,
    sender: content.sender,
    context,
  };
}

/** Returns the variables of one message. */
function contextOf(set: ContentSet, origin: Origin): RenderContext {
  if (origin.kind === 'campaign') return {};
  if (origin.kind === 'flow') {
    const run = set.runs.get(origin.runId);
    return {
      ...eventContext((run?.event?.data ?? {}) as RenderContext),
      event_type: run?.event?.event_type ?? null,
      vars: (run?.vars ?? {}) as RenderContext,
    };
  }
  if (origin.template === 'campaign_test') return {};
  return origin.template === 'template_test' ? eventContext({}) : (origin.data as RenderContext);
}

/** Returns the template variables of an event: `event`, and `order` if the event is about one. */
export function eventContext(event: RenderContext): RenderContext {
  return { event, order: event.order_id === undefined ? {} : event };
}

function stepKey(
  companyId: number,
  { flowId, version, stepId }: { flowId: number; version: number; stepId: string },
): string {
  return `${companyId}:${flowId}:${version}:${stepId}`;
}

function campaignIdsOf(origin: Origin): number[] {
  if (origin.kind === 'campaign') return [origin.campaignId];
  const tested = origin.kind === 'system' && origin.template === 'campaign_test' ? origin.data.campaign_id : null;
  return typeof tested === 'number' ? [tested] : [];
}

function testedTemplate(origin: Origin): number | null {
  const tested = origin.kind === 'system' && origin.template === 'template_test' ? origin.data.template_id : null;
  return typeof tested === 'number' ? tested : null;
}

function distinct(ids: number[]): number[] {
  return [...new Set(ids)];
}

/** Messages that the product itself sends. Their data are the variables named in the templates below. */
const CONTENTS = new Map<string, { subject: string; content: string }>(
  Object.entries({
    sms_stop: {
      subject: '',
      content: '{{ company.name }}: you get no more SMS from us. Reply START to get them again.',
    },
    sms_start: {
      subject: '',
      content: '{{ company.name }}: you get our SMS again. Reply STOP to get no more.',
    },
    sms_help: {
      subject: '',
      content: '{% if text %}{{ text }}{% else %}{{ company.name }}: reply STOP to get no more SMS.{% endif %}',
    },
  }),
);

/** The language that the message was queued with. */
function languageOf({ language }: Record<string, unknown>): Language {
  return LANGUAGES.find((one) => one === language) ?? 'en';
}

function textsFor(data: Record<string, unknown>) {
  return textsOf(languageOf(data));
}

/** Returns null if there is no such message. */
function systemContent(
  template: string,
  data: Record<string, unknown>,
  channel: Channel,
): { subject: string; content: string } | null {
  switch (template) {
    case 'confirm_membership':
      return textsFor(data).confirm.mail;
    case 'confirm_form': {
      const { form } = textsFor(data);
      return channel === 'email' ? form.mail : { subject: '', content: form.sms };
    }
    case 'marketing_paused':
      return pausedNotice(languageOf(data));
    case 'staff_notice':
      return staffNoticeMail(languageOf(data));
    default: {
      const language = languageOf(data);
      return accountMail(template, language) ?? orderMail(template, language) ?? CONTENTS.get(template) ?? null;
    }
  }
}
