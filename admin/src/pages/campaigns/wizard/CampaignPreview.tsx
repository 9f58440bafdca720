import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
import type { Values } from '../../../ui/form/values.ts';
import { preview } from '../../templates/Form.tsx';
import type { Choices } from '../queries.ts';
import { type Variant, variantsOf } from './Variants.tsx';

/** Key of the campaign's own content; no variant has it. */
const OWN = '';

/** The preview of what is being typed, and of each of its variants. */
export function CampaignPreview({ values, choices }: { values: Values; choices: Choices }) {
  const [key, setKey] = useState(OWN);
  const variants = variantsOf(values.variants);
  const variant = variants.find((one) => one.key === key);
  return (
    <>
      {variants.length === 0 ? null : (
        <SegmentedControl
          size="xs"
          aria-label={t('campaign.variants')}
          value={variant === undefined ? OWN : key}
          data={[
            { value: OWN, label: t('template.content') },
            ...variants.map((one) => ({ value: one.key, label: t('campaign.variant.name', { key: one.key }) })),
          ]}
          onChange={setKey}
        />
      )}
      {preview(withTemplate(variant === undefined ? values : withVariant(values, variant), choices))}
    </>
  );
}

/** The values as they are sent: a variant's own content replaces the template. */
function withVariant(values: Values, variant: Variant): Values {
  const { subject, preview_text, template_id } = variant;
  const content = variant.content || undefined;
  const template = content === undefined ? (template_id?.toString() ?? values.template_id ?? '') : '';
  return {
    ...values,
    template_id: template,
    ...(subject === undefined ? {} : { subject }),
    ...(preview_text === undefined ? {} : { preview_text }),
    ...(content === undefined ? {} : { content }),
  };
}

/** The values with the contents of the chosen template. */
function withTemplate(values: Values, { templates }: Choices): Values {
  const template = templates.find(({ template_id }) => String(template_id) === values.template_id);
  if (template === undefined) return values;
  const { subject, preview_text, content } = template;
  return {
    ...values,
    content,
    subject: values.subject || subject || '',
    preview_text: values.preview_text || preview_text || '',
  };
}
