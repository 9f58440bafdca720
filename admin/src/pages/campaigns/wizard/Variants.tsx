import { Button, CloseButton, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import type { InputProps } from '../../../ui/form/values.ts';
import { useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import type { Campaign } from '../queries.ts';
import { TemplateButtons } from './TemplateInput.tsx';
import css from './Variants.module.css';

export type Variant = Campaign['variants'][number];

/** The keys of new variants; there may be as many as the API accepts. */
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const HEAVIEST = 1_000_000;

export function variantsOf(value: unknown): Variant[] {
  return JSON.parse(String(value)) as Variant[];
}

/** Drops own content that was begun and left empty. */
export function writtenVariants(value: unknown): Variant[] {
  return variantsOf(value).map(({ content, ...rest }) => (content ? { ...rest, content } : rest));
}

export const EmailVariants = (props: InputProps) => <Variants {...props} parts={['subject', 'preview_text', 'from']} />;
export const SmsVariants = (props: InputProps) => <Variants {...props} parts={[]} />;

type Part = 'subject' | 'preview_text' | 'from';
const LABELS = { subject: 'template.subject', preview_text: 'template.preview_text', from: 'campaign.from' } as const;

/** The differences from the campaign's own content, and the shares of recipients; kept as JSON. */
function Variants({ field, value, error, onChange, parts }: InputProps & { parts: Part[] }) {
  const format = useFormat();
  const variants = variantsOf(value);
  const set = (next: Variant[]): void => onChange(JSON.stringify(next));
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const free = KEYS.filter((key) => !variants.some((variant) => variant.key === key));
  const add = (n: number): void => set([...variants, ...free.slice(0, n).map((key) => ({ key, weight: 1 }))]);
  return (
    <div className={css.variants}>
      {error === undefined ? null : (
        <p role="alert" className={css.problem}>
          {error}
        </p>
      )}
      {variants.map((variant, i) => {
        const { key, weight } = variant;
        const change = (part: Part, text: string): void => {
          const { [part]: _before, ...rest } = variant;
          set(variants.with(i, text === '' ? rest : { ...rest, [part]: text }));
        };
        return (
          <fieldset key={key} className={css.variant}>
            <legend>{t('campaign.variant.name', { key })}</legend>
            <CloseButton
              className={css.remove}
              aria-label={t('campaign.variant.remove', { key })}
              onClick={() => set(variants.toSpliced(i, 1))}
            />
            <TextInput
              label={t('campaign.variant.weight')}
              description={
                total === 0 ? undefined : t('campaign.variant.share', { share: format.percent(round(weight / total)) })
              }
              inputMode="numeric"
              autoComplete="off"
              value={String(weight)}
              onChange={(event) => set(variants.with(i, { ...variant, weight: wholeOf(event.currentTarget.value) }))}
            />
            {parts.map((part) => (
              <TextInput
                key={part}
                label={t(LABELS[part])}
                placeholder={t('campaign.variant.same')}
                value={variant[part] ?? ''}
                onChange={(event) => change(part, event.currentTarget.value)}
                autoComplete="off"
              />
            ))}
            <NativeSelect
              label={t('campaign.template')}
              value={variant.content === undefined ? String(variant.template_id ?? '') : OWN}
              data={[
                { value: '', label: t('campaign.variant.same') },
                { value: OWN, label: t('campaign.variant.own') },
                ...(field.choices ?? []),
              ]}
              onChange={(event) => set(variants.with(i, withContent(variant, event.currentTarget.value)))}
            />
            {variant.content === undefined ? (
              <TemplateButtons id={variant.template_id ?? null} variant={key} />
            ) : (
              <Textarea
                label={t('template.content')}
                value={variant.content}
                onChange={(event) => set(variants.with(i, { ...variant, content: event.currentTarget.value }))}
                autosize
                minRows={3}
                maxRows={20}
                spellCheck={false}
              />
            )}
          </fieldset>
        );
      })}
      <p className="dim">{field.help}</p>
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={free.length === 0}
          // A single variant could not be compared to anything.
          onClick={() => add(variants.length === 0 ? 2 : 1)}
        >
          {t(variants.length === 0 ? 'campaign.variants.begin' : 'campaign.variant.add')}
        </Button>
      </div>
    </div>
  );
}

/** The choice of a content that is written here. */
const OWN = 'own';

/** The variant with another source of its content. */
function withContent({ content: _content, template_id: _template, ...rest }: Variant, source: string): Variant {
  if (source === '') return rest;
  return source === OWN ? { ...rest, content: '' } : { ...rest, template_id: Number(source) };
}

/** To a thousandth. */
function round(fraction: number): number {
  return Math.round(fraction * 1_000) / 1_000;
}

function wholeOf(text: string): number {
  return Math.min(HEAVIEST, Number(text.replace(/\D/g, '')));
}
