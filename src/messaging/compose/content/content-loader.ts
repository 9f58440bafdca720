import type { Queryable } from '../../../db/pool.ts';
import { createTextCache } from '../../../lib/text-cache.ts';
import type { Channel, ClaimedMessage, Origin } from '../../ledger/message.ts';
import type { RenderContext } from '../liquid/engine.ts';
import * as queries from './content-queries.ts';
import type { Source } from './source.ts';
import { systemContent } from './system-messages.ts';

export type Sources = (message: ClaimedMessage) => Source | { missing: string };

export interface SourceLoader {
  /** Loads everything needed to compose the messages of one company, in a constant number of statements. */
  load(db: Queryable, companyId: number, messages: ClaimedMessage[]): Promise<Sources>;
}

type FlowOrigin = Origin & { kind: 'flow' };
type CampaignOrigin = Origin & { kind: 'campaign' };

const KEPT_STEPS = 1_000;
const KEPT_CHARACTERS = 16_000_000;

/** Steps of frozen versions never change, so they are cached; campaigns, templates and runs are read for each set. */
export function createSourceLoader(): SourceLoader {
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
      const contents: ContentSet = {
        companyId,
        stepContents,
        runs: new Map(runs.map((run) => [run.id, run])),
        campaigns: new Map(campaigns.map((campaign) => [campaign.id, campaign])),
        templates: new Map(templates.map((template) => [template.id, template])),
      };
      return ({ origin, channel }) => sourceOf(contents, origin, channel);
    },
  };
}

interface ContentSet {
  companyId: number;
  stepContents: Map<string, queries.Content>;
  runs: Map<number, queries.RunContext>;
  campaigns: Map<number, queries.CampaignContent>;
  templates: Map<number, queries.TemplateContent>;
}

function sourceOf(contents: ContentSet, origin: Origin, channel: Channel): Source | { missing: string } {
  if (origin.kind === 'flow') return flowSource(contents, origin);
  if (origin.kind === 'campaign') return campaignSource(contents, origin);
  const { template, data } = origin;
  if (template === 'campaign_test') {
    const { campaign_id: campaignId, variant = null } = data as { campaign_id: number; variant?: string | null };
    return campaignSource(contents, { kind: 'campaign', campaignId, variant });
  }
  if (template === 'template_test') {
    const content = { subject: null, preview_text: null, content: null, sender: null };
    return filled(contents, { ...content, template_id: testedTemplate(origin) }, eventContext({}));
  }
  return systemContent(template, data, channel) ?? { missing: `There is no system message ${template}` };
}

function flowSource(contents: ContentSet, origin: FlowOrigin): Source | { missing: string } {
  const content = contents.stepContents.get(stepKey(contents.companyId, origin));
  if (content === undefined) return { missing: 'The step is not in this version of the flow' };
  const run = contents.runs.get(origin.runId);
  const event = (run?.event?.data ?? {}) as RenderContext;
  const context = {
    ...eventContext(event),
    event_type: run?.event?.event_type ?? null,
    vars: (run?.vars ?? {}) as RenderContext,
  };
  return filled(contents, content, context);
}

function campaignSource(contents: ContentSet, origin: CampaignOrigin): Source | { missing: string } {
  const campaign = contents.campaigns.get(origin.campaignId);
  if (campaign === undefined) return { missing: 'The campaign does not exist any more' };
  const { subject, preview_text, content, template_id, sender, name, id } = campaign;
  const variant = campaign.variants.find(({ key }) => key === origin.variant);
  // A variant with its own content replaces the campaign's template.
  const template = variant?.content === undefined ? (variant?.template_id ?? template_id) : null;
  const own = { sender: variant?.from ?? sender, template_id: template };
  const chosen = { subject, preview_text, content, ...variant, ...own };
  return filled(contents, chosen, { campaign: { campaign_id: id, name, variant: variant?.key ?? null } });
}

/** Returns the template variables of an event: `event`, and `order` if the event is about one. */
export function eventContext(event: RenderContext): RenderContext {
  return { event, order: event.order_id === undefined ? {} : event };
}

/** A subject or preview text set alongside a template overrides the template's own. */
function filled(contents: ContentSet, content: queries.Content, context: RenderContext): Source | { missing: string } {
  const template = content.template_id === null ? undefined : contents.templates.get(content.template_id);
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
