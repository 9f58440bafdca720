import { t } from '../../../i18n/i18n.ts';
import type { FieldOf, Values } from '../../../ui/form/values.ts';
import type { FieldGroup } from '../../../ui/RecordForm.tsx';
import { channelField, contentFields } from '../../templates/Form.tsx';
import type { Campaign, Choices } from '../queries.ts';
import { AudienceInput, partChoices, partsOf, typedParts } from './AudienceInput.tsx';
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

/** @param channel null where it is chosen in the form */
function whoFields(choices: Choices, channel: string | null): FieldOf<Typed>[] {
  return [
    { name: 'name', label: t('field.name'), type: 'text', required: true, help: t('campaign.name.help') },
    ...(channel === null ? [channelField()] : []),
    {
      name: 'audiences',
      label: t('campaign.audience'),
      type: 'custom',
      help: t('campaign.audience.help'),
      choices: partChoices(choices),
      custom: { Input: AudienceInput, bodyOf: partsOf },
    },
    {
      name: 'exclude',
      label: t('campaign.exclude'),
      type: 'custom',
      help: t('campaign.exclude.help'),
      choices: partChoices({ ...choices, unopened: [] }),
      custom: { Input: AudienceInput, bodyOf: partsOf },
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

/** Converts the form's fields to the API's; an empty template stands for the content written here. */
export function bodyOf(body: Typed, values: Values): Omit<CampaignBody, 'type'> {
  const { channel: _channel, template_id: _template, ...rest } = optionsBody(body, values);
  const template_id = values.template_id === '' ? null : Number(values.template_id);
  return { ...rest, template_id };
}

export const fieldOf = (field: string): string =>
  field === 'list_id' || field === 'segment_id' ? 'audiences' : optionField(field);

export const EMPTY: Values = {
  name: '',
  channel: 'email',
  audiences: '',
  exclude: '',
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
    audiences: typedParts(campaign.audiences),
    exclude: typedParts(campaign.exclude),
    from: from ?? '',
    template_id: template_id === null ? '' : String(template_id),
    subject: subject ?? '',
    preview_text: preview_text ?? '',
    content: content ?? '',
    ...optionValues(campaign),
  };
}
