import type { BodyOf } from '../../../api/client.ts';
import { t, tOf } from '../../../i18n/i18n.ts';
import type { FieldOf, Values } from '../../../ui/form/values.ts';
import type { FieldGroup } from '../../../ui/RecordForm.tsx';
import type { Campaign, Choices } from '../queries.ts';
import { EmailVariants, SmsVariants, variantsOf, writtenVariants } from './Variants.tsx';

/*
 * Variants with their test, the hold-out group, time zones, batches.
 */

export type CampaignBody = BodyOf<'/campaigns', 'post'>;
type Metric = NonNullable<CampaignBody['ab_test']>['metric'];
/** The body with the fields that the form shows instead of the API's. */
export type Typed = Omit<CampaignBody, 'type'> & {
  channel: CampaignBody['type'];
  ab: boolean;
  ab_share: number;
  ab_hours: number;
  ab_metric: Metric;
  batch: boolean;
  batch_by: BatchBy;
  batch_n: number;
  batch_minutes: number;
};

/** What is typed of the batches: the messages in each, or how many there are. */
const BATCH_BY = ['size', 'count'] as const;
type BatchBy = (typeof BATCH_BY)[number];

const METRICS = ['opened', 'clicked', 'converted', 'revenue'] as const;

const compares = (values: Values): boolean => variantsOf(values.variants).filter(({ weight }) => weight > 0).length > 1;
const tests = (values: Values): boolean => compares(values) && values.ab === true;

/** The differences between recipients; only templates of the channel can be chosen. */
export function variantGroup(channel: string, { templates }: Choices): FieldGroup<Typed> {
  return {
    title: t('campaign.variants'),
    fields: [
      {
        name: 'variants',
        label: t('campaign.variants'),
        type: 'custom',
        help: t('campaign.variants.help'),
        choices: templates
          .filter((one) => one.channel === channel)
          .map(({ template_id, name }) => ({ value: String(template_id), label: name })),
        custom: { Input: channel === 'email' ? EmailVariants : SmsVariants, bodyOf: writtenVariants },
      },
      {
        name: 'ab',
        label: t('campaign.ab'),
        type: 'switch',
        help: t('campaign.ab.help'),
        when: compares,
      },
      { name: 'ab_share', label: t('campaign.ab.share'), type: 'number', half: true, required: true, when: tests },
      { name: 'ab_hours', label: t('campaign.ab.hours'), type: 'number', half: true, required: true, when: tests },
      {
        name: 'ab_metric',
        label: t('campaign.ab.metric'),
        type: 'choice',
        when: tests,
        choices: METRICS.map((value) => ({ value, label: tOf('campaign.ab.metric', value) })),
      },
    ],
  };
}

/** The API refuses batches together with these. */
const mayBatch = (values: Values): boolean =>
  !tests(values) && values.send_in_contact_time_zone !== true && !(Number(values.holdout_percent) > 0);
const batches = (values: Values): boolean => mayBatch(values) && values.batch === true;

export const deliveryFields = (): FieldOf<Typed>[] => [
  {
    name: 'send_in_contact_time_zone',
    label: t('campaign.zones'),
    type: 'switch',
    help: t('campaign.zones.help'),
    when: (values: Values) => !tests(values),
  },
  {
    name: 'batch',
    label: t('campaign.batch'),
    type: 'switch',
    help: t('campaign.batch.help'),
    when: mayBatch,
  },
  {
    name: 'batch_by',
    label: t('campaign.batch.by'),
    type: 'choice',
    when: batches,
    choices: BATCH_BY.map((value) => ({ value, label: tOf('campaign.batch.by', value) })),
  },
  { name: 'batch_n', label: t('campaign.batch.n'), type: 'number', half: true, required: true, when: batches },
  {
    name: 'batch_minutes',
    label: t('campaign.batch.minutes'),
    type: 'number',
    half: true,
    required: true,
    help: t('campaign.batch.minutes.help'),
    when: batches,
  },
];

export const holdOutField = (): FieldOf<Typed> => ({
  name: 'holdout_percent',
  label: t('campaign.holdout_percent'),
  type: 'number',
  half: true,
  help: t('campaign.holdout_percent.help'),
});

/** Whether each recipient gets it by their own time zone. */
export const byZones = (values: Values): boolean => !tests(values) && values.send_in_contact_time_zone === true;

export const NO_OPTIONS: Values = {
  variants: '[]',
  ab: false,
  ab_share: '20',
  ab_hours: '4',
  ab_metric: 'clicked',
  send_in_contact_time_zone: false,
  holdout_percent: '0',
  batch: false,
  batch_by: 'size',
  batch_n: '1000',
  batch_minutes: '60',
};

export function optionValues(campaign: Campaign): Values {
  const { variants, ab_test, send_in_contact_time_zone, holdout_percent, batches: stored } = campaign;
  const test: Values =
    ab_test === null
      ? {}
      : { ab: true, ab_share: String(ab_test.share), ab_hours: String(ab_test.hours), ab_metric: ab_test.metric };
  const spread: Values =
    stored === null
      ? {}
      : {
          batch: true,
          batch_by: stored.size === undefined ? 'count' : 'size',
          batch_n: String(stored.size ?? stored.count ?? ''),
          batch_minutes: String(stored.minutes),
        };
  return {
    ...NO_OPTIONS,
    ...test,
    ...spread,
    variants: JSON.stringify(variants),
    send_in_contact_time_zone,
    holdout_percent: String(holdout_percent),
  };
}

/** These fields in the API's form; `read` are those that the form converted by itself. */
export function optionsBody(read: Typed, values: Values) {
  const { ab: _ab, ab_share: _share, ab_hours: _hours, ab_metric: _metric, ...others } = read;
  const { batch: _batch, batch_by: _by, batch_n: _n, batch_minutes: _minutes, ...rest } = others;
  const n = Number(values.batch_n);
  const isTest = tests(values);
  const ab_test = isTest
    ? { share: Number(values.ab_share), hours: Number(values.ab_hours), metric: values.ab_metric as Metric }
    : null;
  return {
    ...rest,
    variants: writtenVariants(values.variants),
    ab_test,
    send_in_contact_time_zone: byZones(values),
    batches: batches(values)
      ? { ...(values.batch_by === 'count' ? { count: n } : { size: n }), minutes: Number(values.batch_minutes) }
      : null,
    ...(rest.holdout_percent === null ? { holdout_percent: 0 } : {}),
  };
}

/** The form's field for a field of the API. */
export function optionField(field: string): string {
  if (field === 'ab_test') return 'ab_share';
  if (field === 'batches.minutes') return 'batch_minutes';
  return field.startsWith('batches') ? 'batch_n' : field;
}
