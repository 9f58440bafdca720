import { t } from '../../../i18n/i18n.ts';
import type { FieldOf, Values } from '../../../ui/form/values.ts';
import type { FieldGroup } from '../../../ui/RecordForm.tsx';
import { channelField, contentFields } from '../../templates/Form.tsx';
import type { Campaign, Choices } from '../queries.ts';
import {
  type CampaignBody,
  deliveryFields,
  holdOutField,
  NO_OPTIONS,
  optionField,
  optionsBody,
  optionValues,
  type Typed,
  variantGroup,
} from './options.ts';
import type { Step } from './steps.ts';
import { TemplateInput } from './TemplateInput.tsx';

/** `list:3` or `segment:7`. */
const audienceOf = ({ list_id, segment_id }: Campaign): string =>
  list_id === null ? (segment_id === null ? '' : `segment:${segment_id}`) : `list:${list_id}`;

/** @param channel null where it is chosen in the form */
function whoFields({ lists, segments }: Choices, channel: string | null): FieldOf<Typed>[] {
  return [
    { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('campaign.name.help') },
    ...(channel === null ? [channelField()] : []),
    {
      name: 'audience',
      label: t('campaign.audience'),
      type: 'choice',
      choices: [
        { value: '', label: '–' },
        ...lists.map(({ list_id, name }) => ({ value: `list:${list_id}`, label: t('campaign.list', { name }) })),
        ...segments.map(({ segment_id, name }) => ({
          value: `segment:${segment_id}`,
          label: t('campaign.segment', { name }),
        })),
      ],
    },
    holdOutField(),
  ];
}

function whatFields({ templates }: Choices, channel: string): FieldOf<Typed>[] {
  const isEmail = (): boolean => channel === 'email';
  return [
    { name: 'from', label: t('campaign.from'), type: 'text', help: t('campaign.from.help'), when: isEmail },
    {
      name: 'template_id',
      label: t('campaign.template'),
      type: 'custom',
      choices: [
        { value: '', label: t('campaign.no_template') },
        ...templates
          .filter((one) => one.channel === channel)
          .map(({ template_id, name }) => ({ value: String(template_id), label: name })),
      ],
      custom: { Input: TemplateInput, bodyOf: (value) => value },
    },
    ...contentFields().map((field) =>
      field.name === 'content'
        ? { ...field, when: (values: Values) => values.template_id === '' }
        : { ...field, when: isEmail, help: t('campaign.of_template') },
    ),
  ];
}

/** Returns all fields of a campaign, with those of other steps hidden. `channel` is null before there is a campaign. */
export function groupsOf(choices: Choices, channel: string | null, step: Step): FieldGroup<Typed>[] {
  const who: FieldGroup<Typed> = {
    title: t('section.details'),
    fields: whoFields(choices, channel),
    hidden: step !== 'who',
  };
  if (channel === null) return [who];
  return [
    who,
    { title: t('template.content'), fields: whatFields(choices, channel), hidden: step !== 'what' },
    { ...variantGroup(channel, choices), hidden: step !== 'what' },
    { title: t('campaign.delivery'), fields: deliveryFields(), hidden: step !== 'when' },
  ];
}

/** Converts the form's audience to the API's fields; an empty template stands for the content written here. */
export function bodyOf(body: Typed, values: Values): Omit<CampaignBody, 'type'> {
  const { audience: _audience, channel: _channel, template_id: _template, ...rest } = optionsBody(body, values);
  const [kind, id] = String(values.audience).split(':');
  const audience = {
    list_id: kind === 'list' ? Number(id) : null,
    segment_id: kind === 'segment' ? Number(id) : null,
  };
  const template_id = values.template_id === '' ? null : Number(values.template_id);
  return { ...rest, ...audience, template_id };
}

export const fieldOf = (field: string): string =>
  field === 'list_id' || field === 'segment_id' ? 'audience' : optionField(field);

export const EMPTY: Values = {
  name: '',
  channel: 'email',
  audience: '',
  from: '',
  template_id: '',
  subject: '',
  preview_text: '',
  content: '',
  ...NO_OPTIONS,
};

export function valuesOf(campaign: Campaign): Values {
  const { name, type, from, template_id, subject, preview_text, content } = campaign;
  return {
    name,
    channel: type,
    audience: audienceOf(campaign),
    from: from ?? '',
    template_id: template_id === null ? '' : String(template_id),
    subject: subject ?? '',
    preview_text: preview_text ?? '',
    content: content ?? '',
    ...optionValues(campaign),
  };
}
