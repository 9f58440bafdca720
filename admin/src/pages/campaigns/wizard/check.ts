import { useQuery } from '@tanstack/react-query';
import { type Model, ok, type ResponseOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t, tOf } from '../../../i18n/i18n.ts';
import type { useFormat } from '../../../ui/format.tsx';
import { sentenceOf } from '../../templates/Warnings.tsx';
import type { Campaign } from '../queries.ts';
import { type Step, stepPath } from './steps.ts';

export type Check = ResponseOf<'/campaigns/{id}/check'>;
export type CheckFinding = Check['findings'][number];
type WriterFinding = Model<'Preview'>['findings'][number];

/** Checks it as it would be sent now: templates, domains and lists may have changed since the last check. */
export function useCheck({ campaign_id: id, revision }: Campaign, at: string | null) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'campaigns', id, 'check', revision, at],
    staleTime: 0,
    queryFn: ({ signal }) => {
      const query = at === null ? {} : { scheduled_at: at };
      return ok(api.GET('/campaigns/{id}/check', { params: { path: { id }, query }, signal }));
    },
  });
}

/** A finding as a sentence of the person's language. */
export function textOfFinding(finding: CheckFinding, check: Check, format: ReturnType<typeof useFormat>): string {
  const { code, field, detail, variants } = finding;
  const where = variants.length === 0 ? '' : ` ${t('check.variants', { keys: variants.join(', ') })}`;
  switch (code) {
    case 'required':
      return t(`check.required.${field === 'list_id' || field === 'subject' ? field : 'content'}`);
    case 'wrong_status':
      return t('check.wrong_status', { status: tOf('status', detail ?? '') });
    case 'large_audience':
      return t('check.large_audience', {
        n: format.number(check.recipients ?? 0),
        before: format.number(Number(detail)),
      });
    case 'unknown_coupon':
    case 'list_deleted':
    case 'segment_deleted':
    case 'template_deleted':
    case 'campaign_deleted':
    case 'no_transport':
    case 'no_public_url':
    case 'complaint_rate':
    case 'bounce_rate':
    case 'no_recipients':
    case 'time_past':
      return t(`check.${code}`);
    case 'cannot_render':
      return t('check.cannot_render', { detail }) + where;
    default:
      return sentenceOf(finding as WriterFinding) + where;
  }
}

const STEP_OF: Partial<Record<CheckFinding['field'], Step>> = {
  list_id: 'who',
  segment_id: 'who',
  audiences: 'who',
  exclude: 'who',
  template_id: 'what',
  subject: 'what',
  preview_text: 'what',
  content: 'what',
  from: 'what',
  scheduled_at: 'when',
};
const PAGE_OF: Partial<Record<CheckFinding['code'], { path: string; page: string }>> = {
  unverified_sender: { path: 'settings/domains', page: 'domains' },
  no_transport: { path: 'settings/accounts', page: 'accounts' },
  complaint_rate: { path: 'settings/deliverability', page: 'deliverability' },
  bounce_rate: { path: 'settings/deliverability', page: 'deliverability' },
};

/** Returns where a finding is fixed; null where no page of the app does. */
export function placeOf({ code, field }: CheckFinding, id: number): { path: string; text: string } | null {
  const page = PAGE_OF[code];
  if (page !== undefined) return { path: page.path, text: tOf('settings', page.page) };
  const step = STEP_OF[field];
  return step === undefined ? null : { path: stepPath(id, step), text: t(`campaign.step.${step}`) };
}
