import { t, tOf } from '../../i18n/i18n.ts';
import type { Field, Values } from '../../ui/form/values.ts';
import type { FieldGroup } from '../../ui/RecordForm.tsx';
import type { Campaign } from './queries.ts';
import { EmailVariants, SmsVariants, variantsOf } from './Variants.tsx';

/*
 * The parts of the form about whom a campaign goes to and when: variants with their test, the hold-out group, time zones.
 */

const METRICS = ['opened', 'clicked', 'converted', 'revenue'] as const;

const compares = (values: Values): boolean => variantsOf(values.variants).filter(({ weight }) => weight > 0).length > 1;
const tests = (values: Values): boolean => compares(values) && values.ab === true;

/** @param channel null where it is chosen in the form */
export function optionGroups(channel: string | null): FieldGroup[] {
  const isEmail = (values: Values): boolean => (channel ?? values.channel) === 'email';
  const variants = (Input: typeof EmailVariants, when: (values: Values) => boolean): Field => ({
    ...{ name: 'variants', label: t('campaign.variants'), type: 'custom', help: t('campaign.variants.help'), when },
    custom: { Input, bodyOf: variantsOf },
  });
  return [
    {
      title: t('campaign.variants'),
      fields: [
        variants(EmailVariants, isEmail),
        variants(SmsVariants, (values) => !isEmail(values)),
        {
          ...{ name: 'ab', label: t('campaign.ab'), type: 'switch', help: t('campaign.ab.help') },
          when: compares,
        },
        { name: 'ab_share', label: t('campaign.ab.share'), type: 'number', half: true, required: true, when: tests },
        { name: 'ab_hours', label: t('campaign.ab.hours'), type: 'number', half: true, required: true, when: tests },
        {
          ...{ name: 'ab_metric', label: t('campaign.ab.metric'), type: 'choice', when: tests },
          choices: METRICS.map((value) => ({ value, label: tOf('campaign.ab.metric', value) })),
        },
      ],
    },
    {
      title: t('campaign.delivery'),
      fields: [
        {
          ...{ name: 'send_in_contact_time_zone', label: t('campaign.zones'), type: 'switch' },
          ...{ help: t('campaign.zones.help'), when: (values: Values) => !tests(values) },
        },
        {
          ...{ name: 'holdout_percent', label: t('campaign.holdout_percent'), type: 'number', half: true },
          help: t('campaign.holdout_percent.help'),
        },
      ],
    },
  ];
}

export const NO_OPTIONS: Values = {
  ...{ variants: '[]', ab: false, ab_share: '20', ab_hours: '4', ab_metric: 'clicked' },
  ...{ send_in_contact_time_zone: false, holdout_percent: '0' },
};

export function optionValues({ variants, ab_test, send_in_contact_time_zone, holdout_percent }: Campaign): Values {
  const test: Values =
    ab_test === null
      ? {}
      : { ab: true, ab_share: String(ab_test.share), ab_hours: String(ab_test.hours), ab_metric: ab_test.metric };
  return {
    ...{ ...NO_OPTIONS, ...test, variants: JSON.stringify(variants) },
    ...{ send_in_contact_time_zone, holdout_percent: String(holdout_percent) },
  };
}

/** These fields as the API has them; `read` are those that the form read by itself. */
export function optionsBody(read: Record<string, unknown>, values: Values): Record<string, unknown> {
  const { ab: _ab, ab_share: _share, ab_hours: _hours, ab_metric: _metric, ...rest } = read;
  const isTest = tests(values);
  const ab_test = isTest
    ? { share: Number(values.ab_share), hours: Number(values.ab_hours), metric: values.ab_metric }
    : null;
  return {
    ...rest,
    ...{ variants: variantsOf(values.variants), ab_test },
    send_in_contact_time_zone: !isTest && values.send_in_contact_time_zone === true,
    ...(rest.holdout_percent === null ? { holdout_percent: 0 } : {}),
  };
}

/** The form's field for a field of the API. */
export function optionField(field: string): string {
  return field === 'ab_test' ? 'ab_share' : field;
}
